// Package connections connects a session to its MCP servers, and keeps the connections while
// the user switches between sessions. It reads no configuration itself and asks the user
// nothing. Start reading at Open.
package connections

import (
	"context"
	"time"

	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/tools"
	"agent/internal/tools/mcp"
)

// startWait is how long the first request of a session without a user waits for servers that
// are starting. With a user it does not wait.
const startWait = 30 * time.Second

// Options are what the connections of a session need.
type Options struct {
	Settings settings.Settings
	Source   servers.Source
	Version  string // of this program, for the servers
	Attended bool   // the user sees the session, and can answer questions of servers
	// Save saves a result that is too long for the model, and returns the path of the file.
	// It is nil if the session is not saved.
	Save func(text string) (path string, err error)
	// Kept has the connections of earlier sessions, and keeps those of this one. Nil keeps
	// none.
	Kept *Kept
}

// Session holds the connections of a session to its MCP servers. It is nil for a session
// without servers.
type Session struct {
	all     *mcp.Connections
	toolbox *mcp.Toolbox
	kept    bool // Options.Kept closes the connections
}

// Open returns the connections of a session, and notices for the user about servers that are
// not used. It starts nothing: see Start. The caller closes them.
func Open(o Options) (*Session, []string) {
	all, _ := servers.All(o.Settings.MCP, "", o.Source) // Source.Trust reports the error
	if len(all) == 0 {
		o.Kept.Close()
		return nil, nil
	}
	var notices []string
	of := mcp.Options{Version: o.Version, Asks: o.Attended, Save: o.Save}
	for _, s := range all {
		if s.Off != "" && (!s.Waits || s.FromUser()) && !o.Settings.MCP.Servers[s.Name].Disabled {
			notices = append(notices, "The MCP server "+s.Name+" is not used: "+s.Off+".")
		}
		if s.Waits { // the user may confirm it while the session runs
			s.Server.Off = "it was not confirmed when the session started. Confirm it with /trust, then start a new session with /new"
		}
		of.Servers = append(of.Servers, s.Server)
	}
	s := &Session{kept: o.Kept != nil}
	if s.kept {
		s.all = o.Kept.connect(of, newConfiguration(o.Source.Dir, o.Settings, all))
	} else {
		s.all = mcp.New(of)
	}
	s.toolbox = &mcp.Toolbox{Connections: s.all}
	if !o.Attended {
		s.toolbox.Wait = startWait
	}
	return s, notices
}

// Start starts the servers and does not wait for them. Only the first call has an effect.
func (s *Session) Start() {
	if s != nil {
		s.all.Start()
	}
}

// Toolbox has the tools of the servers. The session must have servers.
func (s *Session) Toolbox() *mcp.Toolbox { return s.toolbox }

// Attach reads resources that a prompt mentions: see mcp.Connections.Attach. The session must
// have servers.
func (s *Session) Attach(ctx context.Context, mentions []string) []tools.Attachment {
	return s.all.Attach(ctx, mentions)
}

// Changed returns a channel that receives a value when the state of a server may have changed;
// nil without servers.
func (s *Session) Changed() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.all.Changed()
}

// Close ends the connections, unless they are kept.
func (s *Session) Close() []string {
	if s != nil && !s.kept {
		s.all.Close()
	}
	return nil
}
