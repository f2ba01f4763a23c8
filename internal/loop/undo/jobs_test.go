package undo_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/undo"
	"agent/internal/tools"
)

func TestWhatAJobWritesBelongsToTheTurnInWhichItHappens(t *testing.T) {
	s := newSession(t, map[string]string{"f": "0\n", "g": "0\n"})
	before := s.tree()
	var job *command
	changed := s.turn("1", func() {
		got := s.call(1, tools.Call{Effect: tools.Execute}, func(ok tools.Approved) tools.Result {
			job = &command{s, ok.Snapshot.Call, ok.Snapshot, map[string]bool{}}
			job.write("f", "1\n")
			return tools.Result{Job: 1}
		})
		if got == nil || got.Files != 1 {
			t.Errorf("summary of the call: %+v", got)
		}
		job.write("f", "2\n")
		job.write("g", "2\n")
	})
	if changed == nil || changed.Files != 2 || changed.ID != "" {
		t.Errorf("summary of the job: %+v", changed)
	}
	first := s.tree()
	job.kept = map[string]bool{} // the supervisor is told that a turn begins
	if changed = s.turn("2", func() { job.write("f", "3\n") }); changed == nil || changed.Files != 1 {
		t.Errorf("summary of the job: %+v", changed)
	}
	if changed = s.turn("3", func() {}); changed != nil {
		t.Errorf("summary of a turn without changes: %+v", changed)
	}
	s.open()
	s.undo(undo.Back{})
	s.same(first, "before the second turn")
	s.undo(undo.Back{})
	s.same(before, "before the first turn")
}

// Between turns, a job belongs to the last turn, and the user to none.
func TestWhatAJobWritesAfterItsTurnIsUndoneWithIt(t *testing.T) {
	s := newSession(t, map[string]string{"f": "0\n", "g": "0\n", "h": "0\n"})
	before := s.tree()
	var job *command
	s.turns++
	s.rec.BeginTurn(undo.Turn{Number: 1, Prompt: "1"})
	s.call(1, tools.Call{Effect: tools.Execute}, func(ok tools.Approved) tools.Result {
		job = &command{s, ok.Snapshot.Call, ok.Snapshot, map[string]bool{}}
		job.write("f", "1\n")
		job.write("h", "1\n")
		return tools.Result{Job: 1}
	})
	_, err := s.rec.EndTurn(func() { job.kept = map[string]bool{} })
	s.must(err)
	job.write("f", "2\n")
	job.write("g", "2\n")
	s.write("h", "of the user\n")
	if c := s.rec.SettleJobs(); c == nil || c.Files != 2 {
		t.Errorf("summary: %+v", c)
	}
	if c := s.rec.SettleJobs(); c != nil {
		t.Errorf("second summary: %+v", c)
	}
	job.write("f", "3\n")
	s.rec.SettleJobs()
	before["h"] = s.tree()["h"]
	out := s.undo(undo.Back{})
	s.same(before, "before the turn")
	if len(out.Restored) != 2 || len(out.Conflicts) != 1 || out.Conflicts[0] != "h" {
		t.Errorf("%+v", out)
	}
}

func TestWorktreesOfDelegatesAreUndoneToo(t *testing.T) {
	s := newSession(t, map[string]string{"f": "0\n"})
	tree := filepath.Join(filepath.Dir(s.dir), "worktree")
	s.must(os.MkdirAll(tree, 0o755))
	s.must(os.WriteFile(filepath.Join(tree, "f"), []byte("0\n"), 0o644))
	before := treeOf(t, tree)
	s.turn("delegate", func() {
		s.edit(map[string]*string{"f": text("1\n")})
		c := tools.Call{Effect: tools.Write, Changes: []tools.Change{{Path: "f", Before: []byte("0\n"), After: []byte("1\n")}}}
		in := tools.Info{ID: "delegated", Step: 1}
		_, err := s.rec.In(tree).Run(context.Background(), in, c, tools.Approved{Changes: c.Changes}, func(context.Context, tools.Call, tools.Approved) (tools.Result, error) {
			return tools.Result{}, os.WriteFile(filepath.Join(tree, "f"), []byte("1\n"), 0o644)
		})
		s.must(err)
		if got := s.rec.Changed(in.ID); got == nil || got.Paths[0] != filepath.Join(tree, "f") {
			t.Errorf("summary: %+v", got)
		}
	})
	s.open()
	if out := s.undo(undo.Back{}); out.Turns != 1 || len(out.Restored) != 2 {
		t.Errorf("%+v", out)
	}
	if got := treeOf(t, tree); got["f"] != before["f"] {
		t.Errorf("worktree: %q", got)
	}
	s.undo(undo.Back{Redo: true})
	s.must(os.RemoveAll(tree))
	if out := s.undo(undo.Back{}); len(out.Restored) != 1 || len(out.Lost)+len(out.Conflicts) > 0 {
		t.Errorf("without the worktree: %+v", out)
	}
}

func TestAStrictCommandIsNotRunWithoutItsOrder(t *testing.T) {
	s := newSession(t, map[string]string{"f": "0\n"})
	run := func(access tools.Access) (out *command) {
		c := tools.Call{Effect: tools.Execute}
		_, err := s.rec.Run(context.Background(), tools.Info{ID: "x", Step: 1}, c, tools.Approved{Access: access}, func(_ context.Context, _ tools.Call, ok tools.Approved) (tools.Result, error) {
			out = &command{order: ok.Snapshot}
			return tools.Result{}, nil
		})
		s.must(err)
		return out
	}
	if o := run(tools.Access{Strict: true}).order; o == nil || !o.Strict || o.Store != s.path || o.Roots[0] != s.dir {
		t.Errorf("order %+v", o)
	}
	if o := run(tools.Access{Outside: true}).order; o != nil {
		t.Errorf("order outside of the sandbox: %+v", o)
	}
	s.open()
	s.must(s.pack.Close())
	if o := run(tools.Access{Strict: true}).order; o == nil || !o.Strict {
		t.Errorf("order without a store: %+v", o)
	}
	if got := s.rec.Changed("x"); got == nil || len(got.Lost) != 1 {
		t.Errorf("summary without a store: %+v", got)
	}
}
