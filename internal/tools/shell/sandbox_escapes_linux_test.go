package shell_test

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// tryEscape makes the test binary try what its argument names. It prints "escaped" if
// that succeeds.
func tryEscape(what string) {
	verb, arg, _ := strings.Cut(what, " ")
	var err error
	switch verb {
	case "mptcp":
		const protocol = 262 // IPPROTO_MPTCP
		err = connect(unix.SOCK_STREAM, protocol, arg)
	case "udp":
		if err = connect(unix.SOCK_DGRAM, 0, arg); err == nil {
			var conn net.Conn
			if conn, err = net.Dial("udp", arg); err == nil {
				_, _ = conn.Write([]byte("leaked"))
				err = unix.ECONNREFUSED // the listener reports what it gets
			}
		}
	case "mount":
		err = unix.Mount("none", ".", "tmpfs", 0, "")
	case "chown":
		err = unix.Chown(arg, os.Getuid(), os.Getgid())
	case "chmod":
		err = unix.Chmod(arg, 0o777)
	case "xattr":
		err = unix.Setxattr(arg, "user.planted", []byte("x"), 0)
	case "open-by-handle":
		var h unix.FileHandle
		h, _, err = unix.NameToHandleAt(unix.AT_FDCWD, arg, 0)
		if err == nil {
			_, err = unix.OpenByHandleAt(unix.AT_FDCWD, h, unix.O_WRONLY)
		}
	case "call":
		err = call(arg)
	default:
		err = fmt.Errorf("%q is unknown", what)
	}
	if err == nil {
		fmt.Println("escaped")
	} else {
		fmt.Println("refused:", err)
	}
}

// connect opens a socket and connects it to an IPv4 address.
func connect(kind, protocol int, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()})
}

// call makes a system call that gives a process more than files.
func call(name string) error {
	var errno unix.Errno
	switch name {
	case "io_uring":
		var params [120]byte
		_, _, errno = unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params[0])), 0)
	case "ptrace":
		const seize = 0x4206
		_, _, errno = unix.Syscall6(unix.SYS_PTRACE, seize, uintptr(os.Getppid()), 0, 0, 0, 0)
	case "userns":
		_, _, errno = unix.Syscall(unix.SYS_UNSHARE, unix.CLONE_NEWUSER, 0, 0)
	case "netns":
		_, _, errno = unix.Syscall(unix.SYS_UNSHARE, unix.CLONE_NEWUSER|unix.CLONE_NEWNET, 0, 0)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// TestNamedEscapes tries the ways out of a sandbox that are known from other programs,
