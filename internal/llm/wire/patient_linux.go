package wire

import "syscall"

const canGather = true

// tellFrom has the system tell of what came on a connection once it is n bytes,
// or an end. It reports whether it does.
func tellFrom(conn syscall.RawConn, n int) bool {
	var fault error
	err := conn.Control(func(fd uintptr) {
		fault = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, n)
	})
	return err == nil && fault == nil
}

// readNow reads what is there, without waiting for it.
func readNow(conn syscall.RawConn, b []byte) (n int) {
	_ = conn.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), b)
		return true
	})
	return n
}
