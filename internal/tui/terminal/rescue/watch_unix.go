//go:build linux || darwin

package rescue

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// Supported reports whether rescue processes are supported on this platform.
const Supported = true

// Run acts as the rescue process, and does not return, if this process was started
// as one. Otherwise it does nothing.
func Run() {
	dispatched = true
	var s syscall.Stat_t
	if len(os.Args) != 1 || os.Args[0] != Name || syscall.Fstat(ControlFD, &s) != nil || s.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return
	}
	watch()
	syscall.Exit(0)
}

// watch waits for the end of the program and restores the terminal if necessary.
func watch() {
	o, ok := receive()
	if !ok {
		return
	}
	b := make([]byte, 4<<10)
	n := read(b)
	if n > 0 && b[0] == ExitClean {
		return
	}
	if now, err := State(1); err == nil && bytes.Equal(now, o.Raw) {
		setState(1, o.Found)
	}
	write(1, o.Modes)
	if n == 0 { // the program was killed
		return
	}
	_ = os.MkdirAll(filepath.Dir(o.Report), 0o700)
	report, err := syscall.Open(o.Report, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o600)
	if err == nil {
		write(1, o.Say)
	}
	for ; n > 0; n = read(b) {
		write(report, string(b[:n]))
	}
}

// receive reads the order.
func receive() (Order, bool) {
	size := make([]byte, 4)
	if !fill(size) || binary.BigEndian.Uint32(size) > 1<<20 {
		return Order{}, false
	}
	b := make([]byte, binary.BigEndian.Uint32(size))
	if !fill(b) {
		return Order{}, false
	}
	return decode(b)
}

func fill(b []byte) bool {
	for len(b) > 0 {
		n := read(b)
		if n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// read reads from the pipe and returns the number of bytes, 0 at the end.
func read(b []byte) int {
	for {
		n, err := syscall.Read(ControlFD, b)
		if err != syscall.EINTR {
			return max(n, 0)
		}
	}
}

func write(fd int, s string) {
	for b := []byte(s); len(b) > 0; {
		n, err := syscall.Write(fd, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b = b[n:]
	}
}

// State returns the termios settings of the terminal at fd.
func State(fd int) ([]byte, error) {
	var t syscall.Termios
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), readState, uintptr(unsafe.Pointer(&t))); errno != 0 {
		return nil, errno
	}
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&t)), unsafe.Sizeof(t))), nil
}

func setState(fd int, state []byte) {
	var t syscall.Termios
	if uintptr(len(state)) == unsafe.Sizeof(t) {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&t)), unsafe.Sizeof(t)), state)
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), writeState, uintptr(unsafe.Pointer(&t)))
	}
}
