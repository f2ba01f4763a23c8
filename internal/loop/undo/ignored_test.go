package undo_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"agent/internal/history/blobs"
	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools/snapshot"
)

// A redo brings back ignored files that an undo removed, and the next undo removes them again.
func TestRedoBringsBackIgnoredFiles(t *testing.T) {
	s := newSession(t, map[string]string{".gitignore": "*.bin\n"})
	before := s.tree()
	s.turn("1", func() { s.run(func(c *command) { c.write("m.bin", "result\n"); c.write("d/n.bin", "result\n") }) })
	after := s.tree()
	for range 2 {
		s.open()
		if p := s.plan(undo.Back{}); p.Ignored != 2 {
			t.Errorf("the plan is %+v", p)
		}
		p := s.plan(undo.Back{Removes: true})
		if n := len(s.restorer().Preview(p).Unsaved); n > 0 {
			t.Errorf("%d contents are not kept", n)
		}
		if out := s.undo(undo.Back{Removes: true}); len(out.Conflicts)+len(out.Lost)+len(out.Unsaved) > 0 {
			t.Errorf("undo: %+v", out)
		}
		s.same(before, "undone")
		if out := s.undo(undo.Back{Redo: true}); len(out.Conflicts)+len(out.Lost) > 0 {
			t.Errorf("redo: %+v", out)
		}
		s.same(after, "redone")
	}
}

// The preview and the result of an undo name files that a redo cannot bring back.
func TestUndoNamesFilesThatItCannotKeep(t *testing.T) {
	s := newSession(t, map[string]string{".gitignore": "*.bin\n"})
	s.turn("1", func() {
		s.run(func(c *command) {
			for _, name := range []string{"m.bin", "large"} {
				c.write(name, "")
				s.must(os.Truncate(s.in(name), snapshot.MaxFile+1))
			}
		})
	})
	shown := s.restorer().Preview(s.plan(undo.Back{Removes: true}))
	out := s.undo(undo.Back{Removes: true})
	for _, all := range [][]string{paths(shown.Unsaved), paths(out.Unsaved)} {
		if len(all) != 2 || all[0] != "large: it is larger than 64 MB" || all[1] != "m.bin: it is larger than 64 MB" {
			t.Errorf("not kept: %q", all)
		}
	}
	if len(out.Restored) != 2 || len(out.Lost) > 0 {
		t.Errorf("undo: %+v", out)
	}
}

// If the store is full, the undo removes ignored files and says that they are not kept.
func TestUndoOfIgnoredFilesIntoAFullStore(t *testing.T) {
	s := newSession(t, map[string]string{".gitignore": "*.bin\n"})
	s.turn("1", func() {
		s.run(func(c *command) {
			for i := range uint64(30) {
				b := make([]byte, 10_000)
				_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(b)
				c.write(fmt.Sprintf("%02d.bin", i), string(b))
			}
		})
	})
	s.limit = blobs.Limits{Pack: 100_000}
	s.open()
	out := s.undo(undo.Back{Removes: true})
	if all := paths(out.Unsaved); len(all) != 21 || !strings.HasSuffix(all[0], ".bin: the store of old file contents is full") || !strings.HasSuffix(all[20], " more files") {
		t.Errorf("not kept: %q", all)
	}
	if len(out.Restored) != 30 || len(out.Lost)+len(out.Conflicts) > 0 {
		t.Errorf("undo: %+v", out)
	}
}

// paths returns a line for each change.
func paths(all []event.LostChange) (lines []string) {
	for _, l := range all {
		lines = append(lines, l.Path+": "+l.Why)
	}
	return lines
}
