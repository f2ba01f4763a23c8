package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// specialists are agents of the user, each with its own instructions, model and tools.
func specialists(t *testing.T, h home) {
	t.Helper()
	for name, text := range map[string]string{
		"reader.md":  "---\ndescription: finds facts in files\nmodel: small-reader\ntools: read, search\n---\nYou are the reader. Quote lines.\n",
		"judge.md":   "---\ndescription: decides between options\nmodel: wise-judge\ntools: []\n---\nYou are the judge. Only think.\n",
		"builder.md": "---\ndescription: writes files\nmode: edits\ntools: write\nmax_steps: 5\n---\nYou are the builder. Write short files.\n",
	} {
		path := filepath.Join(h.dir, ".config", "agent", "agents", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A coordinator gives three specialists their tasks at once, gets one result of each,
// and merges them in its answer. The specialists have their own instructions, models
// and tools, and the trace shows each below its call.
func TestCoordinatorMergesSpecialists(t *testing.T) {
	t.Parallel()
	c := serveCrew(t, 3, map[string][]answer{
		coordinator: {
			call("delegate", `{"agent":"reader","prompt":"TASK-READ: quote the greeting"}`,
				"delegate", `{"agent":"judge","prompt":"TASK-JUDGE: tabs or blanks?"}`,
				"delegate", `{"agent":"builder","prompt":"TASK-BUILD: write notes.md"}`),
			say("Merged: the greeting is hello, tabs win, notes.md is written."),
		},
		"TASK-READ":  {call("read", `{"path":"main.go"}`), say("The greeting is hello.")},
		"TASK-JUDGE": {say("Tabs win.")},
		"TASK-BUILD": {call("write", `{"path":"notes.md","content":"notes\n"}`), say("notes.md is written.")},
	})
	h := newHome(t, map[string]string{"main.go": goFile}, at(c.server)...)
	specialists(t, h)
	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	out, code := h.agent(t, "run", "--model", "openai/boss", "--mode", "auto", "--trace", trace, "--output", "json", "settle it")
	var result struct{ Answer, Reason string }
	if err := json.Unmarshal([]byte(out), &result); err != nil || code != 0 || result.Reason != "done" || result.Answer != "Merged: the greeting is hello, tabs win, notes.md is written." {
		t.Errorf("exit code %d, %v: %s", code, err, out)
	}
	if got := read(t, h, "notes.md"); got != "notes\n" {
		t.Errorf("notes.md is %q", got)
	}
	for _, want := range []struct {
		name, model, prompt string
		tools               []string
		requests            int
	}{
		{"TASK-READ", "small-reader", "You are the reader.", []string{"read", "search"}, 2},
		{"TASK-JUDGE", "wise-judge", "You are the judge.", nil, 1},
		{"TASK-BUILD", "boss", "You are the builder.", []string{"write"}, 2},
	} {
		requests := c.requestsOf(want.name)
		if len(requests) != want.requests {
			t.Errorf("%s sent %d requests, want %d", want.name, len(requests), want.requests)
		}
		for _, r := range requests {
			if d := cmp.Diff(r.tools(), want.tools); d != "" || r.Model != want.model || strings.Count(r.body, "You are the ") != 1 || !strings.Contains(r.body, want.prompt) {
				t.Errorf("%s: model %s, tools %s: %s", want.name, r.Model, d, r.body)
			}
		}
	}
	asked := c.requestsOf(coordinator)
	if len(asked) != 2 {
		t.Fatalf("the coordinator sent %d requests", len(asked))
	}
	results := asked[1].results(t)
	for id, want := range map[string]string{
		"call_0": "The greeting is hello.\n\n[reader 1: done, 2 steps", "call_1": "Tabs win.\n\n[judge 2: done, 1 step", "call_2": "notes.md is written.\n\n[builder 3: done, 2 steps",
	} {
		if got := results[id]; !strings.HasPrefix(got, want) || !strings.Contains(got, "Transcript: ") {
			t.Errorf("call %s has the result %q, want %q", id, got, want)
		}
	}
	if len(results) != 3 {
		t.Errorf("%d results", len(results))
	}
	if n := len(checkSessions(t, h)); n != 3 {
		t.Errorf("%d sessions of delegates", n)
	}
	const turn = "session > invoke_agent agent"
	const calls = turn + " > step 1 > execute_tool delegate"
	want := []string{"session", turn, turn + " > step 1", turn + " > step 1 > chat boss", calls, calls, calls, turn + " > step 2", turn + " > step 2 > chat boss"}
	for name, model := range map[string]string{"reader": "small-reader", "builder": "boss", "judge": "wise-judge"} {
		of := calls + " > invoke_agent " + name
		want = append(want, of, of+" > turn 1", of+" > turn 1 > step 1", of+" > turn 1 > step 1 > chat "+model)
		if tool := map[string]string{"reader": "read", "builder": "write"}[name]; tool != "" {
			want = append(want, of+" > turn 1 > step 1 > execute_tool "+tool, of+" > turn 1 > step 2", of+" > turn 1 > step 2 > chat "+model)
		}
	}
	slices.Sort(want)
	if d := cmp.Diff(spanPaths(t, trace), want); d != "" {
		t.Error(d)
	}
}

// A call that limits a delegate to edit also gives it patch, because a model is offered
// only one of them. A tool that no delegate has is an error that names the others to the
// model, not to the user.
func TestLimitOfTheToolsOfADelegate(t *testing.T) {
	t.Parallel()
	c := serveCrew(t, 0, map[string][]answer{
		coordinator: {
			call("delegate", `{"agent":"general","prompt":"TASK-EDIT","tools":["edit"]}`, "delegate", `{"agent":"general","prompt":"TASK-NONE","tools":["none"]}`,
				"delegate", `{"agent":"general","prompt":"TASK-DEEP","tools":["delegate"]}`),
			say("All is done."),
		},
		"TASK-EDIT": {say("Edited.")}, "TASK-NONE": {say("Thought.")}, "TASK-DEEP": {say("never")},
	})
	h := newHome(t, nil, at(c.server)...)
	out, code := h.agent(t, "run", "--model", "openai/gpt-5", "do it")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if n := strings.Count(out, `there is no tool "delegate" for delegates`); n != 1 || strings.Contains(out, "The tools are") {
		t.Errorf("the user reads the error %d times:\n%s", n, out)
	}
	edits := c.requestsOf("TASK-EDIT")
	if len(edits) != 1 || !slices.Equal(edits[0].tools(), []string{"apply_patch"}) { // the name of patch for this model
		t.Errorf("the delegate that edits has the tools %q", edits[0].tools())
	}
	if none := c.requestsOf("TASK-NONE"); len(none) != 1 || len(none[0].tools()) != 0 {
		t.Errorf("the delegate without tools sent %d requests, the first one with the tools %q", len(none), none[0].tools())
	}
	asked := c.requestsOf(coordinator)
	if got := asked[len(asked)-1].results(t)["call_2"]; !strings.Contains(got, `there is no tool "delegate" for delegates. The tools are: read, `) || strings.Contains(got, ", delegate") || len(c.requestsOf("TASK-DEEP")) != 0 {
		t.Errorf("the call with a wrong tool has the result %q", got)
	}
}
