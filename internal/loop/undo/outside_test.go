package undo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools"
	"agent/internal/tools/snapshot/scan"
)

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// replace returns ten with some lines replaced.
func replace(old, fresh string) string { return strings.Replace(ten, old, fresh, 1) }

func TestUndoKeepsWhatOthersChanged(t *testing.T) {
	s := newSession(t, map[string]string{"merge": ten, "clash": ten, "same": ten, "mode": ten, "gone": ten, "binary": "a\x00b", "removed": ten})
	s.turn("format", func() {
		s.run(func(c *command) {
			for _, name := range []string{"merge", "clash", "same", "mode", "gone"} {
				c.write(name, replace("2\n", "two\n"))
			}
			c.write("binary", "a\x00c")
			c.write("created", "new\n")
			c.remove("removed")
		})
	})
	s.write("merge", strings.Replace(replace("2\n", "two\n"), "9\n", "nine\n", 1))
	s.write("clash", replace("2\n", "TWO\n"))
	s.must(os.Chmod(s.in("mode"), 0o755))
	s.must(os.Remove(s.in("gone")))
	s.write("binary", "a\x00d")
	s.write("created", "new\nand mine\n")
	s.write("removed", "mine\n")
	p := s.plan(undo.Back{})
	view := s.restorer().Preview(p)
	if view.ID == "" || len(view.Diffs) != 3 || len(view.Conflicts) != 5 || view.Turns[0].Prompt != "format" || view.Turns[0].Files != 8 {
		t.Errorf("preview: %+v", view)
	}
	if d := view.Diffs[0]; d.Path != "merge" || d.Added != 1 || d.Removed != 1 || !strings.Contains(d.Unified, "-two\n+2\n") {
		t.Errorf("diff %+v", d)
	}
	before := s.tree()
	got := s.undo(undo.Back{})
	want := event.Undone{
		Turns: 1, Restored: []string{"same"}, Merged: []string{"merge", "mode"},
		Conflicts: []string{"binary", "clash", "created", "gone", "removed"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("undone (-want +got):\n%s", d)
	}
	after := s.tree()
	before["same"] = "-rw-r--r-- " + ten
	before["merge"] = "-rw-r--r-- " + replace("9\n", "nine\n")
	before["mode"] = "-rwxr-xr-x " + ten
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("tree (-want +got):\n%s", d)
	}
}

// Undo merges texts of at most 1 MB. Other files that somebody else has changed stay as they
// are.
func TestUndoMergesOnlyText(t *testing.T) {
	const most = 1 << 20
	files := map[string]string{
		"larger":  ten + strings.Repeat("x", most+1-len(ten)),
		"largest": ten + strings.Repeat("x", most-len(ten)),
		"invalid": "\xff\n" + ten,
		"zero":    "\x00\n" + ten,
	}
	s := newSession(t, files)
	agent, other := map[string]string{}, map[string]string{}
	for name, text := range files {
		agent[name] = strings.Replace(text, "2\n", "T\n", 1)
		other[name] = strings.Replace(agent[name], "9\n", "N\n", 1)
	}
	s.turn("format", func() {
		s.run(func(c *command) {
			for name, text := range agent {
				c.write(name, text)
			}
		})
	})
	for name, text := range other {
		s.write(name, text)
	}
	got := s.undo(undo.Back{})
	if d := cmp.Diff(event.Undone{Turns: 1, Merged: []string{"largest"}, Conflicts: []string{"invalid", "larger", "zero"}}, got); d != "" {
		t.Errorf("undone (-want +got):\n%s", d)
	}
	want := map[string]string{"largest": "-rw-r--r-- " + strings.Replace(files["largest"], "9\n", "N\n", 1)}
	for _, name := range got.Conflicts {
		want[name] = "-rw-r--r-- " + other[name]
	}
	s.same(want, "after undo")
}

func TestUndoMergesWithEditsBetweenTheCallsOfATurn(t *testing.T) {
	s := newSession(t, map[string]string{"f": ten})
	s.turn("1", func() {
		s.edit(map[string]*string{"f": text(replace("2\n", "two\n"))})
		s.write("f", strings.Replace(replace("2\n", "two\n"), "9\n", "nine\n", 1))
		s.edit(map[string]*string{"f": text(strings.Replace(replace("2\n", "two\n5\n"), "9\n", "nine\n", 1))})
	})
	s.undo(undo.Back{})
	s.same(map[string]string{"f": "-rw-r--r-- " + replace("9\n", "nine\n")}, "after undo")
}

