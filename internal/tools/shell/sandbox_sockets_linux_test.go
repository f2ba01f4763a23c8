package shell_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"agent/internal/sampling"
	"agent/internal/tools/shell"
)

// socketPlaces returns a socket of this process in each of several directories, of which
// the sandbox hides none and can write some, and a counter of the connections to them.
func socketPlaces(t *testing.T, c confined) (paths []string, connections *atomic.Int32) {
	t.Helper()
	connections = new(atomic.Int32)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for _, top := range []string{c.dir, home, filepath.Join(home, ".cache"), filepath.Join(c.dir, "tmp"), c.outside, "/run", "/var/tmp", "/tmp"} {
		dir, err := os.MkdirTemp(top, "sock")
		if err != nil {
			t.Log("no directory for a socket: ", err)
			continue
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		path := filepath.Join(dir, "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		for _, err := range []error{os.Chmod(dir, 0o755), os.Chmod(path, 0o777)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, path)
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				connections.Add(1)
				fmt.Fprintln(conn, "escaped")
				conn.Close()
			}
		}()
	}
	return paths, connections
}

// A command reaches no socket that a program outside the sandbox has bound, wherever it
// is and however the path is written.
func TestUnixSocketsOfOthersAreRefused(t *testing.T) {
	c := confine(t)
	paths, connections := socketPlaces(t, c)
	home, _ := os.UserHomeDir()
	times := swaps()
	for _, profile := range []string{"approved", "network", "private"} {
		c.profile.Network, c.profile.NoHome, c.profile.Home = profile == "network", profile == "private", home
		for _, path := range paths {
			if got := c.probe("fetch unix=" + path); !strings.Contains(got, "permission denied") && profile != "private" || strings.Contains(got, "escaped") {
				t.Errorf("%s: %s: %s", profile, path, got)
			}
		}
		forms := "cd " + filepath.Dir(paths[0]) + "; ln -sf $PWD/s " + c.dir + "/link\n" +
			probeLine(t, "fetch unix=s") + "\n" + probeLine(t, "fetch unix="+c.dir+"/link") + "\n" +
			probeLine(t, "fetch unix=../"+filepath.Base(filepath.Dir(paths[0]))+"/s") + "\n" + probeLine(t, "fetch unix=/proc/self/cwd/s")
		if got := c.run(forms).Output; strings.Contains(got, "escaped") || strings.Count(got, "\n") != 4 {
			t.Errorf("%s: %s", profile, got)
		}
		if got := c.probe("swap " + times + " " + paths[0]); got != "0 of "+times+"\n" {
			t.Errorf("%s: the address was swapped: %s", profile, got)
		}
	}
	escaped := connections.Load()
	if escaped > 0 {
		t.Errorf("%d connections arrived", escaped)
	}
	c.profile.Session = nil
	if got := c.probe("fetch unix=" + paths[0]); !strings.Contains(got, "escaped") {
		t.Errorf("the connection does not work outside the sandbox either: %s", got)
	}
	t.Attr("promise", fmt.Sprintf("escape from the sandbox: connect to Unix sockets of other programs at 8 places: succeeded: %d", escaped))
}

// The SSH agent is a socket that a command with the network may use.
func TestUnixSocketOfTheProfile(t *testing.T) {
	c := confine(t)
	paths, _ := socketPlaces(t, c)
	c.profile.Show = paths[:1]
	if got := c.probe("fetch unix=" + paths[0]); strings.Contains(got, "escaped") {
		t.Errorf("without network: %s", got)
	}
	c.profile.Network = true
	same(t, c.probe("fetch unix="+paths[0]), "escaped\n<nil>\n")
	if got := c.probe("fetch unix=" + paths[1]); strings.Contains(got, "escaped") {
		t.Errorf("another socket: %s", got)
	}
}

