// Package scan finds out what commands change that no supervisor watches: commands that
// the user types, those without a sandbox, and all commands on systems that cannot watch
// them. It compares the size, times, inode and mode of every file before and after.
//
// The old content of a changed file comes from git if the file was clean, and from a
// copy otherwise. Files that git does not know and does not ignore are copied into the
// store before the command. Some old contents stay unknown, such as those of ignored and
// of large files. The states of these files have a Lost.
//
// The package undoes nothing and starts nothing by itself. Call Refresh when the
// program is idle, Begin before and Changes after a command without a supervisor, and
// Outside after other commands. Start reading at Scanner.
package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"agent/internal/tools/snapshot"
)

// The limits of copies, in bytes.
const (
	MaxCopy   = 5 << 20   // of one file
	MaxCopies = 200 << 20 // of all copies of a Scanner
)

const (
	// beginLimit is how long a command waits for Begin by default.
	beginLimit = 150 * time.Millisecond
	// scanLimit is how long a scan after a command may take.
	scanLimit = 30 * time.Second
	// smallTree is how many entries Begin can examine, find in git and copy in time, even if
	// Refresh has not prepared it.
	smallTree = 1000
)

// MaxChanges is how many changes a call returns.
const MaxChanges = 20_000

// Errors of Changes and Outside. Their texts are for the user.
var (
	ErrBusy           = errors.New("the files were being examined for another command")
	ErrTooManyChanges = errors.New("the command changed more than 20,000 files, and the others are not listed")
)

// The Lost of states whose old content is not known, apart from those of copies that
// failed.
const (
	UnsavedOutside = "another program changed it meanwhile, and its old content is not known"
	UnsavedUnknown = "there was no time to examine it before the command"
	UnsavedTimeout = "its old content was not copied in time"
	UnsavedIgnored = "git ignores it, so its old content was not copied"
	UnsavedLarge   = "it is larger than 5 MB, so its old content was not copied"
	UnsavedLimit   = "the copies of old contents have reached 200 MB"
)

// Options are the parts of a Scanner.
type Options struct {
	// Roots are absolute directories without symbolic links.
	Roots []string
	Skip  []string          // absolute paths below Roots that are left out
	Store snapshot.Contents // gets old contents; a snapshot.Store, for example
	// Eager reports whether Refresh copies files, because all commands run without a
	// supervisor. Refresh waits for its answer. Otherwise, and if Eager is nil, copies are
	// made from the first Begin on.
	Eager func() bool
	Wait  time.Duration // how long Begin may take; 0 means 150 ms
}

// Scanner knows the files of some directories at its last scan. It is safe for concurrent
// use: its methods wait for each other, except that Refresh ends early if another method
// is called. Close it.
type Scanner struct {
	wait    time.Duration
	refused error         // the directories that are not scanned, and why
	using   chan struct{} // holds a value while a method uses the fields below

	trees []*tree
	eager func() bool
	begun bool  // Begin was called
	open  bool  // a Command is between Begin and Changes
	left  int64 // bytes that may still be copied

	mu   sync.Mutex
	stop context.CancelFunc // of the running Refresh; nil if there is none
}

// New returns a Scanner. It reads nothing yet. The root of the file system and the home
// directory are never scanned: Changes says so.
func New(o Options) *Scanner {
	if o.Eager == nil {
		o.Eager = func() bool { return false }
	}
	s := &Scanner{wait: cmp.Or(o.Wait, beginLimit), using: make(chan struct{}, 1), eager: o.Eager, left: MaxCopies}
	for i, top := range o.Roots {
		contains := func(other string) bool {
			rel, err := filepath.Rel(other, top)
			return err == nil && filepath.IsLocal(rel)
		}
		if slices.Contains(o.Roots[:i], top) || slices.ContainsFunc(o.Roots, func(other string) bool { return other != top && contains(other) }) {
			continue // it is scanned with the directory that contains it
		}
		t, err := openTree(top, o.Skip, o.Store)
		if err != nil {
			s.refused = errors.Join(s.refused, fmt.Errorf("%s is not examined: %w", top, err))
			continue
		}
		s.trees = append(s.trees, t)
	}
	return s
}

// Close releases the directories. It waits for the other methods.
func (s *Scanner) Close() {
	s.interrupt()
	s.using <- struct{}{}
	for _, t := range s.trees {
		t.close()
	}
	s.trees = nil
	<-s.using
}

// enter waits until no other method uses s, at most until ctx ends. The caller calls
// leave.
func (s *Scanner) enter(ctx context.Context) error {
	select {
	case s.using <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.using <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Scanner) leave() { <-s.using }

// setStop sets the function that stops the running Refresh, or nil when it has ended. It
// reports false if another Refresh is running.
func (s *Scanner) setStop(stop context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop != nil && s.stop != nil {
		return false
	}
	s.stop = stop
	return true
}

// interrupt stops a running Refresh.
func (s *Scanner) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}

