// Package process runs programs that serve this one over their standard streams, such as
// MCP servers and language servers. Start reading at Start.
//
// On Unix each program has a supervisor (see package supervisor): on Linux none of its processes
// survives it or this program, however they end. On Windows the descendants of a program
// that exits by itself survive. A program gets exactly the environment that the caller
// names, and runs in a sandbox if the caller gives one.
package process

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/snapshot"
)

const (
	grace      = 2 * time.Second // default of Program.Grace
	killLimit  = 5 * time.Second // wait for killed processes to disappear
	drainLimit = time.Second     // wait for the rest of standard error

	// maxProcesses limits the processes and threads of a program where the system
	// supports it.
	maxProcesses = 4096
)

// ErrSandbox is the error of a program whose sandbox could not be set up.
var ErrSandbox = supervisor.ErrSandbox

// ErrNotUndoable is the error of a program that did not start because its Order.Strict cannot be
// met.
var ErrNotUndoable = supervisor.ErrStoreFailed

// Program is a program to start.
type Program struct {
	// Args are the name or path of the program and its arguments. A name without a
	// separator is searched in PATH of Env; a relative path is relative to Dir.
	Args []string
	Dir  string   // working directory
	Env  []string // the complete environment: "NAME=value"

	Sandbox *sandbox.Profile // nil means no sandbox
	// Snapshot says which files to keep while the program runs; nil for none. It needs a
	// sandbox.
	Snapshot *snapshot.Order
	// Grace is how long Close waits after the end of input, and again after SIGTERM; 0 means
	// two seconds.
	Grace time.Duration
	// Log gets standard error. If it is nil, the process has a log of its own.
	Log *Log
}

// Process is a started program. The caller closes it. Its methods are safe for concurrent
// use.
type Process struct {
	stdin  *os.File
	stdout *os.File
	log    *Log
	grace  time.Duration
	close  func() // ends all processes and waits

	running running
	done    chan struct{}
}

// Start starts a program. An error means that it does not run.
func Start(p Program) (*Process, error) {
	if len(p.Args) == 0 || p.Args[0] == "" {
		return nil, errors.New("there is no program to start")
	}
	if s, err := os.Stat(p.Dir); err != nil || !s.IsDir() {
		return nil, fmt.Errorf("the working directory %s does not exist", p.Dir)
	}
	path, err := find(p.Args[0], p.Dir, p.Env)
	if err != nil {
		return nil, err
	}
	s := &Process{log: p.Log, grace: cmp.Or(p.Grace, grace), done: make(chan struct{})}
	if s.log == nil {
		s.log = new(Log)
	}
	var theirs streams
	var stderr *os.File
	defer func() { closeAll(theirs.input, theirs.output, theirs.errors) }()
	if err := errors.Join(pipe(&theirs.input, &s.stdin), pipe(&s.stdout, &theirs.output), pipe(&stderr, &theirs.errors)); err != nil {
		closeAll(s.stdin, s.stdout, stderr)
		return nil, fmt.Errorf("create a pipe: %w", err)
	}
	if s.running, err = launch(p, path, theirs); err != nil {
		closeAll(s.stdin, s.stdout, stderr)
		return nil, err
	}
	s.close = sync.OnceFunc(s.end)
	go s.watch(stderr)
	return s, nil
}

// streams are the ends of the standard streams that the program uses.
type streams struct{ input, output, errors *os.File }

func pipe(r, w **os.File) (err error) {
	*r, *w, err = os.Pipe()
	return err
}

// closeAll closes files. Some may be nil.
func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close() // only an error for nil
	}
}

// watch keeps standard error until the program has exited, then ends the processes that
// it left.
func (s *Process) watch(stderr *os.File) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(s.log, stderr)
	}()
	<-s.running.exited()
	s.running.kill()
	if !within(s.running.done(), killLimit) {
		s.running.abandon()
		within(s.running.done(), killLimit)
	}
	if !within(drained, drainLimit) { // a process has escaped and holds the pipe
		_ = stderr.SetReadDeadline(time.Now())
	}
	stderr.Close()
	close(s.done)
}

// Stdin returns the standard input of the program. Closing it asks most servers to exit.
func (s *Process) Stdin() io.WriteCloser { return s.stdin }

// Stdout returns the standard output of the program. Reading ends with io.EOF when all
// processes of the program have exited, or with os.ErrClosed after Close.
func (s *Process) Stdout() io.Reader { return s.stdout }

// Log returns the log with the standard error of the program.
func (s *Process) Log() *Log { return s.log }

// Done returns a channel that is closed when all processes have exited and standard error
// is in the log.
func (s *Process) Done() <-chan struct{} { return s.done }

// ExitStatus returns the exit code, and a description such as "exit 1" or "killed by
// SIGSEGV". The code is -1 if a signal ended the program. Call it after Done is closed.
func (s *Process) ExitStatus() (code int, words string) { return s.running.status() }

// Memory returns the bytes of memory that the processes of the program use together,
// without memory that files back. It is 0 if that is unknown, as on systems other than
// Linux.
func (s *Process) Memory() int64 { return memory(s.running.parent()) }

// Close ends the program and waits: it closes the input, sends SIGTERM to all processes
// after Program.Grace, and kills them after the same time again.
func (s *Process) Close() { s.close() }

func (s *Process) end() {
	s.stdin.Close()
	if !within(s.running.exited(), s.grace) {
		s.running.terminate()
		if !within(s.running.exited(), s.grace) {
			s.running.kill()
		}
	}
	within(s.done, 3*killLimit)
	s.stdout.Close()
}

// Kill ends the program without giving it time, and waits.
func (s *Process) Kill() {
	s.running.kill()
	s.close()
}

// within waits until ch is closed, at most limit. It reports whether ch was closed.
func within(ch <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ch:
		return true
	case <-timer.C:
		return false
	}
}

// find returns the path of a program. It ignores relative directories in PATH, which may
// be in a repository.
func find(name, dir string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		return exec.LookPath(name)
	}
	if strings.ContainsAny(name, `/`+string(filepath.Separator)) {
		return exec.LookPath(filepath.Join(dir, name))
	}
	for _, d := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(d) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}

// variable returns the value of an environment variable; the last one counts.
func variable(env []string, name string) (value string) {
	for _, v := range env {
		n, rest, _ := strings.Cut(v, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			value = rest
		}
	}
	return value
}