// Programs in the sandbox use sockets of their own as they do outside.
func TestUnixSocketsOfTheSessionWork(t *testing.T) {
	c := confine(t)
	want := `stream hello
blocking hello
relative hello
link hello
full path hello
seqpacket hello
abstract hello
descriptor hello
pair hello
missing ENOENT
stale ECONNREFUSED
file ECONNREFUSED
no socket ENOTSOCK
bad address EFAULT
short EINVAL
`
	refused := "datagram EACCES\ndatagram pair EACCES\n"
	same(t, c.probe("sockets "+c.dir), want+refused)
	c.profile.Network = true
	same(t, c.probe("sockets "+c.dir), want+refused)
	c.profile.Network = false

	job, err := shell.Start(shell.Command{
		Line: probeLine(t, "listen "+filepath.Join(c.dir, "job")), Dir: c.dir, Env: os.Environ(), Limits: shell.Limits{Sandbox: &c.profile},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer job.Finish()
	c.run("until [ -e job.ready ]; do sleep 0.01; done")
	same(t, c.probe("fetch unix="+filepath.Join(c.dir, "job")), "hello\n<nil>\n")
	c.profile.Network = true
	same(t, c.probe("fetch unix="+filepath.Join(c.dir, "job")), "hello\n<nil>\n")
}

// A socket of the session can be connected to although a connection that it accepted has
// the same path and is open in no process.
func TestUnixSocketsOfTheSessionAfterAccept(t *testing.T) {
	c := confine(t)
	for _, network := range []bool{false, true} {
		c.profile.Network = network
		same(t, c.probe("accepted "+filepath.Join(c.dir, "s")), "<nil>\n<nil>\n")
	}
}

// tryAccepted connects twice to a socket at a path. The first connection that the socket
// accepts is in a message when the second one is made.
func tryAccepted(path string) {
	_ = os.Remove(path)
	at := &unix.SockaddrUnix{Name: path}
	server, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	_ = unix.Bind(server, at)
	_ = unix.Listen(server, 5)
	connect := func() {
		client, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		fmt.Println(unix.Connect(client, at))
	}
	connect()
	accepted, _, _ := unix.Accept(server)
	pair, _ := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	_ = unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(accepted), nil, 0)
	unix.Close(accepted)
	connect()
}

// tryListen answers connections to a socket at a path.
func tryListen(path string) {
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.WriteFile(path+".ready", nil, 0o600)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	greet(l, "hello")
}

// trySockets prints what becomes of different sockets and addresses in a directory.
func trySockets(dir string) {
	_ = os.Chdir(dir)
	listen := func(kind int, path string) {
		_ = os.Remove(path)
		fd, err := unix.Socket(unix.AF_UNIX, kind, 0)
		if err == nil {
			err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
		}
		if err == nil {
			err = unix.Listen(fd, 5)
		}
		if err != nil {
			fmt.Println(path, err)
			return
		}
		go func() {
			for {
				conn, _, err := unix.Accept(fd)
				if err != nil {
					return
				}
				null, _ := os.Open(os.DevNull)
				_ = unix.Sendmsg(conn, []byte("hello"), unix.UnixRights(int(null.Fd())), nil, 0)
				unix.Close(conn)
			}
		}()
	}
	fetch := func(name string, kind int, to unix.Sockaddr) {
		fd, err := unix.Socket(unix.AF_UNIX, kind, 0)
		if err == nil {
			err = unix.Connect(fd, to)
		}
		text := make([]byte, 16)
		n := 0
		if err == nil {
			n, err = unix.Read(fd, text)
		}
		if err != nil {
			text, n = []byte(unix.ErrnoName(err.(unix.Errno))), len(unix.ErrnoName(err.(unix.Errno)))
		}
		fmt.Println(name, string(text[:n]))
	}
	at := func(path string) *unix.SockaddrUnix { return &unix.SockaddrUnix{Name: path} }
	listen(unix.SOCK_STREAM, dir+"/s")
	listen(unix.SOCK_SEQPACKET, dir+"/q")
	listen(unix.SOCK_STREAM, fmt.Sprintf("@agent-sockets-%d", os.Getpid()))
	if conn, err := net.Dial("unix", dir+"/s"); err != nil {
		fmt.Println("stream", err)
	} else {
		text, _ := io.ReadAll(conn)
		fmt.Println("stream", string(text))
	}
	fetch("blocking", unix.SOCK_STREAM, at(dir+"/s"))
	fetch("relative", unix.SOCK_STREAM, at("s"))
	_ = os.Remove("l")
	_ = os.Symlink("s", "l")
	fetch("link", unix.SOCK_STREAM, at("./l"))
	fetchFull()
	fetch("seqpacket", unix.SOCK_SEQPACKET, at("q"))
	fetch("abstract", unix.SOCK_STREAM, at(fmt.Sprintf("@agent-sockets-%d", os.Getpid())))
	if conn, err := net.Dial("unix", "s"); err == nil {
		rights := make([]byte, 64)
		text := make([]byte, 16)
		n, got, _, _, err := conn.(*net.UnixConn).ReadMsgUnix(text, rights)
		if err != nil || got == 0 {
			fmt.Println("no descriptor arrived", err)
		}
		fmt.Println("descriptor", string(text[:n]))
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		_, _ = unix.Write(pair[0], []byte("hello"))
		text := make([]byte, 5)
		_, err = unix.Read(pair[1], text)
		fmt.Println("pair", string(text))
	}
	if err != nil {
		fmt.Println("pair", err)
	}
	fetch("missing", unix.SOCK_STREAM, at("none"))
	stale, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	_ = os.Remove("stale")
	_ = unix.Bind(stale, at("stale"))
	unix.Close(stale)
	fetch("stale", unix.SOCK_STREAM, at("stale"))
	_ = os.WriteFile("plain", nil, 0o600)
	fetch("file", unix.SOCK_STREAM, at("plain"))
	connect := func(name string, fd int, address unsafe.Pointer, size int) {
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(address), uintptr(size))
		fmt.Println(name, unix.ErrnoName(errno))
	}
	raw := &unix.RawSockaddrUnix{Family: unix.AF_UNIX, Path: [108]int8{'s'}}
	connect("no socket", 1, unsafe.Pointer(raw), 4)
	fd, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	connect("bad address", fd, nil, 4)
	connect("short", fd, unsafe.Pointer(raw), 2)
	_, err = unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	fmt.Println("datagram", unix.ErrnoName(err.(unix.Errno)))
	_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_RAW, 0)
	fmt.Println("datagram pair", unix.ErrnoName(err.(unix.Errno)))
}