// and reports each of them under its name.
func TestNamedEscapes(t *testing.T) {
	c := confine(t)
	for file, text := range map[string]string{".git/hooks/old": "", ".git/config": ""} {
		write(t, filepath.Join(c.dir, file), text)
	}
	for _, file := range []string{".ssh/id", ".config/agent/config.json"} {
		write(t, filepath.Join(c.outside, file), "private\n")
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	go greet(tcp, "escaped")
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	abstract, err := net.Listen("unix", fmt.Sprintf("@agent-escape-%d", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	go greet(abstract, "escaped")
	named, err := net.Listen("unix", filepath.Join(c.outside, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer named.Close()
	go greet(named, "escaped")
	c.profile.ReadOnly = []string{filepath.Join(c.dir, ".git/hooks")}
	c.profile.Hide = []string{filepath.Join(c.outside, ".ssh"), named.Addr().String()}

	before := c.state()
	try := func(what string) string { return probeLine(t, "escape "+what) }
	dial := func(network string, a net.Addr) string { return probeLine(t, "fetch "+network+"="+a.String()) }
	for _, e := range []struct{ name, line string }{
		{"write outside", "echo >OUTSIDE/new && echo escaped; echo >../new && echo escaped"},
		{"write a git hook", "echo >.git/hooks/pre-commit && echo escaped; mv .git/hooks h && echo escaped; ln -sfT /tmp .git/hooks && echo escaped"},
		{"write the program's own configuration", "echo {} >OUTSIDE/.config/agent/config.json && echo escaped; rm -r OUTSIDE/.config && echo escaped"},
		{"read ~/.ssh", "cat OUTSIDE/.ssh/id && echo escaped; ls OUTSIDE/.ssh | grep . && echo escaped; ln -s OUTSIDE/.ssh k; cat k/id && echo escaped"},
		{"reach a server of the host over TCP", dial("tcp", tcp.Addr()) + "; (exec 3<>/dev/tcp/" + strings.ReplaceAll(tcp.Addr().String(), ":", "/") + ") && echo escaped"},
		{"reach that server over MPTCP", try("mptcp " + tcp.Addr().String())},
		{"send UDP to the host", try("udp "+udp.LocalAddr().String()) + "; (echo x >/dev/udp/" + strings.ReplaceAll(udp.LocalAddr().String(), ":", "/") + "); true"},
		{"connect to a hidden Unix socket", dial("unix", named.Addr())},
		{"connect to an abstract socket", dial("unix", abstract.Addr())},
		{"io_uring", try("call io_uring")},
		{"ptrace", try("call ptrace")},
		{"chmod, chown and extended attributes", try("chmod "+c.outside+"/file") + "; " + try("xattr "+c.outside+"/file") + "; chmod 777 OUTSIDE/file && echo escaped; chown 1:1 OUTSIDE/file && echo escaped; touch OUTSIDE/file && echo escaped"},
		{"mount", try("mount") + "; mount -o remount,rw / && echo escaped; umount .git/hooks && echo escaped"},
		{"create a user namespace", try("call userns") + "; " + try("call netns") + "; unshare -Ur true && echo escaped"},
		{"/proc/PID/root", "for p in /proc/[0-9]*; do [ $p = /proc/$$ ] || { echo >$p/root/OUTSIDE/new; } && [ -e OUTSIDE/new ] && echo escaped; done"},
		{"kill the parent process", "kill -KILL $PPID && echo escaped; kill -STOP $PPID && echo escaped; kill -0 1 && echo escaped"},
		{"open a file by its handle", try("open-by-handle " + c.outside + "/file")},
	} {
		t.Run(e.name, func(t *testing.T) {
			if e.name == "kill the parent process" && !scopesSignals() {
				t.Skip("this kernel's Landlock does not restrict signals")
			}
			escaped := 0
			if r := c.run(e.line); strings.Contains(r.Output, "escaped\n") || strings.Contains(r.Output, "is unknown") {
				escaped++
				t.Errorf("%s", r.Output)
			}
			if d := cmp.Diff(c.state(), before); d != "" {
				escaped++
				t.Errorf("changed: got (-), want (+):\n%s", d)
			}
			if n := waiting(t, udp); n > 0 {
				escaped++
				t.Errorf("the host got %d bytes", n)
			}
			t.Attr("promise", fmt.Sprintf("escape from the sandbox: %s: succeeded: %d", e.name, escaped))
		})
	}
}

// waiting returns the number of bytes that a socket has received and nobody has read.
func waiting(t *testing.T, conn net.PacketConn) (n int) {
	t.Helper()
	raw, err := conn.(*net.UDPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if e := raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }); e != nil || err != nil {
		t.Fatal(e, err)
	}
	return n
}

// The attempts of TestNamedEscapes succeed outside the sandbox, as far as the user
// may do them there.
func TestEscapesSucceedWithoutASandbox(t *testing.T) {
	c := confine(t)
	c.profile.Session = nil
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	go greet(tcp, "escaped")
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	for _, line := range []string{
		"echo >OUTSIDE/new && echo escaped", "chmod 777 OUTSIDE/file && echo escaped", probeLine(t, "fetch tcp="+tcp.Addr().String()), probeLine(t, "escape chmod "+c.outside+"/file"),
	} {
		if r := c.run(line); !strings.Contains(r.Output, "escaped\n") {
			t.Errorf("%s does not work outside the sandbox either: %s", line, r.Output)
		}
	}
	c.run(probeLine(t, "escape udp "+udp.LocalAddr().String()))
	if waiting(t, udp) == 0 {
		t.Error("UDP does not reach the host outside the sandbox either")
	}
}
