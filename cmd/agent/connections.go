package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"agent/cmd/agent/desktop"
	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/loop/event"
	"agent/internal/tools/mcp"
	"agent/internal/tui/screen"
)

// mcpWait is how long a run without a user waits for MCP servers.
const mcpWait = 30 * time.Second

// addConnections connects the agent to the configured MCP servers. On a screen they start
// after the first frame; the first prompt does not wait for them.
func (a *app) addConnections(f opening, attended bool) {
	if a.choice.pick == nil {
		return // the demo
	}
	from := servers.Source{Dir: a.work.Dir(), Trust: a.trust, Getenv: a.choice.pick.Environment, Rules: a.options.Rules, Access: a.choice.pick.Access, Logins: mcpLogins()}
	all, _ := servers.All(a.set.MCP, "", from) // trust reports the error
	if len(all) == 0 {
		f.kept.close()
		return
	}
	o := mcp.Options{Version: version, Asks: attended && !f.noForms}
	for _, s := range all {
		if s.Off != "" && !s.Waits && !a.set.MCP.Servers[s.Name].Disabled {
			a.notices = append(a.notices, "The MCP server "+s.Name+" is not used: "+s.Off+".")
		}
		o.Servers = append(o.Servers, s.Server)
	}
	if a.record.Log != nil {
		o.Save = a.saveResult
	}
	a.connections = f.kept.connect(o, all, a.work.Dir(), a.set.MCP, a.set.Providers)
	box := &mcp.Toolbox{Connections: a.connections.Connections}
	if !attended {
		box.Wait = mcpWait
	}
	a.connections.toolbox = box
	a.options.Connected, a.options.Attach = box, a.connections.Attach
}

// screenMCP returns what the screen needs for /mcp. ctx ends with the session: it cancels a
// prompt that a server has not answered, because the answer belongs to the session. Connections
// can outlive it.
func (a *app) screenMCP(ctx context.Context) screen.MCP {
	c := a.connections
	if c.Connections == nil {
		return screen.MCP{}
	}
	return screen.MCP{
		Servers: func() (all []screen.MCPServer, deferred bool) {
			for _, s := range c.Servers() {
				m := screen.MCPServer{Name: s.Name, State: string(s.State), Starting: s.State == mcp.Starting, Ready: s.State == mcp.Ready, Why: s.Why, Program: !s.Remote(), Target: s.Target(), Protocol: s.Protocol, Rejected: s.Rejected, Resources: len(s.Resources), Prompts: len(s.Prompts)}
				for _, t := range s.Tools {
					m.Tools = append(m.Tools, screen.MCPTool{Name: t.Tool, Description: t.Description, Tokens: t.Tokens()})
				}
				all = append(all, m)
			}
			return all, c.toolbox.Deferred()
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
		Prompts: c.prompts,
		Prompt: func(name string, words []string) (event.Prompt, error) {
			return c.prompt(ctx, name, words)
		},
		Browse: desktop.Browse,
	}
}

// prompts returns the prompts of MCP servers.
func (c connected) prompts() (all []screen.MCPPrompt) {
	if c.Connections == nil {
		return nil
	}
	for _, p := range c.Prompts() {
		out := screen.MCPPrompt{Name: p.Name, Usage: p.Usage(), Description: p.Description, Server: p.Server}
		for _, arg := range p.Arguments {
			out.Arguments = append(out.Arguments, arg.Name)
		}
		all = append(all, out)
	}
	return all
}

// promptTime limits how long an MCP server may take to answer a prompt.
const promptTime = time.Minute

// prompt returns what an MCP server answers to a prompt with the words of the user.
func (c connected) prompt(ctx context.Context, name string, words []string) (event.Prompt, error) {
	ctx, stop := context.WithTimeout(ctx, promptTime)
	defer stop()
	got, err := c.Prompt(ctx, name, words)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the MCP server did not answer within %s", promptTime)
	}
	return event.Prompt{Text: strings.TrimSpace(got.Text), Images: got.Images, Source: got.Source}, err
}

// saveResult saves a long result with the session, without secrets, and returns the path of
// the file.
func (a *app) saveResult(text string) (string, error) {
	if a.secrets != nil {
		text = a.secrets.Text(text)
	}
	name := "mcp-" + strings.ToLower(rand.Text()) + ".txt"
	if err := a.record.Log.SaveOutput(name, text); err != nil {
		return "", err
	}
	return filepath.Join(a.record.Log.Outputs(), name), nil
}

// mergeServers returns the settings with the MCP servers of an editor. If the configuration
// has a server with the same name, only that one is used, and the user gets a notice.
func mergeServers(set settings.MCP, editors map[string]settings.MCPServer) (all settings.MCP, notices []string) {
	if len(editors) == 0 {
		return set, nil
	}
	all.Servers = maps.Clone(editors)
	for name, s := range set.Servers {
		if _, both := editors[name]; both {
			notices = append(notices, "The MCP server "+name+" of the editor is not used: the configuration has one with this name.")
		}
		all.Servers[name] = s
	}
	return all, notices
}
