//go:build !linux

package wire

import "syscall"

const canGather = false

func tellFrom(syscall.RawConn, int) bool { return false }

func readNow(syscall.RawConn, []byte) int { return 0 }
