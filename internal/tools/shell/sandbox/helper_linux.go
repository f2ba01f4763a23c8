//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// socket is the descriptor on which a helper gets its request.
const socket = 3

// dispatched is set by Run. A program that does not call Run must not start
// itself as a helper.
var dispatched bool

// Run turns this process into a helper if it was started as one, and then does
// not return. The program itself cannot do the work of a helper: it is not
// dumpable, to protect its memory, and only a dumpable process can map the users
// of a namespace.
func Run() {
	dispatched = true
	var s unix.Stat_t
	if len(os.Args) != 1 || os.Args[0] != Name || unix.Fstat(socket, &s) != nil || s.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return
	}
	runtime.LockOSThread() // children die with the thread that has started them
	unix.CloseOnExec(socket)
	help()
	syscall.Exit(0)
}

// help answers one request.
func help() {
	request, files, err := receive(socket)
	if err != nil {
		return
	}
	words := strings.Split(request, "\x00")
	text, answer := ready, []*os.File(nil)
	switch words[0] {
	case forNamespaces:
		var n Namespaces
		n, err = createNamespaces()
		answer = n.Files()
	case forProbe:
		r := probe()
		text = fmt.Sprintf("%d %t %s", r.Form, r.Notify, r.Reason)
	case forMounts:
		var in *os.File
		files = append(files, nil) // for the first time
		text, in, err = mountOverlays(files[0], files[1], overlaysOf(words[1:]))
		answer = []*os.File{in}
	case forTestMounts:
		var n Namespaces
		if n, err = createNamespaces(); err == nil {
			text, _, err = mountOverlays(n.User, nil, overlaysOf(words[1:]))
		}
	}
	if err != nil {
		text, answer = err.Error(), nil
	}
	_ = send(socket, text, answer)
}

// paused runs the steps of a process that ends with steps.pause. Meanwhile it calls inspect with the n
// bytes that the process has said before.
func paused(n int, list func(ready, hold int) *steps, inspect func(pid int, said string) error) error {
	hold, ready, status := make([]int, 2), make([]int, 2), make([]int, 2)
	for _, p := range [][]int{hold, ready, status} {
		if err := unix.Pipe2(p, unix.O_CLOEXEC); err != nil {
			return err
		}
		defer unix.Close(p[0])
	}
	defer unix.Close(hold[1])
	s := list(ready[1], hold[0])
	pid, err := s.start(status[1], -1)
	unix.Close(status[1])
	unix.Close(ready[1])
	if err != nil {
		return err
	}
	defer func() {
		_ = unix.Kill(pid, unix.SIGKILL)
		await(pid)
	}()
	said := make([]byte, n+1)
	for rest := said; len(rest) > 0; {
		n, err := unix.Read(ready[0], rest)
		if err == unix.EINTR {
			continue
		}
		if n < 1 {
			return cmp.Or(s.failure(status[0]), errors.New("a process that sets up the sandbox ended"))
		}
		rest = rest[n:]
	}
	return inspect(pid, string(said[:n]))
}

