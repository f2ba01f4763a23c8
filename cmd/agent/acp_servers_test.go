package main

import (
	"runtime"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// The names of the servers are made safe, their values are used as they are, and they start
// before the first prompt. The broken server keeps the tools from being listed.
func TestEditorServers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the tests are scripts of Unix")
	}
	s := serve(t,
		call("tool_search", `{"query":"stock"}`),
		call("mcp_call", `{"tool":"mcp__my-shop__stock","arguments":{"article":"tea"}}`),
		say("17 are left."),
		say("Ordered."),
	)
	h := newHome(t, map[string]string{".git/HEAD": "", ".agent/hooks.json": `{"session_start": [{"command": "true"}]}`}, at(s)...)
	h.configure(t, `{"mcp": {"servers": {"own": {"command": "agent-shop"}}}}`)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{})
	program := func(name, command string, env ...acp.EnvVariable) acp.McpServer {
		return acp.McpServer{Stdio: &acp.McpServerStdio{Name: name, Command: command, Args: []string{}, Env: env}}
	}
	r, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: h.work, McpServers: []acp.McpServer{
		program("My  Shop!", "agent-shop", acp.EnvVariable{Name: "CUSTOMER", Value: "${WHO} ann"}),
		program("broken", "false"), program("Own", "false"), program("", ""),
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.session, e.dir = r.SessionId, h.work
	for _, want := range []string{
		"MCP server own of the editor is not used: the configuration has one",
		"MCP server server of the editor is not used: it has neither a command nor a URL",
		"MCP server broken", // it has failed
		"This repository configures 1 hook file in .agent/hooks.json. It is not used until you confirm it: `agent trust`", // and no command that an editor lacks
	} {
		waitFor(t, want, func() bool { return strings.Contains(e.peek(), want) })
	}
	e.choose = pick(acp.PermissionOptionKindAllowOnce)
	if got := e.ask("how many?"); got != acp.StopReasonEndTurn {
		t.Errorf("the turn stopped with %s", got)
	}
	if got := e.questions(); !strings.Contains(got, "Call stock of the MCP server my-shop?") {
		t.Errorf("the call was not asked for: %s", got)
	}
	if body := s.seen()[2].body; !strings.Contains(body, "17 pieces") || !strings.Contains(body, "by ${WHO} ann") {
		t.Errorf("the result did not reach the model: %.3000s", body)
	}
	waitFor(t, "the prompt of the server", func() bool { return strings.Contains(e.peek(), "mcp__my-shop__order") })
	prompt := func(text string) error {
		_, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: e.session, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		return err
	}
	if err := prompt("/mcp__my-shop__order"); err == nil || !strings.Contains(err.Error(), "the argument article is missing") {
		t.Errorf("a prompt without its argument: %v", err)
	}
	if err := prompt("/mcp__my-shop__order tea and @my-shop:stock://tea"); err != nil {
		t.Error(err)
	}
	if body := s.seen()[3].body; !strings.Contains(body, `Order and @my-shop:stock://tea pieces of tea`) || !strings.Contains(body, `[resource stock://tea]\n17 pieces of tea`) {
		t.Errorf("the prompt of the server or the resource did not reach the model: %.3000s", body)
	}
	again := acp.LoadSessionRequest{SessionId: e.session, Cwd: h.work, McpServers: []acp.McpServer{program("late", "false")}}
	for range 2 { // the second time, nothing is different
		if _, err := e.LoadSession(t.Context(), again); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, "MCP server late", func() bool { return strings.Contains(e.peek(), "MCP server late") })
}
