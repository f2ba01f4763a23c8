package loop_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// The title of a failed call names its argument. The user sees the cause of the
// error, the model also sees advice.
func TestFailedCallHasTwoTexts(t *testing.T) {
	w, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	p := script.New(script.Reply{}.
		Call("c1", "read", `{"path":"../../etc/passwd"}`).
		Call("c2", "read", `{"path":"nope.go"}`).
		Call("c3", "write", `{"path":"a.go","content":"x","line":1}`).
		Call("c4", "look", `{"path":"a.go"}`).Calls(), script.Say("done"))
	type shown struct{ Title, Error string }
	got := map[string]shown{}
	model := map[string]string{}
	for _, e := range play(t, options(p, tools.Files(w, nil)...), []string{"go"}, nil) {
		if end, ok := e.(*event.ToolEnd); ok {
			got[end.Result.ID] = shown{end.Title, strings.ReplaceAll(end.Error, w.Dir(), "DIR")}
			model[end.Result.ID] = end.Result.Text
		}
	}
	if d := cmp.Diff(got, map[string]shown{
		"c1": {"read ../../etc/passwd", "../../etc/passwd is outside the working directory DIR"},
		"c2": {"read nope.go", "nope.go does not exist"},
		"c3": {"write a.go", `write does not take "line"`},
		"c4": {"look a.go", `there is no tool "look"`},
	}); d != "" {
		t.Errorf("the user (-got +want):\n%s", d)
	}
	for id, advice := range map[string]string{
		"c1": "ask the user to copy the file into it",
		"c2": "Use glob or list to find",
		"c3": "It takes content, path",
		"c4": "The tools are: read, ",
	} {
		if !strings.HasPrefix(strings.ReplaceAll(model[id], w.Dir(), "DIR"), got[id].Error+". ") || !strings.Contains(model[id], advice) {
			t.Errorf("the model reads of %s: %s", id, model[id])
		}
	}
}

// A rejected edit keeps the rejected diff and does not count as a change.
func TestRejectedEditKeepsItsDiff(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	for _, answer := range []event.Command{event.Answer{ID: "c1", Decision: event.Refuse}, event.Interrupt{}} {
		o := options(script.New(script.Call("c1", "edit", `{"path":"a.txt","old":"one","new":"two"}`), script.Say("done")), tools.Files(w, nil)...)
		o.Permissions.Mode = event.ModeAsk
		var end *event.ToolEnd
		for _, e := range play(t, o, []string{"go"}, func(e event.Event) []event.Command {
			if _, ok := e.(event.Asked); ok {
				return []event.Command{answer}
			}
			return nil
		}) {
			if e, ok := e.(*event.ToolEnd); ok {
				end = e
			}
		}
		want := []event.Diff{{Path: "a.txt", Unified: "@@ -1 +1 @@\n-one\n+two\n", Added: 1, Removed: 1}}
		if d := cmp.Diff(end.Proposed, want); d != "" || len(end.Diffs) > 0 {
			t.Errorf("%T: written %v, proposed (-got +want):\n%s", answer, end.Diffs, d)
		}
		if b, err := json.Marshal(end); err != nil || !strings.Contains(string(b), `"proposed":[{"path":"a.txt"`) {
			t.Errorf("recorded as %s, %v", b, err)
		}
	}
}
