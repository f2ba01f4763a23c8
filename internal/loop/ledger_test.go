package loop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// reader returns a tool whose calls return a reading, or fail with one if the text
// begins with "stale".
func reader() tools.Tool {
	return tools.New("look", "a tool for tests", func(_ context.Context, a textArgs) (tools.Call, error) {
		reads := []workspace.Reading{{Path: a.Text, Sum: "1", First: 1, Last: 9, Content: []byte("content")}}
		if strings.HasPrefix(a.Text, "stale") {
			return tools.Call{}, &workspace.ChangedError{Path: a.Text, Step: 1, What: "It is new.", Reads: reads}
		}
		return tools.Call{Title: "look " + a.Text, Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			switch a.Text {
			case "gone":
				return tools.Result{Reads: reads}, errors.New("no such file")
			case "seen":
				return tools.Result{Text: "ok", Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}}}, nil
			}
			return tools.Result{Text: "ok", Reads: reads}, nil
		}}, nil
	})
}

// The files that the model has seen are recorded, without their contents.
func TestReadings(t *testing.T) {
	p := script.New(
		script.Reply{}.Call("c1", "look", args("a")).Call("c2", "look", args("gone")).Call("c3", "look", args("stale")).Call("c4", "look", args("seen")).Calls(),
		script.Say("done"))
	got := map[string][]event.Reading{}
	for _, e := range play(t, options(p, reader()), []string{"go"}, nil) {
		if end, ok := e.(*event.ToolEnd); ok {
			got[end.Result.ID] = end.Reads
		}
	}
	of := func(path string) []event.Reading { return []event.Reading{{Path: path, Sum: "1", First: 1, Last: 9}} }
	if d := cmp.Diff(got, map[string][]event.Reading{"c1": of("a"), "c2": nil, "c3": of("stale"), "c4": nil}); d != "" {
		t.Error(d)
	}
	msgs := p.Requests()[1].Messages
	if last := msgs[len(msgs)-1]; len(last.Images) != 1 {
		t.Errorf("got %+v, want its image told", last)
	}
}

// visit plays one prompt with the real tools of dir on a resumed session, changes files
// after the call of the given ID, and returns the results of all calls and the state
// of the session.
func visit(t *testing.T, dir string, before []event.Durable, p llm.Provider, after map[string]func()) (results map[string]string, all []event.Durable) {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	known := workspace.NewLedger()
	o := options(p, tools.Files(w, known)...)
	o.Workspace.Ledger, o.Log = known, resumedLog(t, before...)
	results = map[string]string{}
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		end, ok := e.(*event.ToolEnd)
		if !ok {
			return nil
		}
		results[end.Result.ID] = end.Result.Text
		if change := after[end.Result.ID]; change != nil {
			change()
		}
		return nil
	})
	return results, append(before, durable(events)...)
}

// The model knows a file that it has read in the next step, in the next turn and after
// a resume, as long as the file is unchanged.
func TestUnchangedReadings(t *testing.T) {
	dir := t.TempDir()
	write := func(content string) func() {
		return func() {
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(content), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	write("one\ntwo\n")()
	read := func(id string) script.Reply { return script.Call(id, "read", `{"path":"a.txt"}`) }
	first, session := visit(t, dir, nil, script.New(read("c1"), read("c2"), script.Say("done")), nil)
	second, session := visit(t, dir, session, script.New(read("c3"), read("c4"), script.Say("done")), map[string]func(){"c3": write("one\nTWO\n")})
	third, _ := visit(t, dir, session, script.New(read("c5"), script.Say("done")), nil)
	for _, c := range []struct{ got, want string }{
		{first["c1"], "two"}, {first["c2"], "step 1"}, {second["c3"], "step 1"}, {second["c4"], "TWO"}, {third["c5"], "step 5"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("got %q, want %q in it", c.got, c.want)
		}
	}
}

// Text that is still in a file that changed since the model saw it is replaced, and the result
// shows the change. The edit of other text fails, and the error shows the change. Several edits of a file in one reply work. A resumed
// session knows which files were seen, but not their contents.
func TestStaleEdits(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	theirs := func(content string) func() {
		return func() {
			if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	edit := func(r script.Reply, id, before, after string) script.Reply {
		return r.Call(id, "edit", fmt.Sprintf(`{"path":"a.txt","old":%q,"new":%q}`, before, after))
	}
	theirs("one\ntwo\nthree\n")()
	first, session := visit(t, dir, nil, script.New(
		script.Call("c1", "read", `{"path":"a.txt"}`),
		edit(script.Reply{}, "c2", "one", "1").Calls(),
		edit(script.Reply{}, "c3", "two", "2").Calls(),
		edit(edit(script.Reply{}, "c4", "three", "3"), "c5", "3", "III").Calls(),
		script.Say("done")), map[string]func(){"c1": theirs("ONE\ntwo\nthree\n"), "c5": theirs("one\n2\nIII\n")})
	second, _ := visit(t, dir, session, script.New(
		edit(script.Reply{}, "c6", "III", "three").Calls(),
		edit(script.Reply{}, "c7", "2", "two").Calls(),
		script.Say("done")), nil)
	for _, c := range []struct{ got, want string }{
		{first["c2"], "has changed since it was last read in step 1"}, {first["c2"], "+ONE"},
		{first["c3"], "changed a.txt"}, {first["c4"], "changed a.txt"}, {first["c5"], "changed a.txt"},
		{second["c6"], "It had changed since step 4, and the change is kept. Read it again"}, {second["c7"], "changed a.txt"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("got %q, want %q in it", c.got, c.want)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "one\ntwo\nthree\n" {
		t.Errorf("got %q, %v, want both sides' changes", got, err)
	}
}
