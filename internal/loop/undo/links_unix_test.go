//go:build unix

package undo_test

import (
	"os"
	"testing"
	"time"

	"agent/internal/loop/undo"
	"agent/internal/tools"
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

// rename renames a directory, whose files the supervisor keeps.
func (c *command) rename(from, to string, names ...string) {
	for _, dir := range []string{from, to} {
		c.touch(dir)
		for _, name := range names {
			c.touch(dir + "/" + name)
		}
	}
	c.s.must(os.Rename(c.s.in(from), c.s.in(to)))
}

// inodes returns the inodes of files, in the order in which they occur: 1, 1, 2.
func (s *session) inodes(names ...string) (all []int) {
	s.t.Helper()
	known := map[string]int{}
	for _, name := range names {
		info, err := os.Lstat(s.in(name))
		s.must(err)
		inode := snapshot.Inode(info)
		if known[inode] == 0 {
			known[inode] = len(known) + 1
		}
		all = append(all, known[inode])
	}
	return all
}

// No name of a file with several hard links is removed before another one is restored.
func TestUndoKeepsTheContentOfHardLinks(t *testing.T) {
	for name, c := range map[string]struct {
		links [][2]string // made before the turn
		do    func(s *session, c *command)
		same  []string // names of one file after the undo
		lost  int
	}{
		"a renamed directory": {
			[][2]string{{"d/x", "d/y"}}, func(_ *session, c *command) { c.rename("d", "e", "x", "y", "z") }, []string{"d/x", "d/y"}, 0,
		},
		"renamed into a new directory": {
			[][2]string{{"d/x", "d/y"}}, func(_ *session, c *command) { c.mkdir("b"); c.rename("d", "b/e", "x", "y", "z") }, []string{"d/x", "d/y"}, 0,
		},
		"renamed, and its mode changed": {
			[][2]string{{"d/x", "d/y"}}, func(_ *session, c *command) {
				c.rename("d", "e", "x", "y", "z")
				c.chmod("e/x", 0o600)
			}, []string{"d/x", "d/y"}, 0,
		},
		"renamed, and the other name removed": {
			[][2]string{{"d/x", "y"}}, func(_ *session, c *command) { c.rename("d", "e", "x", "z"); c.remove("y") }, []string{"d/x", "y"}, 0,
		},
		"renamed, and replaced by a file": {
			[][2]string{{"d/x", "d/y"}}, func(_ *session, c *command) {
				c.rename("d", "e", "x", "y", "z")
				c.write("d", "a file\n")
			}, []string{"d/x", "d/y"}, 0,
		},
		"a third name": {
			[][2]string{{"d/x", "d/y"}, {"d/x", "zzz"}}, func(_ *session, c *command) { c.rename("d", "e", "x", "y", "z") }, []string{"d/x", "d/y", "zzz"}, 0,
		},
		"a name outside": {
			[][2]string{{"d/x", "../outside"}}, func(_ *session, c *command) { c.rename("d", "e", "x", "z") }, []string{"d/x", "../outside"}, 0,
		},
		"all names removed": {
			[][2]string{{"d/x", "d/y"}}, func(_ *session, c *command) { c.remove("d") }, []string{"d/x"}, 1,
		},
		"all names of the workspace removed": {
			[][2]string{{"d/x", "../outside"}}, func(_ *session, c *command) { c.remove("d") }, []string{"d/x"}, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"d/x": "user data\n", "d/z": "other\n"})
			for _, l := range c.links {
				s.must(os.Link(s.in(l[0]), s.in(l[1])))
			}
			before := s.tree()
			s.turn("1", func() { s.run(func(k *command) { c.do(s, k) }) })
			after := s.tree()
			for range 2 {
				if out := s.undo(undo.Back{}); len(out.Conflicts) > 0 || len(out.Lost) != c.lost {
					t.Errorf("undo: %+v", out)
				}
				s.same(before, "undone")
				for i, n := range s.inodes(c.same...) {
					if n != 1 {
						t.Errorf("%s is another file than %s", c.same[i], c.same[0])
					}
				}
				if out := s.undo(undo.Back{Redo: true}); len(out.Conflicts)+len(out.Lost) > 0 {
					t.Errorf("redo: %+v", out)
				}
				s.same(after, "redone")
			}
		})
	}
}

