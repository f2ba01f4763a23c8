//go:build unix

package undo_test

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/undo"
)

// ids returns the owner, the group, the mode and the number of names of a file.
func (s *session) ids(name string) string {
	s.t.Helper()
	info, err := os.Lstat(s.in(name))
	s.must(err)
	st := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d %o, %d names", st.Uid, st.Gid, st.Mode, st.Nlink)
}

// An undo gives files, directories and links back to their owner and group, with all bits of
// their mode.
func TestUndoRestoresOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to other users")
	}
	for name, change := range map[string]func(s *session){
		"edit":      func(s *session) { s.edit(map[string]*string{"d/f": new("2\n")}) },
		"delete":    func(s *session) { s.edit(map[string]*string{"d/f": nil}) },
		"command":   func(s *session) { s.run(func(c *command) { c.remove("d/f") }) },
		"replaced":  func(s *session) { s.run(func(c *command) { c.remove("d/f"); c.write("d/f", "2\n") }) },
		"link":      func(s *session) { s.run(func(c *command) { c.remove("d/l") }) },
		"directory": func(s *session) { s.run(func(c *command) { c.remove("d/f"); c.remove("d/l"); c.remove("d") }) },
		"file instead": func(s *session) {
			s.run(func(c *command) { c.remove("d/f"); c.remove("d/l"); c.remove("d"); c.write("d", "x") })
		},
	} {
		s := newSession(t, map[string]string{"d/f": "1\n"})
		s.must(os.Symlink("f", s.in("d/l")))
		for i, name := range []string{"d/f", "d/l", "d"} {
			s.must(os.Lchown(s.in(name), 1234+i, 2345))
		}
		s.must(os.Chmod(s.in("d/f"), 0o664|os.ModeSetgid))
		s.must(os.Chmod(s.in("d"), 0o755|os.ModeSetgid))
		before, want := s.tree(), []string{s.ids("d"), s.ids("d/f"), s.ids("d/l")}
		s.turn("1", func() { change(s) })
		if out := s.undo(undo.Back{}); len(out.Conflicts)+len(out.Lost) > 0 {
			t.Errorf("%s: undo: %+v", name, out)
		}
		s.same(before, name)
		for i, at := range []string{"d", "d/f", "d/l"} {
			if got := s.ids(at); got != want[i] {
				t.Errorf("%s: %s is %s, want %s", name, at, got, want[i])
			}
		}
	}
}

// The removal of one of several hard links is undone with a link to another name that still
// has the content. If all of them have another one, nothing is restored; if none is left, the
// stored content is.
func TestUndoRestoresHardLinks(t *testing.T) {
	for name, c := range map[string]struct {
		remove func(s *session)
		later  func(s *session)
		lost   string
	}{
		"tool":    {func(s *session) { s.edit(map[string]*string{"d/f": nil}) }, nil, ""},
		"command": {func(s *session) { s.run(func(c *command) { c.remove("d/f") }) }, nil, ""},
		"moved":   {func(s *session) { s.edit(map[string]*string{"d/f": nil}) }, func(s *session) { s.must(os.Rename(s.in("other"), s.in("d/new"))) }, ""},
		"changed": {func(s *session) { s.edit(map[string]*string{"d/f": nil}) }, func(s *session) { s.write("other", "2\n") }, "it has several hard links"},
		"removed": {func(s *session) { s.edit(map[string]*string{"d/f": nil}) }, func(s *session) { s.must(os.Remove(s.in("other"))) }, "it was restored, but its other hard links could not be"},
	} {
		s := newSession(t, map[string]string{"d/f": "1\n", "x": "x\n"})
		s.must(os.Link(s.in("d/f"), s.in("other")))
		before, want := s.tree(), s.ids("d/f")
		s.turn("1", func() { c.remove(s) })
		if c.later != nil {
			c.later(s)
		}
		if c.lost != "" {
			out := s.undo(undo.Back{})
			if len(out.Lost) != 1 || out.Lost[0] != (event.LostChange{Path: "d/f", Why: c.lost}) {
				t.Errorf("%s: %+v", name, out)
			}
			if b, _ := os.ReadFile(s.in("d/f")); (string(b) == "1\n") != (name == "removed") {
				t.Errorf("%s: d/f is %q", name, b)
			}
			continue
		}
		if out := s.undo(undo.Back{}); len(out.Conflicts)+len(out.Lost) > 0 {
			t.Errorf("%s: undo: %+v", name, out)
		}
		if got := s.ids("d/f"); got != want {
			t.Errorf("%s: d/f is %s, want %s", name, got, want)
		}
		if name == "moved" {
			continue
		}
		s.same(before, name)
		s.undo(undo.Back{Redo: true})
		if _, err := os.Lstat(s.in("d/f")); err == nil {
			t.Errorf("%s: the redo did not remove d/f", name)
		}
		s.undo(undo.Back{})
		s.same(before, name+", undone again")
		if got := s.ids("d/f"); got != want {
			t.Errorf("%s: after undo, redo and undo d/f is %s, want %s", name, got, want)
		}
	}
}

// Files in a directory that is read-only again are restored, and it stays read-only.
func TestUndoInReadOnlyDirectories(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can write to read-only directories")
	}
	s := newSession(t, map[string]string{"d/sub/f": "1\n", "d/sub/g": "1\n", "h": "1\n"})
	dirs := []string{"d/sub", "d"}
	chmod := func(mode os.FileMode) {
		for _, dir := range dirs {
			s.must(os.Chmod(s.in(dir), mode))
		}
	}
	t.Cleanup(func() { slices.Reverse(dirs); chmod(0o755) })
	chmod(0o555)
	before := s.tree()
	s.turn("1", func() {
		s.run(func(c *command) {
			slices.Reverse(dirs)
			chmod(0o755)
			c.remove("d/sub/f")
			c.write("d/sub/g", "2\n")
			slices.Reverse(dirs)
			chmod(0o555)
		})
	})
	after := s.tree()
	if out := s.undo(undo.Back{}); len(out.Restored) != 2 || len(out.Conflicts)+len(out.Lost) > 0 {
		t.Errorf("undo: %+v", out)
	}
	s.same(before, "undone")
	s.undo(undo.Back{Redo: true})
	s.same(after, "redone")
}

// An undo that could restore nothing can be repeated once the reason is gone.
func TestUndoThatRestoresNothing(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can write to read-only directories")
	}
	s := newSession(t, map[string]string{"f": "1\n"})
	before := s.tree()
	s.turn("1", func() { s.edit(map[string]*string{"f": new("2\n")}) })
	after := s.tree()
	for _, back := range []undo.Back{{}, {Redo: true}} {
		s.must(os.Chmod(s.dir, 0o555))
		out := s.undo(back)
		s.must(os.Chmod(s.dir, 0o755))
		if len(out.Restored) > 0 || len(out.Lost) != 1 {
			t.Errorf("%+v in a read-only directory: %+v", back, out)
		}
		s.undo(back)
		s.same(map[bool]map[string]string{false: before, true: after}[back.Redo], "repeated")
	}
}
