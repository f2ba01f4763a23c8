package workspace

import (
	"bytes"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttributes is the kernel's size limit in bytes for the attribute names of a
// file, and for one value.
const maxAttributes = 64 << 10

// copyAttributes copies extended attributes and the access control list of the
// file at p to f, if permitted. It skips capabilities, because the content is
// new.
func (t *tree) copyAttributes(f *os.File, p string) {
	old, err := t.root.OpenFile(p, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return
	}
	defer old.Close()
	from, to := int(old.Fd()), int(f.Fd())
	n, err := unix.Flistxattr(from, nil)
	if err != nil || n <= 0 {
		return
	}
	names := make([]byte, maxAttributes)
	if n, err = unix.Flistxattr(from, names); err != nil {
		return
	}
	value := make([]byte, maxAttributes)
	for name := range bytes.SplitSeq(names[:n], []byte{0}) {
		name := string(name)
		if !strings.HasPrefix(name, "user.") && name != "system.posix_acl_access" && name != "security.selinux" {
			continue
		}
		if n, err := unix.Fgetxattr(from, name, value); err == nil {
			_ = unix.Fsetxattr(to, name, value[:n], 0)
		}
	}
}
