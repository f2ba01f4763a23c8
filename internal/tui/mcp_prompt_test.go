package tui

import (
	"errors"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// withResources returns options with an MCP server that has resources and prompts.
func withResources() screen.Options {
	o := screen.Options{Files: screen.Files{Find: findFiles}, Agents: someAgents}
	o.MCP = screen.MCP{
		WithResources: func() []string { return []string{"docs", "shop"} },
		FindResources: func(server, query string, limit int) (found []screen.MCPResource) {
			for _, r := range []screen.MCPResource{
				{URI: server + "://a b", Name: "with a blank"},
				{URI: server + "://{year}", Name: "by\x1b[2J year", Description: "all\u202e of it", Template: true},
			} {
				if strings.Contains(r.URI, query) {
					found = append(found, r)
				}
			}
			return found
		},
		Prompts: func() []screen.MCPPrompt {
			return []screen.MCPPrompt{
				{Name: "mcp__shop__order", Usage: "article [pie\x1bces]", Arguments: []string{"article", "pie\x1bces"}, Description: "order\x1b[2J", Server: "shop"},
				{Name: "mcp__shop__talk", Server: "shop"},
			}
		},
		Prompt: func(name string, words []string) (event.Prompt, error) {
			if name == "mcp__shop__talk" {
				return event.Prompt{Source: "shop"}, nil
			}
			if len(words) == 0 {
				return event.Prompt{}, errors.New("the argument article is missing\x1b[2J")
			}
			return event.Prompt{Text: "Order " + strings.Join(words, "|") + " and @shop:shop://b", Source: "shop"}, nil
		},
	}
	return o
}

// The servers with resources are offered after files, and @SERVER: offers their resources.
func TestResourcesAreCompleted(t *testing.T) {
	d := newDriver(t, 100, 24, withResources())
	d.typeText("see @")
	d.golden("mcp-mention-100x24")
	d.typeText("shop")
	d.shows("shop:", "resources of an MCP server")
	d.hides("docs:")
	d.press("tab")
	d.promptIs("see @shop:")
	d.golden("mcp-resources-100x24")
	d.press("down", "tab")
	d.promptIs("see @shop:shop://{year}") // to be completed
	for range "{year}" {
		d.press("backspace")
	}
	d.typeText("a")
	d.press("tab")
	d.promptIs(`see @"shop:shop://a b" `)
	d.press("enter")
	d.wantCommands(event.Prompt{Text: `see @"shop:shop://a b"`, Mentions: []string{"shop:shop://a b"}})
}

// A prompt of a server is sent after the typed line. Only the typed line can mention
// resources.
func TestMCPPrompts(t *testing.T) {
	d := newDriver(t, 100, 24, withResources())
	d.typeText("/mcp__shop__o")
	d.shows("/mcp__shop__order article [pie␛ces]", "order␛[2J (from the MCP server shop)")
	d.press("tab")
	d.promptIs("/mcp__shop__order ")
	d.shows("article=")
	d.hides("ces=")
	d.press("enter")
	d.shows("/mcp__shop__order: the argument article is missing␛[2J")
	d.promptIs("/mcp__shop__order")
	d.wantCommands()
	d.press("ctrl+u")
	d.typeText(`/MCP__shop__Order "green tea" article="two three" @shop:shop://a`)
	d.press("enter")
	typed := `/mcp__shop__order "green tea" article="two three" @shop:shop://a`
	d.wantCommands(event.Prompt{Text: typed + "\n\nOrder green tea|article=two three|@shop:shop://a and @shop:shop://b", Mentions: []string{"shop:shop://a"}, Source: "shop"})
	d.typeText("/mcp__shop__talk")
	d.press("enter")
	d.shows("Nothing sent: the MCP server answered with an empty prompt.")
	d.run("/help")
	d.shows("/mcp__shop__talk")
}
