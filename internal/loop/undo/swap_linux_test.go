package undo_test

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/loop/undo"
)

// A background job exchanges a directory and a symbolic link while an undo and redos are
// applied. Nothing is changed where the link leads.
func TestUndoNeverFollowsALinkThatAppears(t *testing.T) {
	s := newSession(t, nil)
	const files = 30
	s.turn("Change files.", func() {
		all := map[string]*string{}
		for i := range files {
			s.write(fmt.Sprintf("d/f%d", i), "old")
			all[fmt.Sprintf("d/f%d", i)] = text("new")
		}
		s.write(".git/hooks/f0", "hook")
		all["d/f0"] = nil
		s.edit(all)
	})
	s.must(os.Symlink(".git/hooks", s.in("l")))
	var stop atomic.Bool
	var job sync.WaitGroup
	job.Go(func() {
		for !stop.Load() {
			_ = unix.Renameat2(unix.AT_FDCWD, s.in("d"), unix.AT_FDCWD, s.in("l"), unix.RENAME_EXCHANGE)
		}
	})
	for i := range 60 {
		p, err := s.restorer().Plan(t.Context(), undo.Back{Redo: i%2 == 1})
		s.must(err)
		if _, err := s.restorer().Apply(t.Context(), p); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	job.Wait()
	found, err := os.ReadDir(s.in(".git/hooks"))
	s.must(err)
	if b, err := os.ReadFile(s.in(".git/hooks/f0")); err != nil || string(b) != "hook" || len(found) != 1 {
		t.Errorf("the undo changed the directory to which the link leads: %v, %q, %v", found, b, err)
	}
}
