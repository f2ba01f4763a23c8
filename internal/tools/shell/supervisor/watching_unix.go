//go:build unix

package supervisor

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/watch"
	"agent/internal/tools/snapshot"
)

// workers is how many file changes are kept at once.
const workers = 4

// watching is the part of a supervisor that answers the system calls of the command and keeps
// files. Its watcher is nil if there are none to keep.
type watching struct {
	strict   bool
	watcher  *watch.Watcher
	listener *sandbox.Listener
	problem  string // why no files are kept although there is an order, for the user

	mu       sync.Mutex
	attempts map[Attempt]bool // that are reported
}

// attempt reports an attempt once.
func (w *watching) attempt(kind AttemptKinds, target string) {
	a := Attempt{kind, target}
	w.mu.Lock()
	n := 0
	for known := range w.attempts {
		if known.Kind == kind {
			n++
		}
	}
	first := !w.attempts[a] && n < maxAttempts
	if first {
		w.attempts[a] = true
	}
	w.mu.Unlock()
	if first {
		reportText(Attempted, a.text())
	}
}

// newWatch opens the store of an order. It fails only if the order is strict.
func newWatch(o *snapshot.Order, open Open) (*watching, error) {
	w := &watching{attempts: map[Attempt]bool{}}
	if o == nil {
		return w, nil
	}
	w.strict = o.Strict
	err := errors.New("this program cannot keep files")
	var store snapshot.Store
	if open != nil {
		store, err = open(o.Store)
	}
	if err == nil && len(watch.Calls()) == 0 {
		err = errors.New("this system cannot report file changes")
	}
	if err != nil {
		w.problem = err.Error()
		if w.strict {
			return w, err
		}
		return w, nil
	}
	w.watcher = watch.New(*o, store, watch.Reports{
		Refused:   func(path, why string) { reportText(ChangeRefused, path+"\x00"+why) },
		Protected: func(path string) { reportText(Protected, path) },
		Settings:  func(path, settings string) { reportText(Settings, path+"\x00"+settings) },
		Created:   func(path string) { reportText(Created, path) },
		Denied:    func(path string) { w.attempt(Writes, path) },
		Repository: func(dir string, made bool) {
			if made {
				reportText(Made, dir)
			} else {
				reportText(Planted, dir)
			}
		},
	})
	return w, nil
}

// start starts the command of an order. If its system calls cannot be held, it starts
// without, unless the order is strict.
func (w *watching) start(o Order, sys *syscall.SysProcAttr) (pid int, err error) {
	if len(o.Sandbox) == 0 {
		return syscall.ForkExec(o.Args[0], o.Args, &syscall.ProcAttr{Env: o.Env, Files: []uintptr{Input, Output, Errors}, Sys: sys})
	}
	c := sandbox.Command{
		Args: o.Args, Env: o.Env, Input: Input, Output: Output, Errors: Errors, Cgroup: cgroupOf(sys), User: User, Net: Net, IPC: IPC, Mounts: Mounts,
	}
	c.Listen = true
	if w.watcher != nil {
		c.Held, c.NoAttributes = watch.Calls(), w.strict
	}
	pid, w.listener, err = sandbox.Start(o.Sandbox, c)
	if err == nil || w.watcher != nil && w.strict {
		return pid, err
	}
	c.Listen, c.Held, c.NoAttributes = false, nil, false
	pid, _, without := sandbox.Start(o.Sandbox, c)
	if without == nil && w.watcher != nil {
		w.watcher, w.problem = nil, fmt.Sprintf("this system cannot report file changes: %v", err)
	}
	return pid, without
}

// serve begins to answer the system calls of the command, and says which attempts it reports.
func (w *watching) serve() {
	if w.listener == nil {
		return
	}
	var seen AttemptKinds
	if w.listener.SeesConnections() {
		seen = Connect | Lookup
	}
	if w.watcher != nil {
		seen |= Writes
	}
	report(Attempts, uint32(seen))
	w.listener.Connects = func(address string, lookup bool) {
		if lookup {
			w.attempt(Lookup, address)
		} else {
			w.attempt(Connect, address)
		}
	}
	switch {
	case w.watcher != nil:
		w.listener.Serve(workers, func() func(*sandbox.Notification) { return w.watcher.Worker(w.listener) })
	default:
		w.listener.Serve(1, func() func(*sandbox.Notification) { return w.listener.Continue })
	}
}

// newTurn begins a new turn.
func (w *watching) newTurn() {
	if w.watcher != nil {
		w.watcher.NewTurn(descendants)
	}
}

// report sends the reports about kept files.
func (w *watching) report() {
	if w.watcher != nil {
		w.watcher.End()
		report(Touched, uint32(w.watcher.Touched()))
		w.problem = w.watcher.Problem()
	}
	if w.problem != "" {
		reportText(NotRecorded, w.problem)
	}
}
