//go:build unix

package undo_test

import (
	"os"
	"testing"

	"agent/internal/loop/undo"
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
