package loop_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/catalog"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// resultsIn plays replies in a session with tools for files and commands in dir, and
// returns the results that the model gets.
func resultsIn(t *testing.T, dir string, replies ...script.Reply) []string {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	p := script.New(append(replies, script.Say("done"))...)
	o := options(p, append(tools.Files(w, workspace.NewLedger()), tools.Commands{Workspace: w}.Tools(nil)...)...)
	o.Permissions.Mode = event.ModeAll
	play(t, o, []string{"go"}, nil)
	got := resultsOf(p)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], w.Dir(), "DIR")
	}
	return got
}

// resultsOf returns the results of calls in the last request to p.
func resultsOf(p *script.Provider) (got []string) {
	requests := p.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		if m.Kind == llm.ToolResult {
			got = append(got, m.Text)
		}
	}
	return got
}

// A directory that a call names is the one in which its command runs, also if an
// earlier call of the same reply changes the current directory.
func TestCommandRunsInTheNamedDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands take no directory")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := resultsIn(t, dir,
		script.Reply{}.
			Call("c1", "shell", `{"command":"cd a"}`).
			Call("c2", "shell", `{"command":"pwd","workdir":"."}`).
			Call("c3", "shell", `{"command":"pwd","workdir":"a/b"}`).
			Call("c4", "shell", `{"command":"pwd","workdir":"`+dir+`"}`).
			Call("c5", "shell", `{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\nEOF"}`).Calls(),
		script.Reply{}.
			Call("c6", "shell", `{"command":"pwd","workdir":"a"}`).
			Call("c7", "shell", `{"command":"pwd","workdir":"."}`).
			Call("c8", "shell", `{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\nEOF"}`).Calls(),
	)
	const again = "not run: an earlier call has changed the working directory. Send the call again"
	const otherPatch = "the patch is for another directory than the working directory. Call apply_patch, with paths relative to the working directory"
	if d := diff.Diff(got, []string{
		"[the next command runs in a]\n[exit 0]\n", again, again, again, again,
		"DIR/a\n[exit 0]\n[ignored: workdir]\n", "workdir . can mean two directories, because the shell is in a. Send an absolute path", otherPatch,
	}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// The @ of a name is not that of a mention.
func TestMentionIsNotTakenForAName(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"@app", "app", "src"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got := resultsIn(t, dir, script.Reply{}.
		Call("c1", "write", `{"path":"@app/x","content":"x"}`).
		Call("c2", "write", `{"path":"@types/x","content":"x"}`).
		Call("c3", "write", `{"path":"@src/x","content":"x"}`).
		Call("c4", "write", `{"path":"@x","content":"x"}`).Calls())
	if d := diff.Diff(got, []string{
		"created @app/x: it now has 1 line, 1 byte.", "created @types/x: it now has 1 line, 1 byte.",
		"created src/x: it now has 1 line, 1 byte.", "created x: it now has 1 line, 1 byte.",
	}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// Errors name the tools that the model is offered, as they are offered.
func TestErrorsNameTheOfferedTools(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-5": "The tools are: read, search, apply_patch", "claude": "The tools are: read, search, edit",
	} {
		p := script.New(script.Reply{}.Call("c1", "nosuch", `{}`).Call("c2", "apply_patch", `{"x":1}`).Calls(), script.Say("done"))
		o := options(p, tools.Files(nil, nil)...)
		o.Models.Current.ID = model
		o.Models.Offer = func(m string, _ int, all []llm.ToolSpec) []llm.ToolSpec {
			return slices.DeleteFunc(catalog.Offer(m, 0, all), func(s llm.ToolSpec) bool {
				return !slices.Contains([]string{"read", "search", "edit", "apply_patch"}, s.Name)
			})
		}
		play(t, o, []string{"go"}, nil)
		results := resultsOf(p)
		if !strings.HasSuffix(results[0], want) {
			t.Errorf("%s: %s", model, results[0])
		}
		if model == "gpt-5" && results[1] != `apply_patch needs "patch" (you sent "x")` {
			t.Error(results[1])
		}
	}
}

// A resumed session tells the model that commands run in the working directory again.
func TestResumedSessionTellsTheDirectoryOfCommands(t *testing.T) {
	const note = "[The session was resumed. The next command runs in the working directory, not in a b.]"
	for text, want := range map[string]bool{
		"[the next command runs in a b]\n[exit 0]\n":                                                   true,
		"x\n[the next command runs in c]\n[the next command runs in a b]\n[exit 0]\n":                  true,
		"[the next command runs in a b]\n[the next command runs in .]\n[exit 0]\n":                     false,
		"[the next command runs in a b]\n[the next command runs in the working directory]\n[exit 0]\n": false,
		"x [the next command runs in a b]\n[exit 0]\n":                                                 false,
		"[exit 0]\n":                            false,
		"page:[the next command runs in a b]\n": false, // of another tool
	} {
		tool := "shell"
		if rest, ok := strings.CutPrefix(text, "page:"); ok {
			tool, text = "fetch", rest
		}
		log := resumedLog(t,
			&event.MessageDone{Message: llm.Message{Kind: llm.User, Text: "hi"}},
			&event.MessageDone{Message: llm.Message{Kind: llm.ToolCall, Reply: "r1", ID: "c1", Name: tool, Input: json.RawMessage(`{"command":"x"}`)}},
			&event.ToolEnd{Outcome: event.OK, Result: llm.Message{Kind: llm.ToolResult, ID: "c1", Text: text}},
			&event.TurnEnd{Reason: event.Done},
		)
		p := script.New(script.Say("a"), script.Say("b"))
		o := options(p)
		o.Log = log
		play(t, o, []string{"one", "two"}, nil)
		requests := p.Requests()
		if n := strings.Count(conversation(requests[len(requests)-1]), note); n > 1 || (n == 1) != want {
			t.Errorf("%q: %d notes:\n%s", text, n, conversation(requests[0]))
		}
	}
}

// A time limit may be a fraction or text with a unit.
func TestTimeoutsInOtherForms(t *testing.T) {
	for limit, want := range map[string]string{
		`599.5`: "[exit 0]\n", `"599.5"`: "[exit 0]\n", `"5s"`: "[exit 0]\n", `"1.5 s"`: "[exit 0]\n", `"5 seconds"`: "[exit 0]\n", `"1m30s"`: "[exit 0]\n",
		`"10m"`: "[exit 0]\n", `"2 min"`: "[exit 0]\n", `"500ms"`: "[exit 0]\n", `"30000 milliseconds"`: "[exit 0]\n",
		`"20m"`: "[exit 0]\n[timeout_seconds 1200 is above the maximum: 600 s were used]\n",
		`"0s"`:  "must be at least 1", `"-5s"`: "must be at least 1", `"soon"`: "timeout_seconds", `1e30`: "timeout_seconds", `"5 lines"`: "timeout_seconds",
	} {
		for _, name := range []string{"timeout", "timeout_seconds"} {
			got := resultsIn(t, t.TempDir(), script.Reply{}.Call("c1", "shell", `{"command":"true","`+name+`":`+limit+`}`).Calls())
			if len(got) != 1 || !strings.HasSuffix(got[0], want) && (strings.HasPrefix(want, "[") || !strings.Contains(got[0], want)) {
				t.Errorf("%s %s: got %q, want %q", name, limit, got, want)
			}
		}
	}
	got := resultsIn(t, t.TempDir(), script.Reply{}.Call("c1", "shell", `{"command":"echo a; sleep 600","timeout":"500ms"}`).Calls())
	if len(got) != 1 || !strings.Contains(got[0], "still running after 1 s") {
		t.Errorf("got %q", got)
	}
}

// The result says how a timeout was understood that can mean two things.
func TestResultSaysWhichUnitATimeoutHas(t *testing.T) {
	got := resultsIn(t, t.TempDir(), script.Reply{}.
		Call("c1", "Bash", `{"command":"echo a","timeout":5000,"description":"say a"}`).
		Call("c2", "Bash", `{"command":"exit 3","timeout":7500}`).
		Call("c3", "Bash", `{"command":"echo a","timeout":60}`).Calls())
	if d := diff.Diff(got, []string{
		"a\n[exit 0]\n[ignored: description]\n[timeout 5000 means milliseconds: the time limit is 5 s]\n",
		"[exit 3]\n[timeout 7500 means seconds: the time limit is 600 s, the maximum]\n",
		"a\n[exit 0]\n",
	}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
