//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// A call that is in effect one of another tool is that call for hooks, imported hooks, rules,
// traces and exports.
func TestWrappedCallsAreCallsOfTheirTool(t *testing.T) {
	t.Parallel()
	for i, w := range []struct{ name, tool, args, effective, given, claude string }{
		{"mcp_call", "mcp_call", `{"tool":"mcp__shop__stock","arguments":{"article":"tea"}}`, "mcp__shop__stock", `{"article":"tea"}`, "mcp__shop__.*"},
		{"direct", "mcp__shop__stock", `{"article":"tea"}`, "mcp__shop__stock", `{"article":"tea"}`, "mcp__shop__stock"},
		{"mcp_resource", "mcp_resource", `{"server":"shop","uri":"stock://tea"}`, "mcp__shop__resources/read", `{"uri":"stock://tea"}`, "mcp__shop__.*"},
		{"jobs", "jobs", `{"action":"start","command":"echo started"}`, "shell", `{"command":"echo started"}`, "Bash"},
	} {
		run := func(t *testing.T, rules, hooks, claude string) (h home, out string) {
			s := serve(t, call(w.tool, w.args), say("done"))
			h = newHome(t, nil, at(s)...)
			h.configure(t, `{"trace_content": true, "mcp": {"servers": {"shop": {"command": "agent-shop"}, "broken": {"command": "false"}}}, "permissions": {`+rules+`}, "hooks": {`+hooks+`}}`)
			if claude != "" {
				h.put(t, ".claude/settings.json", claude)
				if out, code := h.agent(t, "hooks", "import", "--project", "--yes"); code != 0 {
					t.Fatal(out)
				}
			}
			out, _ = h.agent(t, "run", "--model", "openai/m", "--mode", "all", "--trace", "trace.jsonl", "go")
			return h, out
		}
		rule := "tool: " + w.effective
		result := func(t *testing.T, h home) string {
			t.Helper()
			text, code := h.agent(t, "sessions", "export", "--format", "json", h.ids(t)[0])
			if code != 0 {
				t.Fatal(text)
			}
			return text
		}
		direct := w.tool == w.effective // the server was ready, so nothing wraps the call
		effective := `"effective":{"tool":"` + w.effective + `","arguments":` + w.given + `}`
		if direct {
			effective = `"name":"` + w.tool + `","input":` + w.given
		}
		for j, c := range []struct{ name, rules, hooks, claude, want string }{
			{"deny", `"deny": ["` + rule + `"]`, "", "", `"outcome":"refused"`},
			{"ask", `"ask": ["` + rule + `"]`, "", "", `"unattended":true`},
			{"allow", `"allow": ["` + rule + `"]`, "", "", `"outcome":"ok"`},
			{"before", "", `"before_tool": [{"tool": "` + w.effective + `", "command": "cat > seen; echo no way >&2; exit 2"}]`, "", "blocked by a hook of the user: no way"},
			{"after", "", `"after_tool": [{"tool": "` + w.effective + `", "command": "cat > seen"}]`, "", `"outcome":"ok"`},
			{"imported", "", "", `{"hooks": {"PreToolUse": [{"matcher": "` + w.claude + `", "hooks": [{"type": "command", "command": "cat > seen; echo no way >&2; exit 2"}]}]}}`, "blocked by a hook of the user: no way"},
		} {
			if !sampling.Row(i + j) {
				continue
			}
			t.Run(w.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				h, out := run(t, c.rules, c.hooks, c.claude)
				text := result(t, h)
				for _, want := range []string{c.want, effective} {
					if !strings.Contains(text, want) {
						t.Errorf("%s is not in\n%s\n%s", want, out, text)
					}
				}
				seen, _ := os.ReadFile(filepath.Join(h.work, "seen"))
				want := ""
				switch {
				case c.claude != "":
					name := w.effective
					if w.claude == "Bash" {
						name = "Bash"
					}
					want = `"tool_name":"` + name + `","tool_input":` + w.given
				case c.hooks != "":
					want = `"arguments":` + w.given
				}
				if !strings.Contains(string(seen), want) {
					t.Errorf("the hook got %s, want %s", seen, want)
				}
				trace, _ := os.ReadFile(filepath.Join(h.work, "trace.jsonl"))
				for _, want := range []string{`"name":"execute_tool ` + w.effective + `"`, `{"key":"gen_ai.tool.call.arguments","value":{"stringValue":` + fmt.Sprintf("%q", w.given) + `}}`} {
					if !strings.Contains(string(trace), want) {
						t.Errorf("%s is not in the trace\n%.3000s", want, trace)
					}
				}
				for _, format := range []string{"md", "html"} {
					text, _ := h.agent(t, "sessions", "export", "--format", format, h.ids(t)[0])
					if !direct && !strings.Contains(text, "tool: "+w.effective+"\n") {
						t.Errorf("the tool of the call is wrong in the %s\n%s", format, text)
					}
				}
			})
		}
	}
}
