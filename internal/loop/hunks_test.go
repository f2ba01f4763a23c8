package loop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// numbered is a file of 40 lines.
func numbered() []string {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("line %d", i+1))
	}
	return lines
}

// reviewing returns the options of an agent with the file tools in a directory of files,
// which asks before it changes one.
func reviewing(t *testing.T, p *script.Provider, files map[string]string) (dir string, o loop.Options) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	known := workspace.NewLedger()
	o = options(p, tools.Files(w, known)...)
	o.Workspace.Ledger, o.Permissions.Mode, o.Permissions.Paths.Workspace = known, event.ModeAsk, dir
	return dir, o
}

// filesIn returns the files in dir.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(b)
	}
	return out
}

// Of an edit of three hunks, one is accepted, one rejected and one edited. Exactly that is
// written, and the model reads it. The answer grants nothing, and the next edit of other lines
// shows the model what the user wrote.
func TestSomeHunksOfAnEdit(t *testing.T) {
	edits := jsonArgs(t, map[string]any{"path": "a.txt", "edits": []map[string]string{
		{"old": "line 5\n", "new": "five\n"}, {"old": "line 20\n", "new": "twenty\ntwenty and a half\n"}, {"old": "line 38\n", "new": ""}}})
	again := jsonArgs(t, map[string]any{"path": "a.txt", "old": "line 2\n", "new": "two\n"})
	read := `{"path":"a.txt"}`
	p := script.New(script.Call("r1", "read", read), script.Call("c1", "edit", edits), script.Call("c2", "edit", again),
		script.Say("done"))
	dir, o := reviewing(t, p, map[string]string{"a.txt": strings.Join(numbered(), "\n")})
	edited := "line 35\nline 36\nline 37\nTHIRTY-EIGHT\nline 39\nline 40"
	asked := 0
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		a, ok := e.(event.Asked)
		if !ok {
			return nil
		}
		if asked++; asked > 1 {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Always, Hunks: []event.HunkAnswer{{
			Path: "a.txt", Accepted: []int{0}, Edited: []event.EditedHunk{{Hunk: 2, Text: edited}},
			Comments: []event.LineComment{{Line: 21, Text: "one word"}, {Line: 38, Removed: true, Text: "keep it"}},
		}}}}
	})
	if asked != 2 {
		t.Errorf("asked %d times, want 2: the answer granted a standing permission", asked)
	}
	want := numbered()
	want[1], want[4], want[37] = "two", "five", "THIRTY-EIGHT"
	if d := cmp.Diff(filesIn(t, dir), map[string]string{"a.txt": strings.Join(want, "\n")}); d != "" {
		t.Errorf("files (-got +want):\n%s", d)
	}
	var text string
	var decided *event.Decided
	for _, e := range events {
		switch e := e.(type) {
		case *event.ToolEnd:
			switch e.Result.ID {
			case "c1":
				text = e.Result.Text
				if e.Outcome != event.OK || e.Summary != "2 of 3 hunks, 1 edited" || len(e.Reads) > 0 || len(e.Diffs) != 1 || e.Diffs[0].Added != 2 || e.Diffs[0].Removed != 2 {
					t.Errorf("end: %s, %q, %v, %+v", e.Outcome, e.Summary, e.Reads, e.Diffs)
				}
			case "c2":
				if e.Outcome != event.OK || !strings.Contains(e.Result.Text, "It had changed since step 1, and the change is kept:\n") || !strings.Contains(e.Result.Text, "+THIRTY-EIGHT") {
					t.Errorf("the next edit: %s, %q", e.Outcome, e.Result.Text)
				}
			}
		case *event.Decided:
			if e.ID == "c1" {
				decided = e
			}
		}
	}
	const told = `changed a.txt: it now has 40 lines, 313 bytes. The user approved a different change than you requested. Read the file before you continue.
The user decided on each hunk of this change:
- a.txt, hunk 1 (line 5 of your version): applied.
- a.txt, hunk 2 (lines 20 to 21 of your version): rejected, not applied.
- a.txt, hunk 3 (line 38 of the old file): applied with changes of the user.
- The user comments on a.txt, line 21, "twenty and a half": one word
- The user comments on a.txt, removed line 38, "line 38": keep it`
	if d := cmp.Diff(text, told); d != "" {
		t.Errorf("result (-got +want):\n%s", d)
	}
	record, err := event.Encode(decided)
	if err != nil {
		t.Fatal(err)
	}
	if decided.Decision != event.Allow || decided.Grant != nil || strings.Contains(string(record), "THIRTY-EIGHT") {
		t.Errorf("recorded: %s", record)
	}
	if d := cmp.Diff(decided.Hunks, []event.HunkDecision{{Path: "a.txt", Accepted: []int{0}, Edited: []int{2}, Rejected: []int{1},
		Comments: []event.LineComment{{Line: 21, Text: "one word"}, {Line: 38, Removed: true, Text: "keep it"}}}}); d != "" {
		t.Errorf("decision (-got +want):\n%s", d)
	}
}

