package loop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// undoOptions returns the options of an agent with the file tools of dir, whose changes
// are recorded in a pack.
func undoOptions(t *testing.T, p llm.Provider, dir, pack string) loop.Options {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	b, err := blobs.Open(pack, blobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	known := workspace.NewLedger()
	o := options(p, tools.Files(w, known)...)
	o.Workspace.Ledger, o.Permissions.Paths.Workspace = known, dir
	r := undo.NewRecorder(undo.Options{Pack: b, Path: pack, Roots: []string{dir}})
	o.Interceptors = tools.Intercept(r)
	o.Workspace.Undo = loop.Undo{Recorder: r, Restorer: undo.NewRestorer(b, []string{dir})}
	return o
}

// undoing runs an agent. It sends the next command when a turn, a typed command, an undo or
// a plan of an undo ends, and after a notice. A command gets the ID of the last plan.
func undoing(t *testing.T, o loop.Options, commands ...func(plan string) event.Command) []event.Event {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	in, events := make(chan event.Command, len(commands)), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(ctx, in, events)
	last := commands[0]("")
	in <- last
	commands = commands[1:]
	var all []event.Event
	plan, closed := "", false
	for e := range events {
		all = append(all, e)
		switch e := e.(type) {
		case event.UndoPlan:
			plan = e.ID
		case event.ChangesNow:
			plan = e.ID
		case *event.TurnEnd, *event.ShellEnd, *event.Undone, event.Notice:
		case *event.Rewound:
			if _, ok := last.(event.Rewind); !ok { // a part of an undo
				continue
			}
		default:
			continue
		}
		switch {
		case len(commands) > 0:
			last = commands[0](plan)
			in <- last
			commands = commands[1:]
		case !closed:
			close(in)
			closed = true
		}
	}
	if ctx.Err() != nil {
		t.Fatalf("the agent hung; events so far:\n%s", trace(all))
	}
	return all
}

// always returns a command that needs no plan.
func always(c event.Command) func(string) event.Command {
	return func(string) event.Command { return c }
}

func prompted(text string) func(string) event.Command { return always(event.Prompt{Text: text}) }

func applied(conversation bool) func(string) event.Command {
	return func(id string) event.Command { return event.ApplyUndo{ID: id, Conversation: conversation} }
}

// write returns a reply that writes a file.
func write(id, path, content string) script.Reply {
	return script.Call(id, "write", fmt.Sprintf(`{"path":%q,"content":%q}`, path, content))
}

// shownOf formats the events about file changes, without times and IDs of plans.
func shownOf(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case *event.FilesChanged:
			fmt.Fprintf(&b, "changed %s: %d files, +%d -%d %q\n", e.ID, e.Files, e.Added, e.Removed, e.Paths)
		case event.UndoPlan:
			for _, turn := range e.Turns {
				fmt.Fprintf(&b, "plan turn %d at %d %q\n", turn.Number, turn.At, turn.Prompt)
			}
			for _, d := range e.Diffs {
				fmt.Fprintf(&b, "plan %s +%d -%d\n", d.Path, d.Added, d.Removed)
			}
		case event.ChangesNow:
			for _, d := range e.Diffs {
				fmt.Fprintf(&b, "now %s +%d -%d\n", d.Path, d.Added, d.Removed)
			}
		case *event.Undone:
			fmt.Fprintf(&b, "undone redo=%v turns=%d restored=%q merged=%q conflicts=%q\n", e.Redo, e.Turns, e.Restored, e.Merged, e.Conflicts)
		case *event.Rewound:
			fmt.Fprintf(&b, "rewound to %d\n", e.Keep)
		case *event.TodoSet:
			fmt.Fprintf(&b, "todo %d\n", len(e.Items))
		case event.Notice:
			fmt.Fprintf(&b, "notice %s\n", e.Text)
		}
	}
	return b.String()
}

