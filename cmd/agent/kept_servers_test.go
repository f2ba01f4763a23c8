package main

import (
	"errors"
	"testing"

	servers "agent/cmd/agent/mcp"
	"agent/internal/tools/mcp"
)

// Sessions share connections as long as what configures the servers is the same. A server is
// checked with the trust of the session that uses it.
func TestKeptServers(t *testing.T) {
	k := &keptServers{}
	defer k.close()
	session := func(dir, variable, sum string, check error) connected {
		all := []servers.Configured{{Server: mcp.Server{Name: "shop", Command: []string{"no-such-program"}, Env: []string{"A=" + variable}}, Sum: sum}}
		all[0].Check = func() error { return check }
		return k.connect(mcp.Options{Servers: []mcp.Server{all[0].Server}}, all, dir)
	}
	first := session("/a", "1", "", nil)
	if again := session("/a", "1", "", errors.New("not confirmed any more")); again.Connections != first.Connections || !again.kept {
		t.Error("the connections are not kept")
	}
	if err := first.Reconnect(t.Context(), "shop"); err == nil || err.Error() != "MCP server shop, failed: not confirmed any more" {
		t.Errorf("the check of the first session is used: %v", err)
	}
	seen := map[*mcp.Connections]bool{first.Connections: true}
	for _, other := range []connected{session("/b", "1", "", nil), session("/b", "2", "", nil), session("/b", "2", "changed", nil)} {
		if seen[other.Connections] {
			t.Error("another configuration uses the same connections")
		}
		seen[other.Connections] = true
	}
	if other := (*keptServers)(nil).connect(mcp.Options{}, nil); other.kept {
		t.Error("connections are kept for nobody")
	}
}
