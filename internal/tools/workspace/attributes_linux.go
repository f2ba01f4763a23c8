package workspace

import (
	"bytes"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttributes is the size in bytes that the kernel allows for the names of a
// file's extended attributes, and for the value of one.
const maxAttributes = 64 << 10

// keepAttributes gives f the extended attributes and the access list of the
// file at p, as far as that is allowed. Capabilities are not kept: they were
// given to another content.
func (t *tree) keepAttributes(f *os.File, p string) {
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
