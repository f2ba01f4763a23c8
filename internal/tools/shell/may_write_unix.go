//go:build unix

package shell

import "golang.org/x/sys/unix"

func mayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }
