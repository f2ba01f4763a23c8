package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnswerOfARun checks the answer of `agent run`: all text since the last tool
// result, joined where the connection broke, and only the part that matches a schema.
func TestAnswerOfARun(t *testing.T) {
	t.Parallel()
	const chunk, end = `data: {"choices":[{"delta":{`, "}}]}\n\n"
	text := func(s string) string { return chunk + `"content":"` + s + `"` + end }
	thinking := chunk + `"reasoning_content":"hm"` + end
	const stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	const call = `data: {"choices":[{"delta":{"content":"I look.","tool_calls":[{"index":0,"id":"c1","function":{"name":"list","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	schema := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(schema, []byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		answers   []string
		args      []string
		want      string // standard output of --output text
		answer    string // of --output json
		continued bool
	}{
		"texts around thinking": {answers: []string{text("one") + thinking + text("two") + stop}, want: "one\n\ntwo\n", answer: "one\n\ntwo"},
		"after a call":          {answers: []string{call, text("done") + thinking + text("really") + stop}, want: "I look.\n\ndone\n\nreally\n", answer: "done\n\nreally"},
		"cut and continued":     {answers: []string{text("The answer is for"), text("ty-two.") + stop}, want: "The answer is forty-two.\n", answer: "The answer is forty-two.", continued: true},
		"a schema, behind a remark": {answers: []string{text("Here it is:") + thinking + text("{\\\"a\\\":\\\"b\\\"}") + stop}, args: []string{"--schema", schema},
			want: `{"a":"b"}` + "\n", answer: `{"a":"b"}`},
		"a schema, cut and continued": {answers: []string{text("{\\\"a\\\":\\\"b"), text("c\\\"}") + stop}, args: []string{"--schema", schema},
			want: `{"a":"bc"}` + "\n", answer: `{"a":"bc"}`, continued: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(args ...string) string {
				var answers []answer
				for _, raw := range row.answers {
					answers = append(answers, answer{raw: raw})
				}
				home := t.TempDir()
				cmd := exec.Command("agent", append(append([]string{"run", "--base-url", serve(t, answers...).URL + "/v1", "--model", "openai/m"}, row.args...), append(args, "go")...)...)
				cmd.Dir = t.TempDir()
				cmd.Env = []string{"HOME=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH")}
				var errors strings.Builder
				cmd.Stderr = &errors
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %s%s", err, out, errors.String())
				}
				return string(out)
			}
			if got := run(); got != row.want {
				t.Errorf("text: got %q, want %q", got, row.want)
			}
			var got struct {
				Answer    string
				Continued bool
			}
			if out := run("--output", "json"); json.Unmarshal([]byte(out), &got) != nil || got.Answer != row.answer || got.Continued != row.continued {
				t.Errorf("json: got %s, want %q, continued %t", out, row.answer, row.continued)
			}
		})
	}
}
