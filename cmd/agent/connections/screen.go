package connections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/cmd/agent/desktop"
	"agent/internal/loop/event"
	"agent/internal/tools/mcp"
	"agent/internal/tui/screen"
)

// Screen returns what the screen needs for /mcp, and for the resources and prompts of servers.
// It is empty without servers. ctx ends with the session, which the connections can outlive:
// it cancels requests for prompts that a server has not answered.
func (s *Session) Screen(ctx context.Context) screen.MCP {
	if s == nil {
		return screen.MCP{}
	}
	c := s.all
	return screen.MCP{
		Servers: func() (all []screen.MCPServer, deferred bool) {
			for _, status := range c.Servers() {
				all = append(all, screenServer(status))
			}
			return all, s.toolbox.Deferred()
		},
		Log:           c.Log,
		Reconnect:     func(name string) error { return c.Reconnect(context.Background(), name) },
		WithResources: c.WithResources,
		FindResources: func(server, query string, limit int) (found []screen.MCPResource) {
			for _, r := range c.FindResources(server, query, limit) {
				found = append(found, screen.MCPResource(r))
			}
			return found
		},
		Prompts: s.Prompts,
		Prompt: func(name string, words []string) (event.Prompt, error) {
			return s.Prompt(ctx, name, words)
		},
		Browse: desktop.Browse,
	}
}

// screenServer returns the state of a server for the screen.
func screenServer(s mcp.Status) screen.MCPServer {
	m := screen.MCPServer{Name: s.Name, State: string(s.State), Changing: s.State == mcp.Starting || s.Listing, Ready: s.State == mcp.Ready, Why: s.Why, Program: !s.Remote(), Target: s.Target(), Protocol: s.Protocol, Rejected: s.Rejected, Resources: len(s.Resources), Prompts: len(s.Prompts)}
	for _, t := range s.Tools {
		m.Tools = append(m.Tools, screen.MCPTool{Name: t.Tool, Description: t.Description, Tokens: t.Tokens()})
	}
	return m
}

// Prompts returns the prompts of the servers.
func (s *Session) Prompts() (all []screen.MCPPrompt) {
	if s == nil {
		return nil
	}
	for _, p := range s.all.Prompts() {
		out := screen.MCPPrompt{Name: p.Name, Usage: p.Usage(), Description: p.Description, Server: p.Server}
		for _, arg := range p.Arguments {
			out.Arguments = append(out.Arguments, arg.Name)
		}
		all = append(all, out)
	}
	return all
}

// promptTime limits how long a server may take to answer a prompt.
const promptTime = time.Minute

// Prompt requests a prompt from a server, with the words of the user as arguments. The session
// must have servers.
func (s *Session) Prompt(ctx context.Context, name string, words []string) (event.Prompt, error) {
	ctx, stop := context.WithTimeout(ctx, promptTime)
	defer stop()
	got, err := s.all.Prompt(ctx, name, words)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the MCP server did not answer within %s", promptTime)
	}
	return event.Prompt{Text: strings.TrimSpace(got.Text), Images: got.Images, Source: got.Source}, err
}
