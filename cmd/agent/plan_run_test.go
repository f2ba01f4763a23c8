package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlanOfARun checks `agent run --mode plan`: the turn ends with the plan, each
// output has it, and a later run has it in its context.
func TestPlanOfARun(t *testing.T) {
	t.Parallel()
	const args = `{"title":"Split server.go","steps":["move the handlers","run the tests"],"notes":"No API changes."}`
	const text = "# Split server.go\n\n## Steps\n\n1. move the handlers\n2. run the tests\n\n## Notes\n\nNo API changes.\n"
	home, dir := t.TempDir(), t.TempDir()
	var last *server
	run := func(answers []answer, more ...string) (out, notes string) {
		t.Helper()
		last = serve(t, answers...)
		cmd := exec.Command("agent", append([]string{"run", "--base-url", last.URL + "/v1", "--model", "openai/m"}, more...)...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH")}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s%s", err, stdout.String(), stderr.String())
		}
		return stdout.String(), stderr.String()
	}
	plan := []answer{{text: "I have read it.", calls: []string{"present_plan", args}}}
	out, notes := run(plan, "--mode", "plan", "split it")
	if d := cmp.Diff(out, "I have read it.\n\n"+text); d != "" || !strings.Contains(notes, "· plan Split server.go  nobody to approve it") {
		t.Errorf("text: %s%s", d, notes)
	}
	if n := len(last.seen()); n != 1 {
		t.Errorf("%d requests were sent, want 1", n)
	}
	var result struct {
		Answer, Reason string
		Plan           map[string]any
		ExitCode       int `json:"exit_code"`
	}
	out, _ = run(plan, "--mode", "plan", "--output", "json", "split it")
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"title": "Split server.go", "steps": []any{"move the handlers", "run the tests"}, "notes": "No API changes.", "text": text}
	if d := cmp.Diff(result.Plan, want); d != "" || result.Answer != "I have read it." || result.Reason != "done" || result.ExitCode != 0 {
		t.Errorf("json: %s%s", d, out)
	}
	out, _ = run(plan, "--mode", "plan", "--output", "stream-json", "split it")
	if !strings.Contains(out, `{"type":"plan",`) || !strings.Contains(out, `"state":"presented"`) || strings.Count(out, `"type":"step_end"`) != 1 {
		t.Errorf("stream-json: %s", out)
	}
	run([]answer{{text: "done"}}, "--continue", "--mode", "auto", "carry out the plan")
	if body := last.seen()[0].body; !strings.Contains(body, "move the handlers") || !strings.Contains(body, "Carry it out when the user asks for it.") {
		t.Errorf("the continued run sends %s", body)
	}
	out, _ = run([]answer{{text: "Just do it."}}, "--mode", "plan", "--output", "json", "split it")
	if !strings.Contains(out, `"answer":"Just do it."`) || strings.Contains(out, `"plan"`) {
		t.Errorf("without a plan: %s", out)
	}
}
