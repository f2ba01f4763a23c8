// Package watch keeps what a command is about to change, so that the change can be
// undone. It runs in the keeper of the command. The filter of the command's sandbox holds
// each system call that changes the tree of files or opens a file for writing. A Watcher
// reads the path, puts the old content into a store, and lets the call continue or makes it.
//
// If the order is strict, the Watcher makes the call itself where it can: see
// act_linux.go. Otherwise this is not a security boundary: a thread can change the path in
// memory after the Watcher has read it. If the order is strict, the Watcher therefore reads
// it again before the call continues, and notices at least some attempts.
//
// A Watcher does not see writes to files that are open. It therefore keeps those files again
// when a turn begins, unless they are only mapped into memory. It does not see changes by
// processes that are not part of the command. Changes of owners, times and extended
// attributes are not kept; a command whose order is strict cannot change owners.
//
// A Watcher never delays a command for longer than it takes to copy a file, and it never
// hangs. If it cannot find out what a call would change, the call continues, or fails if
// the order is strict.
//
// Start reading at Watcher. On systems other than Linux there is nothing to serve.
package watch

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"agent/internal/tools/snapshot"
)

// Watcher keeps the paths that a command changes, each once in a turn. Its methods are
// safe for concurrent use.
type Watcher struct {
	order   snapshot.Order
	store   snapshot.Store
	reports Reports
	guard   *protection

	begun   sync.Once       // the first call is being answered
	foreign map[uint64]bool // mounts: see foreignMounts

	pipes atomic.Int64 // calls that wait to open a pipe

	// gitDirs is held from the check to the end of a call that may make a git directory, or change
	// the programs that one names.
	gitDirs sync.Mutex

	mu       sync.Mutex
	kept     map[string]*entry // by path
	touched  int
	problem  string
	reported bool // Reports.Refused was called for a path that is no lock of an index
	raced    bool // Reports.Refused was called with Raced
}

// Reports are functions that a Watcher calls if Order.Strict is set. Nil functions are allowed.
type Reports struct {
	// Refused is called with the first path whose old content cannot be kept, and the reason
	// for the user. Locks of a git index that come before it are reported too, each of them.
	Refused func(path, why string)
	// Protected is called once for each of the first protected paths that the command tried to
	// change.
	Protected func(path string)
	// Settings is called once for each of the first changes of a configuration file of git that were
	// refused, with the settings that need approval; "" if the file cannot be checked.
	Settings func(path, settings string)
	// Repository is called once for each directory in which the command creates an entry by
	// which git recognizes a repository, or to which it moves one. Made is set if the command
	// has created the directory.
	Repository func(dir string, made bool)
	// Created is called once for each protected path that the command was allowed to create.
	Created func(path string)
}

// entry is a path that is kept, or being kept.
type entry struct {
	done  chan struct{} // closed when why is set
	why   string        // why its changes are refused; empty if they are not
	calls int           // that are not answered yet and may change the path; the mutex of Watcher guards it
}

// New returns a Watcher.
func New(o snapshot.Order, s snapshot.Store, reports Reports) *Watcher {
	if reports.Refused == nil {
		reports.Refused = func(string, string) {}
	}
	if reports.Protected == nil {
		reports.Protected = func(string) {}
	}
	if reports.Settings == nil {
		reports.Settings = func(string, string) {}
	}
	if reports.Created == nil {
		reports.Created = func(string) {}
	}
	if reports.Repository == nil {
		reports.Repository = func(string, bool) {}
	}
	return &Watcher{order: o, store: s, reports: reports, guard: newProtection(o, reports), kept: map[string]*entry{}}
}

// Touched returns how many paths were added to the store.
func (w *Watcher) Touched() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.touched
}

// Problem returns why some changes are not in the store, for the user; "" if all are.
func (w *Watcher) Problem() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.problem
}

// wanted reports whether the changes of an absolute path without links are to be kept.
func (w *Watcher) wanted(path string) bool {
	for _, skip := range w.order.Skip {
		if path == skip || below(path, skip) {
			return false
		}
	}
	for _, root := range w.order.Roots {
		if below(path, root) {
			rest := path[len(strings.TrimSuffix(root, "/")):] + "/"
			return !strings.Contains(strings.ToLower(rest), "/.git/") // undo restores no spelling of it
		}
	}
	return false
}

// holdsState reports whether a path holds the state of a repository that existed before, or that the
// command has created.
func (w *Watcher) holdsState(path string) bool {
	_, rest := w.keptGitDir(path)
	_, ok := snapshot.GitState(rest)
	return ok
}

// keptGitDir returns the git directory on the way to a path whose state undo restores, and the rest
// of the path. Both are empty if there is none.
func (w *Watcher) keptGitDir(path string) (dir, rest string) {
	for _, dir := range w.order.Repositories {
		if below(path, dir) {
			return dir, path[len(dir)+1:]
		}
	}
	for _, root := range w.order.Roots {
		if !below(path, root) {
			continue
		}
		if worktree, rest, found := strings.Cut(path[len(strings.TrimSuffix(root, "/")):], "/.git/"); found {
			return strings.TrimSuffix(root, "/") + worktree + "/.git", rest
		}
	}
	return "", ""
}

// below reports whether path is in dir.
func below(path, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return len(path) > len(dir)+1 && path[len(dir)] == '/' && path[:len(dir)] == dir
}

// add adds a touched path to the store. It returns why the change is refused.
func (w *Watcher) add(path string, before snapshot.State) (why string) {
	// A device, socket or pipe has no content that could be lost. An index can be too large.
	if before.Lost != "" && before.Kind != snapshot.Other && !(before.Kind == snapshot.File && w.holdsState(path)) {
		if why = w.refuse(path, before.Lost); why != "" {
			return why
		}
	}
	if err := w.store.Add(snapshot.Touched{Call: w.order.Call, Path: path, Before: before}); err != nil {
		w.mu.Lock()
		w.problem = err.Error()
		w.mu.Unlock()
		return w.refuse(path, err.Error())
	}
	w.mu.Lock()
	w.touched++
	w.mu.Unlock()
	if before.Kind != snapshot.Absent {
		w.guard.noteExisting(path)
	}
	return ""
}

// Raced is why a change is refused whose path was replaced during the check.
const Raced = "the program replaced the path while the change was checked"

// race reports once that a path was replaced.
func (w *Watcher) race() {
	w.mu.Lock()
	first := !w.raced
	w.raced, w.reported = true, true // no later path is reported in its place
	w.mu.Unlock()
	if first {
		w.reports.Refused("", Raced)
	}
}

// IndexLock is the file with which git locks the index of a repository. Commands that only
// read, such as git diff, also try to create it, and do not fail if they cannot.
const IndexLock = "index.lock"

// refuse returns why if the order is strict, and reports the first path. A lock of an index
// counts only until another path is refused.
func (w *Watcher) refuse(path, why string) string {
	if !w.order.Strict {
		return ""
	}
	w.mu.Lock()
	first := !w.reported
	w.reported = w.reported || filepath.Base(path) != IndexLock
	w.mu.Unlock()
	if first {
		w.reports.Refused(path, why)
	}
	return why
}
