package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// answerTo reads lines up to the one that answers the command with that ID, and returns it.
func (f *frontEnd) answerTo(id string) map[string]any {
	f.t.Helper()
	for f.out.Scan() {
		var e map[string]any
		if err := json.Unmarshal(f.out.Bytes(), &e); err != nil {
			f.t.Fatal(err)
		}
		if err := f.schema.Validate(e); err != nil {
			f.t.Errorf("%s: %v", f.out.Text(), err)
		}
		if e["command_id"] == id {
			return e
		}
	}
	f.t.Fatalf("the output ended without an answer to %q", id)
	return nil
}

// Another program tells answers apart by the IDs that it chose, also while several commands
// wait. Without an ID, nothing changes.
func TestAnotherProgramNamesItsCommands(t *testing.T) {
	t.Parallel()
	f := startFrontEnd(t, say("Hello."))
	for _, line := range []string{
		`{"type":"list_jobs"}`,
		`{"type":"list_jobs","command_id":"ä 1"}`,
		`{"type":"list_jobs","command_id":"2"}`,
		`{"type":"remove_permission","command_id":"3","id":"none"}`,
		`{"type":"explain_permission","command_id":"4","line":"git push"}`,
		`{"type":"set_mode","command_id":"5","mode":"plan"}`,
		`{"type":"plan_undo","command_id":"6"}`,
	} {
		f.send(line)
	}
	if e := f.until("jobs"); e["command_id"] != nil {
		t.Errorf("got %v", e)
	}
	same(t, f.answerTo("ä 1"), map[string]any{"type": "jobs"})
	same(t, f.answerTo("2"), map[string]any{"type": "jobs"})
	if e := f.answerTo("3"); e["type"] != "notice" || !strings.Contains(e["text"].(string), "no longer exists") {
		t.Errorf("got %v", e)
	}
	same(t, f.answerTo("4"), map[string]any{"type": "explained"})
	same(t, f.answerTo("5"), map[string]any{"type": "mode", "mode": "plan"})
	same(t, f.answerTo("6"), map[string]any{"type": "undo_plan", "id": ""})

	f.send(`{"type":"prompt","text":"hi","command_id":"7"}`)
	same(t, f.until("error"), map[string]any{"error": `prompt: unknown field "command_id"`})
	f.send(`{"type":"list_jobs","command_id":8}`)
	same(t, f.until("error"), map[string]any{"error": `list_jobs: "command_id" must be a string, not number`})
	f.send(`{"type":"prompt","text":"hi"}`)
	same(t, f.until("result"), map[string]any{"answer": "Hello."})
	if code := f.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