// Of a patch, each file that is new, deleted or moved is one hunk, and a move is not
// divided.
func TestSomeFilesOfAPatch(t *testing.T) {
	const patch = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Delete File: old.txt\n*** Update File: from.txt\n*** Move to: to.txt\n@@\n-from\n+to\n*** End Patch\n"
	before := map[string]string{"old.txt": "old\n", "from.txt": "from\n"}
	for name, c := range map[string]struct {
		answers []event.HunkAnswer
		want    map[string]string
		outcome event.Outcome
		says    string
	}{
		"only the new file": {
			[]event.HunkAnswer{{Path: "new.txt", Accepted: []int{0}}},
			map[string]string{"new.txt": "new\n", "old.txt": "old\n", "from.txt": "from\n"}, event.OK, "- old.txt: rejected, not applied.\n- from.txt: rejected, not applied.\n- to.txt: rejected, not applied.",
		},
		"the new file as edited and the deletion": {
			[]event.HunkAnswer{{Path: "new.txt", Edited: []event.EditedHunk{{Text: "mine\n"}}}, {Path: "old.txt", Accepted: []int{0}}},
			map[string]string{"new.txt": "mine\n", "from.txt": "from\n"}, event.OK, "- new.txt: applied with changes of the user.\n- old.txt: applied.",
		},
		"the move": {
			[]event.HunkAnswer{{Path: "to.txt", Accepted: []int{0}}, {Path: "from.txt", Accepted: []int{0}}},
			map[string]string{"old.txt": "old\n", "to.txt": "to\n"}, event.OK, "moved from.txt to to.txt.",
		},
		"half of the move": {
			[]event.HunkAnswer{{Path: "to.txt", Accepted: []int{0}}, {Path: "new.txt", Accepted: []int{0}}},
			map[string]string{"new.txt": "new\n", "old.txt": "old\n", "from.txt": "from\n"}, event.OK, "- to.txt: rejected, not applied.",
		},
		"nothing, with a comment": {
			[]event.HunkAnswer{{Path: "new.txt", Comments: []event.LineComment{{Line: 1, Text: "which one?"}}}},
			before, event.Refused, "rejected by the user, who comments on the change. It was not run.\n- The user comments on new.txt, line 1, \"new\": which one?",
		},
		"another file": {
			[]event.HunkAnswer{{Path: "../outside", Accepted: []int{0}}, {Path: "new.txt", Accepted: []int{0}}},
			before, event.Failed, "it does not change ../outside",
		},
		"a hunk that is not there": {
			[]event.HunkAnswer{{Path: "new.txt", Accepted: []int{0, 1}}},
			before, event.Failed, "new.txt has no hunk 1",
		},
	} {
		p := script.New(script.Call("c1", "patch", jsonArgs(t, map[string]any{"patch": patch})), script.Say("done"))
		dir, o := reviewing(t, p, before)
		events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
			if a, ok := e.(event.Asked); ok {
				return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow, Hunks: c.answers}}
			}
			return nil
		})
		for _, e := range events {
			if end, ok := e.(*event.ToolEnd); ok && (end.Outcome != c.outcome || !strings.Contains(end.Result.Text, c.says)) {
				t.Errorf("%s: %s, %q", name, end.Outcome, end.Result.Text)
			}
		}
		if d := cmp.Diff(filesIn(t, dir), c.want); d != "" {
			t.Errorf("%s: files (-got +want):\n%s", name, d)
		}
	}
}

