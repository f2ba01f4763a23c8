//go:build unix

package undo_test

import (
	"os"
	"testing"
	"time"

	"agent/internal/loop/undo"
	"agent/internal/tools/snapshot"
)

// The removal of a hard link changes the times of the file, but nobody else changed it.
func TestHardLinksOfACommandAreNoConflict(t *testing.T) {
	s := newSession(t, map[string]string{"a": "1\n"})
	before := s.tree()
	s.turn("1", func() {
		s.run(func(c *command) {
			c.write("a", "2\n")
			s.must(os.Link(s.in("a"), c.touch("b")))
		})
	})
	if out := s.undo(undo.Back{}); len(out.Conflicts)+len(out.Lost) > 0 {
		t.Errorf("undo: %+v", out)
	}
	s.same(before, "after undo")
}

// A file that is too large to be read, or a hard link to it, takes the place of the user's file.
// Its times change, but not what it is.
func TestUndoReplacesFilesThatWereNotRead(t *testing.T) {
	large := func(s *session, c *command) {
		c.remove("f")
		c.write("f", "")
		s.must(os.Truncate(s.in("f"), snapshot.MaxFile+1))
	}
	for name, do := range map[string]func(s *session){
		"linked": func(s *session) {
			s.run(func(c *command) {
				large(s, c)
				s.must(os.Link(s.in("f"), c.touch("z")))
			})
		},
		"touched": func(s *session) {
			s.run(func(c *command) { large(s, c) })
			s.run(func(*command) { s.must(os.Chtimes(s.in("f"), time.Unix(1, 0), time.Unix(1, 0))) })
		},
	} {
		s := newSession(t, map[string]string{"f": "mine\n", "g": "1\n"})
		before := s.tree()
		s.turn("1", func() { do(s) })
		if out := s.undo(undo.Back{}); len(out.Conflicts)+len(out.Lost) > 0 {
			t.Errorf("%s: %+v", name, out)
		}
		s.same(before, name)
	}
}