func TestAFileThatChangesAfterThePlanIsAConflict(t *testing.T) {
	s := newSession(t, map[string]string{"a": "1\n", "b": "1\n"})
	s.turn("1", func() { s.edit(map[string]*string{"a": text("2\n"), "b": text("2\n")}) })
	p := s.plan(undo.Back{})
	s.write("a", "mine\n")
	got, err := s.restorer().Apply(context.Background(), p)
	s.must(err)
	if d := cmp.Diff(event.Undone{Turns: 1, Restored: []string{"b"}, Conflicts: []string{"a"}}, got); d != "" {
		t.Error(d)
	}
	s.same(map[string]string{"a": "-rw-r--r-- mine\n", "b": "-rw-r--r-- 1\n"}, "after undo")
}

func TestIgnoredFilesThatCommandsCreatedStay(t *testing.T) {
	files := map[string]string{".gitignore": "out/\n*.log\n", "old.log": "1\n"}
	turn := func(s *session) {
		s.must(os.Mkdir(s.in(".git"), 0o755))
		s.must(os.WriteFile(s.in(".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
		s.turn("build", func() {
			got := s.run(func(c *command) {
				c.write("out/deep/bin", "binary\n")
				c.write("x.log", "log\n")
				c.write("old.log", "2\n")
				c.write("kept", "file\n")
				c.mkdir("out/empty")
			})
			if got.Files != 2 {
				s.t.Errorf("summary %+v", got)
			}
			s.edit(map[string]*string{"tool.log": text("by a tool\n")})
		})
	}
	s := newSession(t, files)
	turn(s)
	for _, it := range s.plan(undo.Back{}).Items {
		if it.Shown == "out" || it.Shown == "out/deep" {
			t.Errorf("the plan removes %s, which keeps ignored files", it.Shown)
		}
	}
	if out := s.undo(undo.Back{}); out.Ignored != 2 {
		t.Errorf("%+v", out)
	}
	got := s.tree()
	for name, want := range map[string]bool{"out/deep/bin": true, "x.log": true, "kept": false, "tool.log": false, "out/empty": false} {
		if _, ok := got[name]; ok != want {
			t.Errorf("%s exists: %v", name, ok)
		}
	}
	if got["old.log"] != "-rw-r--r-- 1\n" {
		t.Errorf("old.log: %s", got["old.log"])
	}
	s = newSession(t, files)
	turn(s)
	if out := s.undo(undo.Back{Removes: true}); out.Ignored != 0 {
		t.Errorf("%+v", out)
	}
	got = s.tree()
	if len(got) != 4 {
		t.Errorf("left: %v", got)
	}
}

func TestPathsOutsideOfTheRootsAreNeverTouched(t *testing.T) {
	s := newSession(t, map[string]string{"dir/f": "1\n", "g": "1\n"})
	outside := filepath.Join(filepath.Dir(s.dir), "outside")
	s.must(os.Mkdir(outside, 0o755))
	s.must(os.WriteFile(filepath.Join(outside, "f"), []byte("2\n"), 0o644))
	s.must(os.WriteFile(filepath.Join(outside, "g"), []byte("2\n"), 0o644))
	s.must(os.Mkdir(s.in("inside"), 0o755))
	s.write("inside/f", "2\n")
	want := treeOf(t, outside)
	s.turn("1", func() {
		s.edit(map[string]*string{"dir/f": text("2\n"), "g": text("2\n"), "new/x": text("x\n"), "../outside/g": text("3\n"), filepath.Join(outside, "f"): text("2\n"), ".git/hooks/x": text("x")})
	})
	s.must(os.WriteFile(filepath.Join(outside, "g"), []byte("2\n"), 0o644))
	for _, target := range []string{outside, "inside"} {
		s.must(os.RemoveAll(s.in("dir")))
		s.must(os.Symlink(target, s.in("dir")))
		p := s.plan(undo.Back{})
		if target == outside {
			s.must(os.Remove(s.in("g")))
			s.must(os.Symlink(filepath.Join(outside, "g"), s.in("g")))
		}
		got, err := s.restorer().Apply(context.Background(), p)
		s.must(err)
		if target == outside && !cmp.Equal(got.Conflicts, []string{"dir/f", "g"}) {
			t.Errorf("%+v", got)
		}
		s.undo(undo.Back{Redo: true})
		if d := cmp.Diff(want, treeOf(t, outside)); d != "" {
			t.Errorf("outside (-want +got):\n%s", d)
		}
		if b, _ := os.ReadFile(s.in("inside/f")); string(b) != "2\n" {
			t.Errorf("inside/f: %q", b)
		}
	}
	s.write("inside/x", "x\n")
	s.must(os.RemoveAll(s.in("new")))
	s.must(os.Symlink("inside", s.in("new")))
	s.undo(undo.Back{})
	if b, _ := os.ReadFile(s.in("inside/x")); string(b) != "x\n" {
		t.Errorf("inside/x: %q", b)
	}
	if b, err := os.ReadFile(s.in(".git/hooks/x")); err != nil || string(b) != "x" {
		t.Errorf(".git/hooks/x: %q, %v", b, err)
	}
}

func TestWhatCannotBeKeptIsLost(t *testing.T) {
	s := newSession(t, map[string]string{"linked": "1\n", "f": "1\n"})
	s.must(os.Link(s.in("linked"), s.in("other")))
	s.turn("1", func() {
		got := s.run(func(c *command) { c.write("linked", "2\n"); c.write("f", "2\n") })
		if want := []event.LostChange{{Path: "linked", Why: "it has several hard links"}}; !cmp.Equal(got.Lost, want) {
			t.Errorf("summary: %+v", got)
		}
	})
	out := s.undo(undo.Back{})
	want := event.Undone{Turns: 1, Restored: []string{"f"}, Lost: []event.LostChange{{Path: "linked", Why: "it has several hard links"}}}
	if d := cmp.Diff(want, out); d != "" {
		t.Error(d)
	}
}

func TestAFullStoreIsReported(t *testing.T) {
	s := newSession(t, map[string]string{"f": "1\n"})
	s.limit = blobs.Limits{Pack: 1 << 20}
	s.open()
	big := make([]byte, 4<<20)
	for i := range big {
		big[i] = byte(i * i >> 7)
	}
	s.write("big", string(big))
	s.turn("1", func() {
		got := s.edit(map[string]*string{"big": text("small\n"), "f": text("2\n")})
		if len(got.Lost) != 1 || got.Lost[0].Path != "big" || !strings.Contains(got.Lost[0].Why, "full") {
			t.Errorf("summary: %+v", got)
		}
	})
	if out := s.undo(undo.Back{}); len(out.Lost) != 1 || !cmp.Equal(out.Restored, []string{"f"}) {
		t.Errorf("%+v", out)
	}
}

func TestTurnsAreCountedAndTypedCommandsAreSteps(t *testing.T) {
	s := newSession(t, map[string]string{"f": "0\n"})
	s.scans = true
	s.open()
	want := []map[string]string{s.tree()}
	for i := range 3 {
		s.turn("turn", func() { s.edit(map[string]*string{"f": text(string(rune('1'+i)) + "\n")}) })
		want = append(want, s.tree())
	}
	s.turn("only talk", func() {})
	typed := tools.Call{Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: "make fmt\nmore"}}}
	if got := s.call(0, typed, func(ok tools.Approved) tools.Result {
		if ok.Snapshot != nil {
			t.Error("a typed command is watched")
		}
		s.write("f", "typed\n")
		return tools.Result{}
	}); got == nil || got.Files != 1 {
		t.Errorf("summary: %+v", got)
	}
	turns := s.restorer().Turns()
	if len(turns) != 4 || turns[0].Prompt != "!make fmt more" || turns[0].Number != 4 || turns[1].Number != 3 || turns[1].At != 30 {
		t.Errorf("turns: %+v", turns)
	}
	if out := s.undo(undo.Back{}); out.Turns != 1 {
		t.Errorf("%+v", out)
	}
	s.same(want[2], "before the last turn")
	s.undo(undo.Back{Redo: true})
	s.undo(undo.Back{Since: time.Unix(2, 0)})
	s.same(want[1], "to the second prompt")
	s.undo(undo.Back{})
	s.same(want[0], "before the first turn")
	s.undo(undo.Back{Redo: true})
	s.undo(undo.Back{Redo: true})
	s.undo(undo.Back{Turns: 2})
	s.same(want[1], "two turns back")
}

func TestCommandsWithoutASupervisorAreUndone(t *testing.T) {
	for _, unwatched := range []bool{false, true} {
		s := newSession(t, map[string]string{"f": "1\n", "dir/deep/g": "2\n", "x.log": "3\n", ".gitignore": "*.log\n", "stays": "4\n"})
		s.must(os.Symlink("f", s.in("link")))
		s.scans, s.unwatched = true, unwatched
		s.open()
		before := s.tree()
		step := 0
		if unwatched {
			step = 1
		}
		remove := tools.Call{Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: "rm -rf"}}}
		var got *event.FilesChanged
		s.turn("remove", func() {
			got = s.call(step, remove, func(tools.Approved) tools.Result {
				s.must(os.RemoveAll(s.in("dir")))
				s.must(os.Remove(s.in("link")))
				s.write("f", "changed\n")
				s.write("created/h", "new\n")
				s.write("x.log", "more\n")
				return tools.Result{}
			})
		})
		want := []event.LostChange{{Path: "x.log", Why: scan.UnsavedIgnored}}
		if got == nil || !cmp.Equal(got.Lost, want) {
			t.Fatalf("summary: %+v", got)
		}
		s.undo(undo.Back{})
		before["x.log"] = "-rw-r--r-- more\n"
		if d := cmp.Diff(before, s.tree()); d != "" {
			t.Errorf("unwatched %v: tree (-want +got):\n%s", unwatched, d)
		}
	}
}