// begin makes the process end with the one that started it.
func (s *steps) begin() {
	s.add(preparing, unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	s.add(preparing, unix.SYS_GETPPID)
}

// say writes a byte to a descriptor.
func (s *steps) say(fd int, b *byte) {
	s.add(preparing, unix.SYS_WRITE, uintptr(fd), pointer(s, b), 1)
}

// pause says that all steps were executed, and waits until hold is closed.
func (s *steps) pause(ready, hold int) {
	s.say(ready, new(byte))
	s.add(preparing, unix.SYS_READ, uintptr(hold), pointer(s, new(byte)), 1)
}

// createNamespaces creates a user namespace, a network namespace in which the loopback
// interface is up, and an IPC namespace if the system permits it.
func createNamespaces() (n Namespaces, err error) {
	err = paused(0, namespaceSteps, func(pid int, _ string) error {
		dir := "/proc/" + strconv.Itoa(pid) + "/ns/"
		if n.User, err = os.Open(dir + "user"); err != nil {
			return err
		}
		n.Net, err = os.Open(dir + "net")
		if err != nil {
			return err
		}
		own, err := os.Readlink("/proc/self/ns/ipc")
		its, e := os.Readlink(dir + "ipc")
		if err == nil && e == nil && its != own {
			n.IPC, _ = os.Open(dir + "ipc") // without it, its system calls are refused
		}
		return nil
	})
	if err != nil {
		closeAll(n.Files())
		return Namespaces{}, err
	}
	return n, nil
}

// namespaceSteps returns the system calls of the process that creates the namespaces: see paused.
func namespaceSteps(ready, hold int) *steps {
	s := new(steps)
	s.begin()
	s.add(joining, unix.SYS_UNSHARE, unix.CLONE_NEWUSER|unix.CLONE_NEWNET)
	s.add(joining, unix.SYS_UNSHARE, unix.CLONE_NEWIPC).skip = 0
	for _, file := range []struct{ name, text string }{
		{"setgroups", "deny"},
		{"uid_map", fmt.Sprintf("%d %d 1", os.Geteuid(), os.Geteuid())},
		{"gid_map", fmt.Sprintf("%d %d 1", os.Getegid(), os.Getegid())},
	} {
		fd := new(int32)
		s.add(joining, unix.SYS_OPENAT, here, s.text("/proc/self/"+file.name), unix.O_WRONLY|unix.O_CLOEXEC, 0).save = fd
		s.add(joining, unix.SYS_WRITE, 0, s.text(file.text), uintptr(len(file.text))).load = fd
	}
	up := new(struct {
		name  [unix.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	})
	copy(up.name[:], "lo")
	up.flags = unix.IFF_UP | unix.IFF_RUNNING
	fd := new(int32)
	s.add(joining, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0).save = fd
	s.add(joining, unix.SYS_IOCTL, 0, unix.SIOCSIFFLAGS, pointer(s, up)).load = fd
	s.pause(ready, hold)
	return s
}

// probe runs a trial command in the form Complete and, if that fails, in the form
// WritesOnly.
func probe() Report {
	n, err := createNamespaces()
	if err == nil {
		notify, e := tryForm(Complete, n)
		if e == nil {
			r := Report{Form: Complete, Notify: notify}
			if landlockVersion() < withScopes {
				r.Reason = "before Linux 6.12, commands can send signals to all programs of the user"
			}
			return r
		}
		err = e
	}
	reason := fmt.Sprintf("namespaces are not available (%v)", err)
	notify, err := tryForm(WritesOnly, Namespaces{})
	if err != nil {
		return Report{Reason: fmt.Sprintf("%s, and neither is Landlock (%v)", reason, err)}
	}
	return Report{Form: WritesOnly, Reason: reason, Notify: notify}
}

// tryForm runs a trial command in a form. It also finds out whether system calls can be
// held.
func tryForm(form Form, n Namespaces) (notify bool, err error) {
	if try(form, n, true) == nil {
		return true, nil
	}
	return false, try(form, n, false)
}

// trial exits with 0 if it can write to the writable paths, and cannot write elsewhere
// or see hidden files.
const trial = `cd "$1" && echo >in/new && echo >/dev/null || exit 10
if { echo >out/new; } 2>/dev/null; then exit 11; fi
if [ "$2" ] && { echo >in/fixed/new; } 2>/dev/null; then exit 12; fi
if [ "$2" ] && [ -e in/private/file ]; then exit 13; fi
exit 0`

// try runs a trial command in a form. If notify is set, its first system call to change
// the directory is held, and its argument and its process are read.
func try(form Form, n Namespaces, notify bool) error {
	dir, err := os.MkdirTemp("", "agent-sandbox-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in")
	for _, d := range []string{in, filepath.Join(in, "fixed"), filepath.Join(in, "private"), filepath.Join(dir, "out")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(in, "private", "file"), nil, 0o600); err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	full, ipc := "", "-"
	c := Command{Input: int(null.Fd()), Output: int(null.Fd()), Errors: int(null.Fd()), Cgroup: -1, User: -1, Net: -1, IPC: -1}
	if form == Complete {
		full, c.User, c.Net = "full", int(n.User.Fd()), int(n.Net.Fd())
	}
	if n.IPC != nil {
		ipc, c.IPC = withIPC, int(n.IPC.Fd())
	}
	c.Args = []string{"/bin/sh", "-c", trial, "sh", dir, full}
	if notify {
		c.Listen, c.Held = true, []Held{{Number: unix.SYS_CHDIR}}
	}
	pid, l, err := Start([]string{strconv.Itoa(int(form)), "0", "-", ipc, "w" + in, "x" + filepath.Join(in, "fixed"), "y" + filepath.Join(in, "private")}, c)
	if err != nil {
		return err
	}
	if l != nil {
		err := l.see(dir)
		l.Close()
		if err != nil {
			_ = unix.Kill(pid, unix.SIGKILL)
			await(pid)
			return err
		}
	}
	var status unix.WaitStatus
	for _, err = unix.Wait4(pid, &status, 0, nil); err == unix.EINTR; {
		_, err = unix.Wait4(pid, &status, 0, nil)
	}
	switch {
	case err != nil:
		return err
	case !status.Exited() || status.ExitStatus() != 0:
		return fmt.Errorf("a trial command ended with status %#x", int(status))
	}
	return nil
}

// see receives the system call that a trial command begins with, and compares the path in
// its argument.
func (l *Listener) see(path string) error {
	poll := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}
	_, err := unix.Poll(poll, int(helperLimit.Milliseconds()/4))
	for err == unix.EINTR { // by a signal of the runtime
		_, err = unix.Poll(poll, int(helperLimit.Milliseconds()/4))
	}
	if err != nil || poll[0].Revents&unix.POLLIN == 0 {
		return errors.New("the filter holds no system call")
	}
	call, ok := l.Receive()
	if !ok {
		return errors.New("a system call that the filter holds cannot be received")
	}
	got, err := call.Text(0)
	if err == nil && got != path {
		err = fmt.Errorf("a system call has the path %q instead of %q", got, path)
	}
	if err != nil {
		return err
	}
	if _, err := os.Readlink("/proc/" + strconv.Itoa(int(call.Thread)) + "/cwd"); err != nil {
		return err
	}
	l.Continue(&call)
	return nil
}
