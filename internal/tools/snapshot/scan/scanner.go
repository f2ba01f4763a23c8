// Package scan finds out what commands change that no supervisor watches: commands that
// the user types, those without a sandbox, and all commands on systems that cannot watch
// them. It compares the size, times, inode and mode of every file before and after.
//
// The old content of a changed file comes from git if the file was clean, and from a
// copy otherwise. Copies of files that git does not know and does not ignore are put into
// the store before the command. So some contents are not known: those of ignored and
// of large files, for example. The states of these files have a Lost.
//
// Nothing is undone here, and nothing runs unless it is called. Call Refresh when the
// program is idle, Begin before and Changes after a command without a supervisor, and
// Outside after other commands. Start reading at Scanner.
package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	maxBlob   = 64 << 20  // of a content from git
)

const (
	// beginLimit is how long a command waits for Begin.
	beginLimit = 150 * time.Millisecond
	// scanLimit is how long a scan after a command may take.
	scanLimit = 30 * time.Second
	// smallTree is how many entries Begin examines, finds in git and copies in time even if
	// Refresh has not prepared it.
	smallTree = 1000
)

// MaxChanges is how many changes a call returns.
const MaxChanges = 20_000

// Errors of Begin, Changes and Outside. Their texts are for the user.
var (
	ErrLate   = errors.New("there was no time to examine the files before the command")
	ErrOpen   = errors.New("another command that is not watched is running")
	ErrMany   = errors.New("the command changed more than 20,000 files, and the others are not listed")
	errNoTree = errors.New("no directory of the session can be examined")
)

// The Lost of states whose old content is not known, apart from those of copies that
// failed.
const (
	LostOutside = "another program changed it while the command ran, and its old content is not known"
	LostLate    = "its old content was not copied in time"
	LostIgnored = "git ignores it, so its old content was not copied"
	LostLarge   = "it is larger than 5 MB, so its old content was not copied"
	LostOver    = "the copies of old contents have reached 200 MB"
)

// Store keeps contents. A snapshot.Store is one.
type Store interface {
	// Put is as in snapshot.Store.
	Put(content io.Reader) (hash string, size int64, err error)
}

// Options are the parts of a Scanner.
type Options struct {
	// Roots are absolute directories without symbolic links.
	Roots []string
	Skip  []string // absolute paths below Roots that are left out
	Store Store
	// Eager makes Refresh copy files, because commands run without a supervisor. Otherwise
	// copies are made from the first Begin on.
	Eager bool
}

// Scanner knows the files of some directories at its last scan. It is safe for concurrent
// use: its methods wait for each other, except that Begin stops a Refresh. Close it.
type Scanner struct {
	using chan struct{} // holds a value while a method uses the fields below

	trees []*tree
	eager bool
	open  bool  // a Command is between Begin and Changes
	left  int64 // bytes that may still be copied

	mu   sync.Mutex
	stop context.CancelFunc // of the running Refresh; nil if there is none
}

// New returns a Scanner. It reads nothing yet. Directories that cannot be scanned are left
// out, such as the home directory; the error says why and is for the user. The Scanner
// can be used nevertheless.
func New(o Options) (*Scanner, error) {
	s := &Scanner{using: make(chan struct{}, 1), eager: o.Eager, left: MaxCopies}
	var failed []error
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
			failed = append(failed, fmt.Errorf("changes of commands in %s are not recorded: %w", top, err))
			continue
		}
		s.trees = append(s.trees, t)
	}
	return s, errors.Join(failed...)
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

// interrupt stops a running Refresh.
func (s *Scanner) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}

// Refresh scans the directories while the program is idle. What it finds changed was not
// changed by a command. It also prepares the old contents for the next Begin. It ends
// soon after ctx has ended or Begin is called, and the next Refresh continues. The error
// is for the user, or that of the context.
func (s *Scanner) Refresh(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if s.open {
		return nil
	}
	s.mu.Lock()
	s.stop = stop
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.stop = nil
		s.mu.Unlock()
	}()
	_, err := s.refresh(ctx)
	return err
}

// refresh scans the trees and locates old contents. It returns the trees that were
// scanned.
func (s *Scanner) refresh(ctx context.Context) (scanned []*tree, err error) {
	left := &s.left
	if !s.eager {
		left = nil
	}
	var failed []error
	for _, t := range s.trees {
		_, _, err := t.scan(ctx)
		if err == nil {
			scanned = append(scanned, t)
			if s.eager || t.index.files > smallTree {
				err = t.locate(ctx, left)
			}
		}
		failed = append(failed, t.wrap(err))
	}
	return scanned, errors.Join(failed...)
}

// Begin prepares for a command that no supervisor watches: a scan, and copies of the
// files whose old contents are not known yet. It takes at most 150 ms. The caller calls
// Changes after the command, also after an error. The error says why a part of the
// changes will not be found or cannot be undone.
func (s *Scanner) Begin(ctx context.Context) (*Command, error) {
	ctx, stop := context.WithTimeout(ctx, beginLimit)
	defer stop()
	s.interrupt()
	if err := s.enter(ctx); err != nil {
		return &Command{}, ErrLate
	}
	defer s.leave()
	switch {
	case s.open:
		return &Command{}, ErrOpen
	case len(s.trees) == 0:
		return &Command{}, errNoTree
	}
	s.open, s.eager = true, true
	scanned, err := s.refresh(ctx)
	if ctx.Err() != nil {
		err = ErrLate
	}
	return &Command{scanner: s, began: time.Now(), fresh: scanned}, err
}

// Command is a command between Begin and Changes.
type Command struct {
	scanner *Scanner // nil if its changes are not found
	began   time.Time
	fresh   []*tree // that were scanned just before it
}

// Changes returns the paths that have changed since Begin with their states before, sorted
// by path in each root. Call is empty. The old contents are in the store, or a Lost says
// why not. touched says which paths are left out, because the changes are recorded
// already; nil means none. The second call returns nothing. An error is for the user, and
// some changes may come with it.
func (c *Command) Changes(ctx context.Context, touched func(path string) bool) ([]snapshot.Touched, error) {
	s := c.scanner
	if s == nil {
		return nil, nil
	}
	c.scanner = nil
	return s.after(ctx, touched, func(ctx context.Context, t *tree, f *found) {
		if slices.Contains(c.fresh, t) {
			f.restorable(ctx, t)
			return
		}
		f.since(c.began, t.index)
		f.lost(LostLate)
	})
}

// Outside returns what has changed since a time without having been touched, such as by
// a program that runs all the time, or by the user. These changes are not to be undone: all
// states have a Lost. Ignored files and directories are left out. It returns nothing
// while a command that began with Begin is running, and before the first scan.
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
		f.lost(LostOutside)
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
		failed = append(failed, ErrMany)
	}
	return all, errors.Join(failed...)
}
