package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agent/internal/tui/screen"
)

// connected returns the options of a session with MCP servers. Lines of the log are
// numbered.
func connected(reconnected *[]string) screen.Options {
	tools := []screen.MCPTool{
		{Name: "create_issue", Description: "Create an issue in a repository.\nArguments: title, body.", Tokens: 310},
		{Name: "find\x1b[2J", Description: "Find issues", Tokens: 1200},
	}
	reads := 0
	return screen.Options{MCP: screen.MCP{
		Servers: func() ([]screen.MCPServer, bool) {
			reads++
			slow := screen.MCPServer{Name: "slow", State: "ready", Ready: true, Program: true, Target: "npx slow-server"}
			if reads == 1 { // the list is updated when the server is ready
				slow.State, slow.Changing, slow.Ready = "starting", true, false
			}
			return []screen.MCPServer{
				{Name: "docs", State: "needs login", Why: "the server answers 401. To log in: agent mcp login docs", Target: "https://mcp.example.org/mcp"},
				{Name: "github", State: "ready", Ready: true, Program: true, Target: "github-mcp-server stdio", Protocol: "2025-11-25", Tools: tools, Rejected: []string{"broken: its schema is not an object"}},
				slow,
			}, true
		},
		Log: func(name string) string {
			return "\x1b]0;title\a" + strings.Repeat("old\n", 200) + "last line of " + name + "\n"
		},
		Reconnect: func(name string) error {
			*reconnected = append(*reconnected, name)
			if name == "docs" {
				return errors.New("MCP server docs, needs login: \x1b[2Jno")
			}
			return nil
		},
	}}
}

func TestMCPServers(t *testing.T) {
	var reconnected []string
	d := newDriver(t, 100, 24, connected(&reconnected))
	d.run("/mcp")
	d.golden("mcp-100x24")
	d.press("down", "enter")
	d.golden("mcp-server-100x24")
	d.press("enter")
	d.shows("Connected to the MCP server github.")
	d.run("/mcp docs")
	d.press("down", "enter")
	d.shows("Cannot connect: MCP server docs, needs login: ␛[2Jno")
	if got := fmt.Sprint(reconnected); got != "[github docs]" {
		t.Errorf("reconnected %s", got)
	}
	d.run("/mcp github")
	d.press("down", "enter")
	d.shows("last line of github")
	d.run("/mcp github")
	d.press("down", "down", "enter")
	d.shows("Arguments: title, body.")
	d.run("/mcp other")
	d.shows("There is no MCP server other. To list them: /mcp")
}

func TestMCPWithoutServers(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.run("/mcp")
	d.shows("No MCP server is configured. To add one, run in a shell: agent mcp add NAME")
}