// fetchFull uses an address without a zero byte at its end.
func fetchFull() {
	raw := &unix.RawSockaddrUnix{Family: unix.AF_UNIX}
	for i := range raw.Path {
		raw.Path[i] = 'f'
	}
	_ = os.Remove(strings.Repeat("f", len(raw.Path)))
	var errnos []unix.Errno
	call := func(number uintptr, args ...uintptr) int {
		n, _, errno := unix.Syscall(number, args[0], args[1], args[2])
		errnos = append(errnos, errno)
		return int(n)
	}
	at := uintptr(unsafe.Pointer(raw))
	server, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	client, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	call(unix.SYS_BIND, uintptr(server), at, unix.SizeofSockaddrUnix)
	call(unix.SYS_LISTEN, uintptr(server), 1, 0)
	call(unix.SYS_CONNECT, uintptr(client), at, unix.SizeofSockaddrUnix)
	text := fmt.Append(nil, errnos)
	if errnos[2] == 0 {
		conn := call(unix.SYS_ACCEPT, uintptr(server), 0, 0)
		_, _ = unix.Write(conn, []byte("hello"))
		_, _ = unix.Read(client, text[:5])
		text = text[:5]
	}
	fmt.Println("full path", string(text))
}

// swaps returns how often a test swaps the address of a connection.
func swaps() string {
	if sampling.Whole() {
		return "2000"
	}
	return "200"
}

// trySwap connects to a socket of its own while another thread changes the address in
// memory to that of a given socket, as often as the argument says before the path. It prints
// how often the given one answered.
func trySwap(arg string) {
	count, other, _ := strings.Cut(arg, " ")
	times, _ := strconv.Atoi(count)
	dir, err := os.MkdirTemp(".", "s")
	if err != nil {
		dir, err = os.MkdirTemp("", "s")
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	own := filepath.Join(dir, "s")
	l, err := net.Listen("unix", own)
	if err != nil {
		fmt.Println(err)
		return
	}
	go greet(l, "own")
	address := new(unix.RawSockaddrUnix)
	address.Family = unix.AF_UNIX
	set := func(path string) {
		for i := range address.Path {
			c := byte(0)
			if i < len(path) {
				c = path[i]
			}
			address.Path[i] = int8(c)
		}
	}
	go func() {
		for {
			set(own)
			set(other)
		}
	}()
	escaped := 0
	until := time.Now().Add(20 * time.Second)
	for range times {
		if time.Now().After(until) {
			break
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		text := make([]byte, 16)
		if _, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(address)), unix.SizeofSockaddrUnix); errno == 0 {
			if n, _ := unix.Read(fd, text); strings.Contains(string(text[:n]), "escaped") {
				escaped++
			}
		}
		unix.Close(fd)
	}
	fmt.Printf("%d of %d\n", escaped, times)
}
