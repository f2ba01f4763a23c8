package connections

import (
	"reflect"
	"slices"
	"sync"

	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/tools/mcp"
)

// Kept keeps connections while the user switches between sessions whose servers are
// configured in the same way. The front end that opens the sessions owns it and closes it,
// and opens one session at a time. The zero value has no connections.
type Kept struct {
	all  *mcp.Connections // nil if there are none
	from configuration    // with which all was created

	mu     sync.Mutex
	checks map[string]func() error // Check of the current session's servers, by name
}

// connect returns the connections for a session with that configuration, and makes them use
// o.Save and the checks of o.Servers. It closes kept ones with another configuration.
func (k *Kept) connect(o mcp.Options, from configuration) *mcp.Connections {
	if k.all != nil && !reflect.DeepEqual(k.from, from) {
		k.Close()
	}
	o.Servers = k.check(o.Servers)
	if k.all == nil {
		k.from, k.all = from, mcp.New(o)
		return k.all
	}
	k.all.SaveWith(o.Save)
	for _, s := range k.all.Servers() {
		if s.State == mcp.Failed || s.State == mcp.NeedsLogin { // the cause may be gone
			_ = k.all.Restart(s.Name)
		}
	}
	return k.all
}

// check stores the Check functions of a session's servers. It returns the servers with Check
// functions that call the stored ones, so that they are those of the current session.
func (k *Kept) check(all []mcp.Server) []mcp.Server {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, k.checks = slices.Clone(all), map[string]func() error{}
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
	return all
}

// Close ends the connections. k can be used again, and may be nil.
func (k *Kept) Close() {
	if k != nil {
		k.all.Close()
		k.all = nil
	}
}

// configuration is everything that determines the connections of a session. Two of them are
// compared with reflect.DeepEqual, which reports false for functions that are not nil: a field
// that cannot be compared prevents keeping connections, but never keeps wrong ones.
type configuration struct {
	Dir       string
	Servers   []servers.Configured // without functions, which depend on the other fields
	MCP       settings.MCP
	Providers map[string]settings.Provider
	BaseURL   string
	AllowHTTP []string
}

func newConfiguration(dir string, set settings.Settings, all []servers.Configured) configuration {
	c := configuration{Dir: dir, Servers: slices.Clone(all), MCP: set.MCP, Providers: set.Providers, BaseURL: set.BaseURL, AllowHTTP: set.AllowHTTP}
	for i := range c.Servers {
		s := &c.Servers[i]
		s.Locate, s.OAuth, s.Check = nil, nil, nil
	}
	return c
}
