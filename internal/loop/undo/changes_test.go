package undo_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/undo"
)

func TestChangesOfTheSessionAreUndoneByHunks(t *testing.T) {
	long := strings.Repeat(ten, 3)
	s := newSession(t, map[string]string{"f": long, "g": "1\n", "same": "1\n"})
	s.turn("1", func() {
		s.edit(map[string]*string{"f": text("first\n" + long), "g": text("2\n"), "same": text("2\n"), "new": text("n\n")})
	})
	s.turn("2", func() { s.edit(map[string]*string{"f": text("first\n" + long + "last\n"), "same": text("1\n")}) })
	p, err := s.restorer().Changes(context.Background())
	s.must(err)
	var got []string
	view := s.restorer().PreviewChanges(p)
	for _, d := range view.Diffs {
		got = append(got, d.Path)
	}
	if d := cmp.Diff([]string{"f", "g", "new"}, got); d != "" || view.ID == "" || view.Diffs[0].Added != 2 || !view.Diffs[2].Created {
		t.Errorf("changes: %+v", view)
	}
	p, err = s.restorer().Pick(p, []event.HunkPick{{Path: "f", Hunks: []int{0}}, {Path: "new"}})
	s.must(err)
	before := s.tree()
	out, err := s.restorer().Apply(context.Background(), p)
	s.must(err)
	if d := cmp.Diff(event.Undone{Restored: []string{"f", "new"}}, out); d != "" {
		t.Error(d)
	}
	want := map[string]string{"f": "-rw-r--r-- " + long + "last\n", "g": "-rw-r--r-- 2\n", "same": "-rw-r--r-- 1\n"}
	s.same(want, "after picking")
	s.undo(undo.Back{Redo: true})
	s.same(before, "after redo")
	s.undo(undo.Back{Turns: 2})
	s.same(map[string]string{"f": "-rw-r--r-- " + long, "g": "-rw-r--r-- 1\n", "same": "-rw-r--r-- 1\n"}, "after undo")
	if p, err = s.restorer().Changes(context.Background()); err != nil || len(p.Items) > 0 || p.Why == "" {
		t.Errorf("changes after undo: %+v, %v", p, err)
	}
}

func TestGitCommandsAreNamed(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	s := newSession(t, map[string]string{"f": "1\n"})
	git := func(args ...string) string {
		c := exec.Command("git", append([]string{"-C", s.dir, "-c", "user.name=u", "-c", "user.email=u@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-qm", "one")
	first := git("rev-parse", "HEAD")
	s.turn("commit", func() {
		s.edit(map[string]*string{"f": text("2\n")})
		s.run(func(*command) { git("commit", "-qam", "two") })
	})
	if p := s.plan(undo.Back{}); !cmp.Equal(p.Git, []string{"git reset --soft " + first}) {
		t.Errorf("after a commit: %q", p.Git)
	}
	git("branch", "it's$HOME")
	s.turn("only files", func() { s.edit(map[string]*string{"f": text("3\n")}) })
	if p := s.plan(undo.Back{}); p.Git != nil {
		t.Errorf("without a commit: %q", p.Git)
	}
	git("checkout", "-q", "it's$HOME")
	s.turn("switch", func() {
		s.edit(map[string]*string{"f": text("4\n")})
		s.run(func(*command) { git("checkout", "-q", "main") })
	})
	if p := s.plan(undo.Back{}); !cmp.Equal(p.Git, []string{`git switch 'it'\''s$HOME'`}) {
		t.Errorf("after a switch: %q", p.Git)
	}
	s.turn("commit and switch", func() {
		s.run(func(c *command) {
			c.write("f", "5\n")
			git("commit", "-qam", "three")
			git("checkout", "-qb", "side")
		})
	})
	if p := s.plan(undo.Back{}); !cmp.Equal(p.Git, []string{"git switch main", "git reset --soft " + git("rev-parse", "main~")}) {
		t.Errorf("after a commit and a switch: %q", p.Git)
	}
	git("checkout", "-q", "main")
	s.undo(undo.Back{})
	second := git("rev-parse", "HEAD")
	if out := s.undo(undo.Back{Turns: 3}); len(out.Git) != 1 || git("rev-parse", "HEAD") != second {
		t.Errorf("undo ran git: %+v", out)
	}
}

// A repository cannot put an option into a command that the user may run.
func TestGitCommandsHaveNoOptionsOfTheRepository(t *testing.T) {
	s := newSession(t, map[string]string{"f": "1\n", ".git/HEAD": "ref: refs/heads/--discard-changes\n"})
	s.write(".git/objects/none", "")
	s.write(".git/refs/none", "")
	s.turn("switch", func() {
		s.edit(map[string]*string{"f": text("2\n")})
		s.run(func(*command) { s.write(".git/HEAD", "ref: refs/heads/main\n") })
	})
	if p := s.plan(undo.Back{}); len(p.Git) > 0 {
		t.Errorf("the commands are %q", p.Git)
	}
}

// After a crash in the middle of a command, the lines of its changes are counted from the
// present contents, and after the undo from those that it replaced.
func TestLinesAreCountedAfterACrash(t *testing.T) {
	s := newSession(t, map[string]string{"changed": "1\n2\n", "removed": "1\n2\n3\n", ".gitignore": "x.log\n"})
	func() {
		defer func() { _ = recover() }()
		s.turn("killed", func() {
			s.run(func(c *command) {
				c.write("changed", "1\ntwo\n")
				c.remove("removed")
				c.write("created", "new\n")
				c.write("x.log", "ignored\n")
				panic("killed")
			})
		})
	}()
	s.open()
	for _, back := range []undo.Back{{}, {Redo: true}} {
		turns := s.plan(back).Turns
		if len(turns) != 1 || turns[0].Files != 3 || turns[0].Added != 2 || turns[0].Removed != 4 {
			t.Errorf("%+v: %+v", back, turns)
		}
		s.undo(back)
	}
}
