//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Namespaces are the open namespaces of a session; all are nil without any. IPC, for shared
// memory, semaphores and message queues, may be nil if the system does not permit it. Mounts is nil
// until Session.Mount.
type Namespaces struct{ User, Net, IPC, Mounts *os.File }

// Session holds the namespaces that commands share. The
// namespaces exist as long as the session or one of its processes does. Its
// methods are safe for concurrent use.
type Session struct {
	form Form

	mu         sync.Mutex
	opened     bool
	namespaces Namespaces
	overlays   map[Overlay]bool // those that are mounted
	files      uint64           // soft limit of open files of new processes
}

// NewSession returns a session of a form that Probe has reported. It creates
// nothing until the first command.
func NewSession(form Form) *Session { return &Session{form: form} }

// Form returns the form of the session.
func (s *Session) Form() Form { return s.form }

// open creates the namespaces if needed.
func (s *Session) open() (files uint64, n Namespaces, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened {
		return s.files, s.namespaces, nil
	}
	if s.form == Complete {
		text, found, err := ask(forNamespaces)
		if err != nil {
			return 0, Namespaces{}, err
		}
		if len(found) < 2 {
			closeAll(found)
			return 0, Namespaces{}, fmt.Errorf("create the namespaces of the sandbox: %s", text)
		}
		s.namespaces = Namespaces{User: found[0], Net: found[1]}
		if len(found) > 2 {
			s.namespaces.IPC = found[2]
		}
	}
	s.files = softLimit()
	s.opened = true
	return s.files, s.namespaces, nil
}

// softLimit returns the soft limit of open files that new processes get, or 0 if
// it is unknown. It asks a new process, because the Go runtime has raised the limit
// of this one.
func softLimit() uint64 {
	text, err := exec.Command("/bin/sh", "-c", "ulimit -S -n").Output()
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Close closes the namespaces. Running commands keep theirs; a later command
// opens new ones.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	closeAll(s.namespaces.Files())
	s.opened, s.namespaces, s.overlays = false, Namespaces{}, nil
}

// Files returns the open namespaces, in the order of the fields.
func (n Namespaces) Files() (files []*os.File) {
	for _, f := range []*os.File{n.User, n.Net, n.IPC, n.Mounts} {
		if f != nil {
			files = append(files, f)
		}
	}
	return files
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// Probe finds out which form works by running commands in it. It takes some 20
// ms. The result is valid until the next boot.
func Probe() Report {
	text, found, err := ask(forProbe)
	closeAll(found)
	if err != nil {
		return Report{Reason: err.Error()}
	}
	words := strings.SplitN(text, " ", 3)
	n, err := strconv.Atoi(words[0])
	if err != nil || len(words) < 3 {
		return Report{Reason: "the probe of the sandbox failed: " + text}
	}
	return Report{Form: Form(n), Notify: words[1] == "true", Reason: words[2]}
}

// Requests to a helper.
const (
	forNamespaces = "namespaces"
	forProbe      = "probe"
	forMounts     = "mounts"      // with overlays, a user namespace and, except for the first time, a mount namespace
	forTestMounts = "test mounts" // with overlays
)

// ready is the answer of a helper that has nothing else to say.
const ready = "ready"

// helperLimit is how long a helper may take on a busy machine.
const helperLimit = 20 * time.Second

// ask starts a helper, sends it a request with files, and returns its answer.
func ask(request string, files ...*os.File) (text string, found []*os.File, err error) {
	if !dispatched {
		return "", nil, errors.New("this program cannot start a sandbox: main does not call sandbox.Run")
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, err
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "helper")
	// In a session of its own, the keys of the terminal do not stop or interrupt it.
	helper := &exec.Cmd{Path: "/proc/self/exe", Args: []string{Name}, Env: []string{}, Dir: "/", ExtraFiles: []*os.File{theirs},
		SysProcAttr: &unix.SysProcAttr{Setsid: true}}
	err = helper.Start()
	theirs.Close()
	if err != nil {
		return "", nil, fmt.Errorf("start the helper of the sandbox: %w", err)
	}
	defer func() {
		_ = helper.Process.Kill()
		_ = helper.Wait()
	}()
	limit := unix.NsecToTimeval(helperLimit.Nanoseconds())
	if err := unix.SetsockoptTimeval(pair[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return "", nil, err
	}
	if err := send(pair[0], request, files); err != nil {
		return "", nil, fmt.Errorf("ask the helper of the sandbox: %w", err)
	}
	return receive(pair[0])
}

// send sends a text and files.
func send(socket int, text string, files []*os.File) error {
	var rights []byte
	if len(files) > 0 {
		var fds []int
		for _, f := range files {
			fds = append(fds, int(f.Fd()))
		}
		rights = unix.UnixRights(fds...)
	}
	return unix.Sendmsg(socket, []byte(text), rights, nil, 0)
}

// receive receives a text and the files that come with it.
func receive(socket int) (text string, found []*os.File, err error) {
	b, rights := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(3*4))
	n, nr, _, _, err := unix.Recvmsg(socket, b, rights, unix.MSG_CMSG_CLOEXEC)
	for err == unix.EINTR {
		n, nr, _, _, err = unix.Recvmsg(socket, b, rights, unix.MSG_CMSG_CLOEXEC)
	}
	if err == nil && n == 0 {
		err = errors.New("it ended without an answer")
	}
	if err != nil {
		return "", nil, fmt.Errorf("read the answer of the sandbox helper: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:nr])
	if err != nil {
		return "", nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return "", nil, err
		}
		for _, fd := range fds {
			found = append(found, os.NewFile(uintptr(fd), "namespace"))
		}
	}
	return string(b[:n]), found, nil
}