// Refresh scans the directories while the program is idle. The changes that it finds were
// not made by a command. It also prepares the old contents for the next Begin. It ends
// soon after ctx has ended or Begin is called, and the next Refresh continues. The error
// is for the user, or that of the context.
func (s *Scanner) Refresh(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !s.setStop(stop) {
		return nil
	}
	defer s.setStop(nil)
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if s.open {
		return nil
	}
	_, err := s.refresh(ctx)
	return err
}

// refresh scans the trees and locates old contents. It returns the trees that were
// scanned.
func (s *Scanner) refresh(ctx context.Context) (scanned []*tree, err error) {
	left, copies := &s.left, s.begun || s.eager()
	if !copies {
		left = nil
	}
	var failed []error
	for _, t := range s.trees {
		_, _, err := t.scan(ctx)
		if err == nil {
			scanned = append(scanned, t)
			if copies || t.index.files > smallTree {
				err = t.locate(ctx, left)
			}
		}
		failed = append(failed, t.wrap(err))
	}
	return scanned, errors.Join(failed...)
}

// Begin prepares for a command that no supervisor watches: a scan, and copies of the
// files whose old contents are not known yet. It returns after Options.Wait, even if it
// has not finished. The caller calls Changes after the command.
func (s *Scanner) Begin(ctx context.Context) *Command {
	ctx, stop := context.WithTimeout(ctx, s.wait)
	defer stop()
	s.interrupt()
	if s.enter(ctx) != nil {
		return &Command{err: ErrBusy}
	}
	defer s.leave()
	if s.open {
		return &Command{err: ErrBusy}
	}
	s.open, s.begun = true, true
	scanned, _ := s.refresh(ctx) // Changes finds the same problems
	return &Command{scanner: s, began: time.Now(), fresh: scanned}
}

// Command is a command between Begin and Changes.
type Command struct {
	scanner *Scanner // nil if its changes are not found
	err     error    // why not
	began   time.Time
	fresh   []*tree // that were scanned just before it
}

// Changes returns the paths that have changed since Begin with their states before, sorted
// by path in each root. Call is empty. The old contents are in the store, or a Lost says
// why not. touched says which paths are left out, because the changes are recorded
// already; nil means none. Call Changes once. The error is for the user and says why
// changes may be missing; the others come with it.
func (c *Command) Changes(ctx context.Context, touched func(path string) bool) ([]snapshot.Touched, error) {
	if c.scanner == nil {
		return nil, c.err
	}
	all, err := c.scanner.after(ctx, touched, func(ctx context.Context, t *tree, f *found) {
		if slices.Contains(c.fresh, t) {
			f.restorable(ctx, t)
			return
		}
		f.since(c.began, t.index)
		f.lost(UnsavedUnknown)
	})
	return all, errors.Join(c.scanner.refused, err)
}

// Outside returns the paths that others changed since a time, such as a program that runs
// all the time, or the user: touched reports false for them. These changes are not to be
// undone: all states have a Lost. Ignored files and directories are left out. It returns
// nothing while a command that began with Begin is running, and before the first scan.
func (s *Scanner) Outside(ctx context.Context, since time.Time, touched func(path string) bool) ([]snapshot.Touched, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	open := s.open
	s.leave()
	if open {
		return nil, nil
	}
	return s.after(ctx, touched, func(ctx context.Context, t *tree, f *found) {
		f.since(since, t.index)
		f.visible(ctx, t)
		f.lost(UnsavedOutside)
	})
}

// after scans the trees after a command and returns their changes as judge leaves them.
func (s *Scanner) after(ctx context.Context, touched func(string) bool, judge func(context.Context, *tree, *found)) ([]snapshot.Touched, error) {
	ctx, stop := context.WithTimeout(ctx, scanLimit)
	defer stop()
	s.interrupt()
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	s.open = false
	var all []snapshot.Touched
	var failed []error
	for _, t := range s.trees {
		changes, old, err := t.scan(ctx)
		if err != nil {
			failed = append(failed, t.wrap(err))
			continue
		}
		if old == nil {
			continue
		}
		f := &found{top: t.top, changes: changes, states: map[string]snapshot.State{}}
		f.leaveOut(ctx, t, touched)
		judge(ctx, t, f)
		all = append(all, f.list()...)
	}
	if len(all) > MaxChanges {
		all = all[:MaxChanges]
		failed = append(failed, ErrTooManyChanges)
	}
	return all, errors.Join(failed...)
}
