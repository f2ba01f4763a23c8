package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync"

	servers "agent/cmd/agent/mcp"
	"agent/internal/tools/mcp"
)

// connected are the connections of a session to MCP servers.
type connected struct {
	*mcp.Connections // nil without servers
	toolbox          *mcp.Toolbox
	kept             bool // for the next session: keptServers closes them
}

// Close ends the connections, unless they are kept.
func (c connected) Close() {
	if !c.kept {
		c.Connections.Close()
	}
}

// keptServers keeps the connections to MCP servers while the user switches between sessions
// of the same directory, configuration and trust. The front end that opens the sessions owns
// it and closes it. A nil value keeps nothing.
type keptServers struct {
	connections *mcp.Connections // nil if there are none
	key         string           // of their configuration

	mu     sync.Mutex
	checks map[string]func() error // Check of the servers of the session, by name
}

// connect returns connections for a session with these servers: the kept ones if the
// configuration is the same. It closes kept ones that the session does not use. Settings are
// further parts of the configuration.
func (k *keptServers) connect(o mcp.Options, all []servers.Configured, settings ...any) connected {
	if k == nil {
		return connected{Connections: mcp.New(o)}
	}
	key := keyOf(all, settings)
	if k.connections != nil && k.key != key {
		k.close()
	}
	k.check(o.Servers)
	if k.connections == nil {
		k.key, k.connections = key, mcp.New(o)
		return connected{Connections: k.connections, kept: true}
	}
	k.connections.SaveWith(o.Save)
	for _, s := range k.connections.Servers() {
		if s.State == mcp.Failed || s.State == mcp.NeedsLogin { // the cause may be gone
			_ = k.connections.Restart(s.Name)
		}
	}
	return connected{Connections: k.connections, kept: true}
}

// check sets the checks of a session, and makes servers call those of the current session.
func (k *keptServers) check(all []mcp.Server) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.checks = map[string]func() error{}
	for i := range all {
		s := &all[i]
		if s.Check == nil {
			continue
		}
		k.checks[s.Name] = s.Check
		s.Check = func() error {
			k.mu.Lock()
			check := k.checks[s.Name]
			k.mu.Unlock()
			return check()
		}
	}
}

// close ends the connections. The value can be used again.
func (k *keptServers) close() {
	if k != nil {
		k.connections.Close()
		k.connections = nil
	}
}

// keyOf returns a text that is the same for the same configuration.
func keyOf(all []servers.Configured, settings []any) string {
	key, err := json.Marshal(settings)
	if err != nil {
		key = []byte(rand.Text()) // not the same as any other
	}
	for _, s := range all {
		s.Locate, s.OAuth, s.Check = nil, nil, nil // functions: settings contains their inputs
		key = fmt.Appendf(key, "\n%#v", s)
	}
	return string(key)
}
