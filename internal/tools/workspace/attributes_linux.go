package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttributes is the kernel's size limit in bytes for the attribute names of a
// file, and for one value.
const maxAttributes = 64 << 10

// accessList is the extended attribute that holds the access control list.
const accessList = "system.posix_acl_access"

// CopyAttributes copies the extended attributes of users and the access control list of the file
// at a path of root to f, and its security context if permitted. It skips capabilities, because
// the content is new. It removes a list that f has from its directory, if the file has none. It
// returns what could not be copied, for the user.
func CopyAttributes(root *os.Root, at string, f *os.File) (failed []string) {
	dir, err := root.Open(path.Dir(at))
	if err != nil {
		return nil
	}
	defer dir.Close()
	// The file itself need not be readable.
	from, to := fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), path.Base(at)), int(f.Fd())
	names := make([]byte, maxAttributes)
	n, err := unix.Llistxattr(from, names)
	if err != nil {
		return nil
	}
	value, listed := make([]byte, maxAttributes), false
	for name := range bytes.SplitSeq(names[:n], []byte{0}) {
		name := string(name)
		if !strings.HasPrefix(name, "user.") && name != accessList && name != "security.selinux" {
			continue
		}
		listed = listed || name == accessList
		n, err := unix.Lgetxattr(from, name, value)
		if err == nil {
			err = unix.Fsetxattr(to, name, value[:n], 0)
		}
		switch {
		case err == nil, name == "security.selinux":
		case name == accessList:
			failed = append(failed, "its access control list")
		default:
			failed = append(failed, "its extended attribute "+name)
		}
	}
	if !listed {
		_ = unix.Fremovexattr(to, accessList)
	}
	return failed
}
