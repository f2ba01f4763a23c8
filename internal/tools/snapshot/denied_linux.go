package snapshot

import (
	"encoding/binary"
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// The format of the extended attribute that holds an access control list.
const (
	aclAttribute = "system.posix_acl_access"
	aclHeader    = 4 // bytes
	aclEntry     = 8 // bytes: tag, permissions and ID
	aclGroup     = 4 // the tag of the permissions of the group
	aclMask      = 0x10
)

// groupBits are the permission bits of the group.
const groupBits = 0o070

// Denied returns the State.Denied of a file or directory of root, which need not be readable.
func Denied(root *os.Root, at string) uint32 {
	dir, err := root.Open(path.Dir(at))
	if err != nil {
		return 0
	}
	defer dir.Close()
	return denied(func(list []byte) (int, error) {
		return unix.Lgetxattr(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), path.Base(at)), aclAttribute, list)
	})
}

// DeniedAt returns the State.Denied of a file at an absolute path without links.
func DeniedAt(at string) uint32 {
	return denied(func(list []byte) (int, error) { return unix.Lgetxattr(at, aclAttribute, list) })
}

// DeniedOf returns the State.Denied of an open file or directory.
func DeniedOf(fd int) uint32 {
	return denied(func(list []byte) (int, error) { return unix.Fgetxattr(fd, aclAttribute, list) })
}

// denied returns what the access control list denies that read returns. If it is too long to
// examine, that is everything.
func denied(read func(list []byte) (int, error)) uint32 {
	var list [4096]byte
	n, err := read(list[:])
	switch {
	case err == unix.ERANGE:
		return groupBits
	case err != nil:
		return 0
	}
	var group uint32
	masked := false
	for at := aclHeader; at+aclEntry <= n; at += aclEntry {
		switch binary.LittleEndian.Uint16(list[at:]) {
		case aclGroup:
			group = uint32(binary.LittleEndian.Uint16(list[at+2:]))
		case aclMask:
			masked = true
		}
	}
	if !masked {
		return 0
	}
	return groupBits &^ (group << 3)
}