// A rejection carries the comments on lines.
func TestRejectedWithComments(t *testing.T) {
	p := script.New(script.Call("c1", "write", `{"path":"new.txt","content":"a\nb\n"}`), script.Say("done"))
	dir, o := reviewing(t, p, nil)
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Refuse, Note: "not yet", Hunks: []event.HunkAnswer{{Path: "new.txt", Comments: []event.LineComment{{Line: 2, Text: "why?"}}}}}}
		}
		return nil
	})
	for _, e := range events {
		if end, ok := e.(*event.ToolEnd); ok {
			if end.Outcome != event.Refused || end.Result.Text != "rejected by the user: not yet\n- The user comments on new.txt, line 2, \"b\": why?" || len(end.Proposed) != 1 {
				t.Errorf("%s, %q", end.Outcome, end.Result.Text)
			}
		}
	}
	if got := filesIn(t, dir); len(got) > 0 {
		t.Errorf("written: %v", got)
	}
}

// A secret in a hunk, in the edited text and in a comment gets into the file, and nowhere
// else.
func TestSecretsInHunks(t *testing.T) {
	inFile, typed := madeUp(11), madeUp(12)
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("line %d", i+1))
	}
	lines[1] = "token=" + inFile
	s := newSecretStage(t, map[string]string{"a.txt": strings.Join(lines, "\n") + "\n"})
	placeholder := newMask().Text(inFile)
	log := s.store.Create(history.Header{Dir: s.dir, Version: "test", Time: time.Now()})
	defer func() { _ = log.Close() }()
	p := script.New(
		script.Call("r1", "read", `{"path":"a.txt"}`),
		script.Call("c1", "edit", jsonArgs(t, map[string]any{"path": "a.txt", "edits": []map[string]string{
			{"old": "token=" + placeholder, "new": "key=" + placeholder}, {"old": "line 18\n", "new": "eighteen\n"}}})),
		script.Say("done"))
	o := s.options(t, newMask(), log, p)
	o.Permissions.Mode = event.ModeAsk
	play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		a, ok := e.(event.Asked)
		if !ok {
			return nil
		}
		if !strings.Contains(a.Ask.Diffs[0].Unified, "+key="+inFile) {
			t.Errorf("the user does not see what is written: %s", a.Ask.Diffs[0].Unified)
		}
		return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow, Hunks: []event.HunkAnswer{{
			Path: "a.txt", Accepted: []int{0}, Comments: []event.LineComment{{Line: 2, Text: "not " + typed}},
			Edited: []event.EditedHunk{{Hunk: 1, Text: "line 15\nline 16\nline 17\n" + typed + "\nline 19\nline 20\n"}},
		}}}}
	})
	lines[1], lines[17] = "key="+inFile, typed
	if got, want := s.file(t, "a.txt"), strings.Join(lines, "\n")+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	text := p.Requests()[2].Messages
	if last := text[len(text)-1].Text; !strings.Contains(last, "key="+placeholder) || !strings.Contains(last, "line 2") {
		t.Errorf("the model reads %q", last)
	}
	checkRequests(t, p, inFile, typed)
	s.checkNowhere(t, inFile, typed)
}
