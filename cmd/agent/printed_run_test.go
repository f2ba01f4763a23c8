package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// finished returns an answer with a text that ends for a reason.
func finished(text, reason string) answer {
	chunk, _ := json.Marshal(text)
	return answer{raw: fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%s},"finish_reason":%q}]}`+"\n\ndata: [DONE]\n\n", chunk, reason)}
}

// A run prints a reply in the form of a call that does not run as a call.
func TestRunPrintsTextInTheFormOfACall(t *testing.T) {
	t.Parallel()
	const write = `{"name":"write","arguments":{"path":"MARK","content":"x"}}`
	for name, row := range sampling.Rows(map[string]struct {
		prompt  string
		answers []answer
		args    []string
		want    string
	}{
		"the prompt asks for JSON":   {"reply with json only", []answer{say(write)}, nil, write},
		"the prompt asks for a call": {"what would the tool call be", []answer{say(write)}, nil, write},
		"the prompt has it":          {"see " + write, []answer{say(write)}, nil, write},
		"an unknown tool":            {"fix it", []answer{say(`{"name":"get_weather","arguments":{"city":"Paris"}}`)}, nil, `{"name":"get_weather","arguments":{"city":"Paris"}}`},
		"other arguments":            {"fix it", []answer{say(`{"name":"write","arguments":{"nope":1}}`)}, nil, `{"name":"write","arguments":{"nope":1}}`},
		"a sample":                   {"make a sample", []answer{say(`<tool_call>{"name":"x","arguments":{}}</tool_call>`)}, nil, `<tool_call>{"name":"x","arguments":{}}</tool_call>`},
		"a sample in a fence":        {"make a sample", []answer{say("```json\n" + `[{"tool":"x","args":{}}]` + "\n```")}, nil, "```json\n" + `[{"tool":"x","args":{}}]` + "\n```"},
		"the token limit":            {"fix it", []answer{finished(write, "length")}, nil, write},
		"a filter":                   {"fix it", []answer{finished(write, "content_filter")}, nil, write},
		"the last reply":             {"fix it", []answer{call("shell", `{"command":"ls"}`), say(write)}, []string{"--max-steps", "1"}, write},
		"text and a call":            {"fix it", []answer{{text: write, calls: []string{"shell", `{"command":"ls"}`}}, say("done")}, nil, write},
		"a part of one":              {"fix it", []answer{say(`<tool_call>{"na`)}, nil, `<tool_call>{"na`},
		"very long":                  {"fix it", []answer{say(strings.Replace(write, `"x"`, `"`+strings.Repeat("x", 300_000)+`"`, 1))}, nil, strings.Repeat("x", 300_000)},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			s := serve(t, row.answers...)
			cmd := h.command(append([]string{"run", "--model", "openai/m", "--base-url", s.URL + "/v1", row.prompt}, row.args...)...)
			var notes strings.Builder
			cmd.Stderr = &notes
			out, _ := cmd.Output()
			if strings.Count(string(out), row.want) != 1 {
				t.Errorf("got %q, want %q once\n%s", out, row.want, notes.String())
			}
		})
	}
}

// A run does not end well with a printed call that nobody can approve, or with a reply that
// shows nothing.
func TestRunFailsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for reply, code := range map[string]int{
		"```json\n" + `{"name":"write","arguments":{"path":"MARK","content":"x"}}` + "\n```":                                                     3,
		`[{"tool":"write","args":{"path":"MARK","content":"x"}}]`:                                                                                3,
		"<tool_call>write\n<arg_key>path</arg_key>\n<arg_value>MARK</arg_value>\n<arg_key>content</arg_key><arg_value>x</arg_value></tool_call>": 3,
		`<invoke name="write"><parameter name="path">MARK</parameter><parameter name="content">x</parameter></invoke>`:                           3,
		"<think>hmm</think>\n": 1,
		"\u200b\u00a0\ufeff":   1,
		" \n":                  1,
	} {
		t.Run(reply, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			s := serve(t, say(reply), say(reply))
			if code == 3 {
				s = serve(t, say(reply), say("done"))
			}
			out, got := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "fix it")
			if got != code {
				t.Errorf("exit code %d, want %d\n%s", got, code, out)
			}
		})
	}
}
