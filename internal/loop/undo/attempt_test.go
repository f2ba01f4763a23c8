package undo_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools"
)

// attempts runs a command that the sandbox blocks. If its changes can be undone, it does meanwhile and
// undoes them, and runs the command a second time as the same call. It returns what the first run said,
// the summary of the call and the error of that undo.
func (s *session) attempts(first, second func(c *command), meanwhile func()) (blocked tools.Blocked, changed *event.FilesChanged, err error) {
	s.t.Helper()
	in := tools.Info{ID: "attempts", Step: 1}
	run := func(do func(c *command), b *tools.Blocked) tools.Result {
		res, err := s.rec.Run(context.Background(), in, tools.Call{Effect: tools.Execute}, tools.Approved{}, func(_ context.Context, _ tools.Call, ok tools.Approved) (tools.Result, error) {
			do(&command{s, ok.Snapshot.Call, ok.Snapshot, map[string]bool{}})
			return tools.Result{Blocked: b}, nil
		})
		s.must(err)
		return res
	}
	blocked = *run(first, &tools.Blocked{Network: true}).Blocked
	if meanwhile(); blocked.Undo != nil {
		err = blocked.Undo(s.t.Context())
	}
	if err == nil && blocked.Stays == "" {
		run(second, nil)
	}
	return blocked, s.rec.Changed(in.ID), err
}

// A second run begins with the files as they were before the first one. Both are one step of undo.
func TestSecondRunsBeginAgain(t *testing.T) {
	start := map[string]string{"log": "0\n", "src/a": "a\n", "src/deep/b": "b\n", "run.sh": "#!/bin/sh\n", ".gitignore": "cache\n*.tmp\n", "old": "old\n"}
	add := func(name string) func(c *command) {
		return func(c *command) {
			text, _ := os.ReadFile(c.s.in(name))
			c.write(name, string(text)+"1\n")
		}
	}
	for name, c := range map[string]struct {
		first, second func(c *command)
		names         []string
		files, added  int
	}{
		"append":                   {add("log"), add("log"), []string{"log"}, 1, 1},
		"create":                   {add("new/deep/file"), add("new/deep/file"), []string{"new/deep/file"}, 1, 1},
		"only in the first run":    {add("log"), func(*command) {}, []string{"log"}, 0, 0},
		"ignored files":            {add("cache/x"), add("cache/x"), []string{"cache/x"}, 0, 0},
		"remove and create":        {func(c *command) { c.remove("src"); add("out")(c) }, func(c *command) { c.remove("src/deep"); add("src/a")(c) }, []string{"out", "src/a", "src/deep/b"}, 2, 1},
		"modes":                    {func(c *command) { c.chmod("run.sh", 0o755); c.chmod("src/deep", 0o500) }, func(c *command) { c.chmod("run.sh", 0o700) }, []string{"run.sh"}, 1, 0},
		"directories":              {func(c *command) { c.mkdir("new/dir") }, func(c *command) { c.mkdir("new/dir") }, []string{"new/", "new/dir/"}, 0, 0},
		"a file for a directory":   {func(c *command) { c.remove("src"); c.write("src", "x\n") }, func(c *command) { c.link("old", "log") }, []string{"src", "src/a", "src/deep/b"}, 1, 0},
		"a link for a file":        {func(c *command) { c.link("old", "log") }, add("old"), []string{"old"}, 1, 1},
		"nothing":                  {func(*command) {}, add("log"), []string{}, 1, 1},
		"what leaves nothing else": {func(c *command) { add("t")(c); c.remove("t") }, add("log"), []string{}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, start)
			before := s.tree()
			var between map[string]string
			s.turn(name, func() {
				blocked, changed, err := s.attempts(c.first, func(k *command) { between = s.tree(); c.second(k) }, func() {})
				s.must(err)
				if d := cmp.Diff(c.names, blocked.Changed); d != "" || blocked.Stays != "" || (blocked.Undo == nil) != (len(c.names) == 0) {
					t.Errorf("the first run changed %q, stays %q", blocked.Changed, blocked.Stays)
				}
				if changed == nil {
					changed = &event.FilesChanged{}
				}
				if changed.Files != c.files || changed.Added != c.added || len(changed.Lost) > 0 {
					t.Errorf("summary %+v", changed)
				}
			})
			if d := cmp.Diff(before, between); d != "" {
				t.Errorf("before the second run (-want +got):\n%s", d)
			}
			after := s.tree()
			s.open()
			for _, turn := range s.restorer().Turns() {
				if turn.Added != c.added || turn.Commands != 1 {
					t.Errorf("the turn: %+v", turn)
				}
			}
			if cmp.Equal(before, after) {
				return
			}
			if out := s.undo(undo.Back{Removes: true}); len(out.Conflicts)+len(out.Lost)+len(out.Merged) > 0 || out.Turns != 1 {
				t.Errorf("undo: %+v", out)
			}
			s.same(before, "after undo")
			if out := s.undo(undo.Back{Redo: true}); len(out.Conflicts)+len(out.Lost)+len(out.Merged) > 0 || out.Turns != 1 {
				t.Errorf("redo: %+v", out)
			}
			s.same(after, "after redo")
		})
	}
}

// The changes of a first run are undone completely or not at all.
func TestFirstRunsThatStay(t *testing.T) {
	start := map[string]string{"a": ten, "b": "b\n", ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": ""}
	both := func(c *command) {
		c.write("a", strings.Replace(ten, "1\n", "one\n", 1))
		c.write("b", "B\n")
		c.write("new/c", "c\n")
	}
	for name, c := range map[string]struct {
		first     func(c *command)
		meanwhile func(s *session)
		stays     string // after the first run
		err       string // of the undo
	}{
		"somebody changed a file":         {both, func(s *session) { s.write("b", "mine\n") }, "", "b was changed since"},
		"somebody changed another line":   {both, func(s *session) { s.write("a", strings.Replace(ten, "1\n", "one\n", 1)+"11\n") }, "", "a was changed since"},
		"somebody removed a file":         {both, func(s *session) { s.must(os.Remove(s.in("b"))) }, "", "b was changed since"},
		"somebody wrote into a directory": {both, func(s *session) { s.write("new/d", "d\n") }, "", "new has other files in it"},
		"a file with several hard links":  {func(c *command) { s := c.s; s.must(os.Link(s.in("b"), s.in("../b"))); both(c) }, nil, "b: it has several hard links", ""},
		"git":                             {func(c *command) { both(c); c.write(".git/HEAD", "ref: refs/heads/other\n") }, nil, "the state of git in .git was changed", ""},
		"another command changed the file": {func(c *command) {
			both(c)
			other := *c
			other.id, other.kept = "other", map[string]bool{}
			other.write("b", "2\n")
		}, nil, "b was also changed by another command", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, start)
			var left map[string]string
			s.turn(name, func() {
				blocked, _, err := s.attempts(c.first, func(*command) { t.Error("it ran a second time") }, func() {
					if c.meanwhile != nil {
						c.meanwhile(s)
					}
					left = s.tree()
				})
				if blocked.Stays != c.stays || err == nil && c.err != "" || err != nil && err.Error() != c.err {
					t.Errorf("stays %q, undo: %v; want %q, %q", blocked.Stays, err, c.stays, c.err)
				}
			})
			s.same(left, "after the undo that was not possible")
		})
	}
}
