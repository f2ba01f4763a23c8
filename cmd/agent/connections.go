package main

import (
	"crypto/rand"
	"maps"
	"path/filepath"
	"strings"
	"time"

	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/tools/mcp"
)

// mcpWait is how long a run without a user waits for MCP servers.
const mcpWait = 30 * time.Second

// addConnections connects the agent to the configured MCP servers. On a screen they start
// after the first frame; the first prompt does not wait for them.
func (a *app) addConnections(attended bool) {
	if len(a.set.MCP.Servers) == 0 {
		return
	}
	from := servers.Source{Dir: a.work.Dir(), Getenv: a.choice.pick.Environment, Rules: a.options.Rules, Access: a.choice.pick.Access}
	o := mcp.Options{Servers: servers.Servers(a.set.MCP, from), Version: version}
	for _, s := range o.Servers {
		if s.Off != "" && !a.set.MCP.Servers[s.Name].Disabled {
			a.notices = append(a.notices, "The MCP server "+s.Name+" is not used: "+s.Off+".")
		}
	}
	if a.record.Log != nil {
		o.Save = a.saveResult
	}
	a.connections = mcp.New(o)
	box := &mcp.Toolbox{Connections: a.connections}
	if !attended {
		box.Wait = mcpWait
	}
	a.options.Connected = box
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
