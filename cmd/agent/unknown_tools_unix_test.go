//go:build unix

package main

import (
	"strings"
	"testing"
)

// A tool of no configured server is an unknown tool.
func TestToolsOfNoServerAreUnknown(t *testing.T) {
	t.Parallel()
	s := serve(t, call("mcp__shob__stock", `{"article":"tea"}`, "mcp__other__stock", `{}`, "mcp__broken__thing", `{}`, "mcp__none__nothing", `{}`), say("done"))
	h := newHome(t, nil, at(s)...)
	h.configure(t, `{"mcp": {"servers": {"shop": {"command": "agent-shop"}, "broken": {"command": "false"}}}}`)
	out, _ := h.agent(t, "run", "--model", "openai/m", "go")
	requests := s.seen()
	text := requests[len(requests)-1].body
	for _, want := range []string{
		`there is no tool \"mcp__shob__stock\". Did you mean \"mcp__shop__stock\"?`,
		`there is no tool \"mcp__other__stock\". Did you mean \"mcp__shop__stock\"?`,
		`no MCP server has the tool \"mcp__broken__thing\". The server broken is not ready`,
		`there is no tool \"mcp__none__nothing\". The tools are: `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s\n%s", want, out, text)
		}
	}
}