// A name of a file stays if the other names that the undo should restore instead cannot be.
func TestUndoKeepsTheLastNameOfAFile(t *testing.T) {
	s := newSession(t, map[string]string{"d/x": "user data\n"})
	s.must(os.Link(s.in("d/x"), s.in("d/y")))
	s.turn("1", func() { s.run(func(c *command) { c.rename("d", "e", "x", "y") }) })
	s.write("d", "a file of the user\n")
	if p := s.plan(undo.Back{}); len(p.Items) > 0 || len(p.Lost) != 2 {
		t.Errorf("%+v, lost %+v", p.Items, p.Lost)
	}
	s.must(os.Remove(s.in("d")))
	p := s.plan(undo.Back{})
	s.write("d/x", "mine\n")
	s.write("d/y", "mine\n")
	out, err := s.restorer().Apply(t.Context(), p)
	s.must(err)
	if len(out.Conflicts) < 2 || len(out.Lost) != 2 {
		t.Errorf("%+v", out)
	}
	for name, want := range map[string]string{"d/x": "mine\n", "e/x": "user data\n", "e/y": "user data\n"} {
		if b, _ := os.ReadFile(s.in(name)); string(b) != want {
			t.Errorf("%s is %q", name, b)
		}
	}
}

// A redo restores files that had several hard links when the undo removed or replaced them.
func TestRedoRestoresHardLinks(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s *session, c *command)
		same []string
	}{
		"two new names": {func(s *session, c *command) {
			c.write("n1", "result\n")
			s.must(os.Link(s.in("n1"), c.touch("n2")))
		}, []string{"n1", "n2"}},
		"replaced and linked": {func(s *session, c *command) {
			c.remove("a")
			c.write("a", "new\n")
			s.must(os.Link(s.in("a"), c.touch("c")))
		}, []string{"a", "c"}},
		"replaced, and the link sorts first": {func(s *session, c *command) {
			c.remove("a")
			c.write("a", "new\n")
			s.must(os.Link(s.in("a"), c.touch("A")))
		}, []string{"a", "A"}},
		"linked, and the first name renamed": {func(s *session, c *command) {
			s.must(os.Link(s.in("a"), c.touch("k")))
			c.touch("a")
			s.must(os.Rename(s.in("a"), c.touch("z")))
		}, []string{"k", "z"}},
		"in a new directory": {func(s *session, c *command) {
			c.write("n/1", "result\n")
			s.must(os.Link(s.in("n/1"), c.touch("n/2")))
			c.chmod("n", 0o500)
		}, []string{"n/1", "n/2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a": "mine\n"})
			before := s.tree()
			s.turn("1", func() { s.run(func(k *command) { c.do(s, k) }) })
			after := s.tree()
			for range 3 {
				if out := s.undo(undo.Back{}); len(out.Conflicts)+len(out.Lost) > 0 {
					t.Errorf("undo: %+v", out)
				}
				s.same(before, "undone")
				if out := s.undo(undo.Back{Redo: true}); len(out.Conflicts)+len(out.Lost) > 0 {
					t.Errorf("redo: %+v", out)
				}
				s.same(after, "redone")
				for i, n := range s.inodes(c.same...) {
					if n != 1 {
						t.Errorf("%s is another file than %s", c.same[i], c.same[0])
					}
				}
			}
		})
	}
}

// A scan knows no inodes and no contents of hard links. Undo keeps their new names.
func TestUndoKeepsHardLinksThatAScanFound(t *testing.T) {
	s := newSession(t, map[string]string{"d/x": "user data\n", "d/z": "other\n"})
	s.must(os.Link(s.in("d/x"), s.in("d/y")))
	s.scans, s.unwatched = true, true
	s.open()
	s.rec.Refresh(t.Context())
	s.turn("1", func() {
		s.call(0, tools.Call{Effect: tools.Execute}, func(tools.Approved) tools.Result {
			s.must(os.Rename(s.in("d"), s.in("e")))
			return tools.Result{}
		})
	})
	s.undo(undo.Back{})
	for _, name := range []string{"d/z", "e/x", "e/y"} {
		if _, err := os.Lstat(s.in(name)); err != nil {
			t.Error(err)
		}
	}
}