// contents returns the files of dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// An undo of files leaves the conversation, tells the model, and sets the todo list back.
// A redo brings both again.
func TestUndoAndRedoOfFiles(t *testing.T) {
	dir := realDir(t)
	p := script.New(
		write("c1", "a.txt", "one\n"), script.Say("written"),
		script.Reply{}.Call("c2", "todo", `{"items":[{"text":"test","state":"active"}]}`).Call("c3", "write", `{"path":"b.txt","content":"two\n"}`).Calls(), script.Say("written again"),
		script.Say("I see"), script.Say("I see that, too"))
	events := undoing(t, undoOptions(t, p, dir, filepath.Join(t.TempDir(), "x.undo")),
		prompted("first"), prompted("second\nwith details"),
		always(event.PlanUndo{}), applied(false), prompted("what happened?"),
		always(event.PlanUndo{Redo: true}), applied(false), prompted("and now?"))
	want := dedent(`
		changed c1: 1 files, +1 -0 ["a.txt"]
		todo 1
		changed c3: 1 files, +1 -0 ["b.txt"]
		plan turn 2 at 11 "second"
		plan b.txt +0 -1
		undone redo=false turns=1 restored=["b.txt"] merged=[] conflicts=[]
		todo 0
		plan turn 2 at 11 "second"
		plan b.txt +1 -0
		undone redo=true turns=1 restored=["b.txt"] merged=[] conflicts=[]
		todo 1
	`)
	if d := cmp.Diff(strings.TrimSpace(shownOf(events)), strings.TrimSpace(want)); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if d := cmp.Diff(contents(t, dir), map[string]string{"a.txt": "one\n", "b.txt": "two\n"}); d != "" {
		t.Error(d)
	}
	texts := userTexts(p.Requests()[5])
	wantTexts := []string{
		"first", "second\nwith details",
		"[The user undid the file changes of the last turn that changed files. These paths have their earlier state again: b.txt. The conversation may show other contents: read a file again before you edit it.]",
		"what happened?",
		"[The user redid file changes that were undone. These paths have their later state again: b.txt. The conversation may show other contents: read a file again before you edit it.]",
		"and now?",
	}
	if d := cmp.Diff(texts, wantTexts); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// An undo of files and conversation rewinds to before the first of the turns. After a
// second undo, that prompt is not in the conversation.
func TestUndoWithTheConversation(t *testing.T) {
	dir := realDir(t)
	p := script.New(
		write("c1", "a.txt", "one\n"), script.Say("written"), write("c2", "b.txt", "two\n"), script.Say("written"),
		write("c3", "c.txt", "three\n"), script.Say("written"), script.Say("done"))
	events := undoing(t, undoOptions(t, p, dir, filepath.Join(t.TempDir(), "x.undo")),
		prompted("first"), prompted("second"), prompted("third"),
		always(event.PlanUndo{Turns: 2}), applied(true), prompted("again"))
	if got := shownOf(events); !strings.Contains(got, "rewound to 11\nundone redo=false turns=2 ") {
		t.Errorf("got %s", got)
	}
	if d := cmp.Diff(contents(t, dir), map[string]string{"a.txt": "one\n"}); d != "" {
		t.Error(d)
	}
	texts := userTexts(p.Requests()[6])
	if len(texts) != 3 || texts[0] != "first" || texts[2] != "again" || !strings.Contains(texts[1], "the last 2 turns that changed files") {
		t.Errorf("got %q", texts)
	}
}

// A turn that was rewound before can still be undone; then only the files change.
func TestUndoOfARewoundTurn(t *testing.T) {
	dir := realDir(t)
	p := script.New(script.Say("hello"), write("c1", "a.txt", "one\n"), script.Say("written"), script.Say("done"))
	events := undoing(t, undoOptions(t, p, dir, filepath.Join(t.TempDir(), "x.undo")),
		prompted("greet"), prompted("write"), always(event.Rewind{Keep: 5}), always(event.PlanUndo{}), applied(true), prompted("go on"))
	want := dedent(`
		changed c1: 1 files, +1 -0 ["a.txt"]
		rewound to 5
		plan turn 2 at -1 "write"
		plan a.txt +0 -1
		undone redo=false turns=1 restored=["a.txt"] merged=[] conflicts=[]
	`)
	if d := cmp.Diff(strings.TrimSpace(shownOf(events)), strings.TrimSpace(want)); d != "" || len(contents(t, dir)) != 0 {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if texts := userTexts(p.Requests()[3]); len(texts) != 3 || texts[0] != "greet" {
		t.Errorf("got %q", texts)
	}
}

// A rewind to a prompt undoes the files of later turns, but not those of turns that were
// rewound before: the user kept them.
func TestRewindKeepsFilesOfRewoundTurns(t *testing.T) {
	dir := realDir(t)
	p := script.New(script.Say("hello"), write("c1", "a.txt", "one\n"), script.Say("written"), script.Say("nothing"), write("c2", "b.txt", "two\n"), script.Say("written"))
	at := 5
	undoing(t, undoOptions(t, p, dir, filepath.Join(t.TempDir(), "x.undo")),
		prompted("greet"), prompted("write"), always(event.Rewind{Keep: at}), prompted("look"), prompted("write"),
		always(event.PlanUndo{To: &at}), applied(true))
	if d := cmp.Diff(contents(t, dir), map[string]string{"a.txt": "one\n"}); d != "" {
		t.Errorf("files after the undo (-got +want):\n%s", d)
	}
}

// A rewind to before an undo removes its note to the model, a later one does not.
func TestRewindRemovesTheNoteOfAnUndo(t *testing.T) {
	for keep, want := range map[int]int{2: 0, 6: 0, 16: 1} {
		dir := realDir(t)
		p := script.New(script.Say("hello"), write("c1", "a.txt", "one\n"), script.Say("written"), script.Say("nothing"), script.Say("again"))
		undoing(t, undoOptions(t, p, dir, filepath.Join(t.TempDir(), "x.undo")),
			prompted("greet"), prompted("write"), always(event.PlanUndo{}), applied(false), prompted("look"), always(event.Rewind{Keep: keep}), prompted("go on"))
		got := 0
		for _, text := range userTexts(p.Requests()[4]) {
			got += strings.Count(text, "The user undid")
		}
		if got != want {
			t.Errorf("after a rewind to %d: %d notes of %q", keep, got, userTexts(p.Requests()[4]))
		}
	}
}

// Hunks that the user picks are undone.
func TestUndoOfHunks(t *testing.T) {
	dir := realDir(t)
	lines := func(first, last string) string {
		return first + "\n" + strings.Repeat("same\n", 20) + last + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(lines("1", "22")), 0o644); err != nil {
		t.Fatal(err)
	}
	p := script.New(script.Call("c0", "read", `{"path":"a.txt"}`), write("c1", "a.txt", lines("one", "last")), script.Say("written"))
	events := undoing(t, undoOptions(t, p, dir, filepath.Join(t.TempDir(), "x.undo")),
		prompted("first"), always(event.ListChanges{}),
		func(id string) event.Command {
			return event.UndoChanges{ID: id, Hunks: []event.HunkPick{{Path: "a.txt", Hunks: []int{1}}}}
		})
	if got := shownOf(events); !strings.Contains(got, "now a.txt +2 -2\nundone redo=false turns=0 restored=[\"a.txt\"]") {
		t.Errorf("got %s", got)
	}
	if got := contents(t, dir)["a.txt"]; got != lines("one", "22") {
		t.Errorf("got %q", got)
	}
}

// The commands are rejected during a turn, without a record of changes, and for a plan
// that is not the last one.
func TestUndoIsRejected(t *testing.T) {
	t.Run("during a turn", func(t *testing.T) {
		p := script.New(script.Call("c1", "wait", args("a")), script.Say("done"))
		ready := make(chan struct{})
		o := options(p, tool("wait", tools.Execute, func(context.Context, string) (string, error) { <-ready; return "", nil }))
		events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
			switch e := e.(type) {
			case *event.ToolStart:
				return []event.Command{event.PlanUndo{}}
			case event.Notice:
				if strings.Contains(e.Text, "during a turn") {
					close(ready)
				}
			}
			return nil
		})
		if got := shownOf(events); got != "notice Not possible during a turn. Interrupt it first.\n" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("without a record", func(t *testing.T) {
		events := undoing(t, options(script.New()), always(event.PlanUndo{}))
		if got := shownOf(events); got != "notice File changes cannot be undone, because the session is not saved.\n" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("another plan", func(t *testing.T) {
		dir := realDir(t)
		p := script.New(write("c1", "a.txt", "one\n"), script.Say("written"))
		events := undoing(t, undoOptions(t, p, dir, filepath.Join(t.TempDir(), "x.undo")),
			prompted("first"), always(event.PlanUndo{}), always(event.ApplyUndo{ID: "other"}))
		if got := shownOf(events); !strings.HasSuffix(got, "notice This list of changes is no longer current. Nothing was changed.\n") || len(contents(t, dir)) != 1 {
			t.Errorf("got %s", got)
		}
	})
}

// An undo that the exit of the program interrupted is finished when the session is
// resumed, and the user and the model are told.
func TestResumeFinishesAnUndo(t *testing.T) {
	dir, pack := realDir(t), filepath.Join(t.TempDir(), "x.undo")
	p := script.New(write("c1", "a.txt", "one\n"), script.Say("written"))
	var sizes []int64
	size := func() {
		info, err := os.Stat(pack)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	events := undoing(t, undoOptions(t, p, dir, pack),
		prompted("first"), always(event.PlanUndo{}), func(id string) event.Command { size(); return event.ApplyUndo{ID: id} })
	durable := durablesOf(events)
	durable = durable[:len(durable)-1] // without the Undone
	cutDone(t, pack, sizes[0])
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o644); err != nil { // it was not removed yet
		t.Fatal(err)
	}
	p = script.New(script.Say("I see"))
	o := undoOptions(t, p, dir, pack)
	o.Log = resumedLog(t, durable...)
	got := shownOf(play(t, o, []string{"go on"}, nil))
	if want := "notice The program exited during an undo. It has been finished: 1 path restored.\nundone redo=false turns=1 restored=[\"a.txt\"] merged=[] conflicts=[]\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(contents(t, dir)) != 0 {
		t.Error("the file is still there")
	}
	if texts := userTexts(p.Requests()[0]); len(texts) != 3 || !strings.HasPrefix(texts[1], "[The user undid") {
		t.Errorf("got %q", texts)
	}
}

// cutDone removes all but the first record after an offset from a pack: the note that
// an undo begins.
func cutDone(t *testing.T, pack string, from int64) {
	t.Helper()
	b, err := blobs.Open(pack, blobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for n, err := range b.Notes(from) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(n.Body), `"kind":"undo"`) {
			if err := os.Truncate(pack, n.Next); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("the pack has no undo")
}
