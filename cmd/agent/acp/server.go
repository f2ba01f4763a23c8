// Package acp is the front end for editors: it speaks the Agent Client Protocol, version 1
// (https://agentclientprotocol.com), on standard input and output. Like the screen, it
// takes the events of an agent, sends it commands and asks the user for approval, here
// through the editor. It opens no session itself and runs no tool. Start reading at Serve.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"agent/cmd/agent/sessions"
	"agent/cmd/agent/settings"
	"agent/internal/loop/event"
	"agent/internal/tools/workspace"
)

// Options are what the front end needs from the program.
type Options struct {
	Version string // of the program
	// Open opens a session. It is called for one session at a time.
	Open func(Opening) (*Opened, error)
	// List returns the sessions of a directory, or all sessions if dir is empty, the most
	// recently used first.
	List func(ctx context.Context, dir string) ([]sessions.Entry, error)
	Log  io.Writer // for messages to the developer of an editor: standard error
}

// Opening says which session to open.
type Opening struct {
	Dir     string // absolute; of a resumed session it is ignored
	Resume  string // ID of the session to resume; empty for a new one
	AddDirs []string
	Servers map[string]settings.MCPServer // MCP servers of the editor, by name
	Editor  workspace.Editor              // nil if the editor does not share its files
}

// Opened is an open session.
type Opened struct {
	Agent interface {
		Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event)
		Page(from, to int) ([]event.Event, error)
	}
	ID, Dir  string
	Mode     event.Mode
	Modes    []event.Mode // that the user may choose
	Model    event.ModelSet
	Models   func(context.Context) []Model // that the user may choose
	Commands []Command                     // custom commands and skills
	// Prompts returns the prompts of MCP servers as commands. Changed has a token when they
	// may have changed. Both may be nil.
	Prompts func() []Command
	Changed <-chan struct{}
	Notices []string    // for the user
	Resumed bool        // the session is stored: the agent first reports an event.Opened or event.Unreadable
	Saved   func() bool // the session can be resumed
	// Search searches for a model on this machine and sends the result. It returns at the
	// latest when the context ends.
	Search func(context.Context, chan<- event.Command)
	Close  func()
}

// Model is a model that can be chosen.
type Model struct{ Name, Why string }

// Command is a slash command that sends a prompt.
type Command struct {
	Name, Args, What string
	// Prompt returns the prompt. One of Opened.Prompts may wait for its server.
	Prompt func(ctx context.Context, args string) (event.Prompt, error)
}

// server holds the sessions of one connection.
type server struct {
	Options
	conn *conn

	opening sync.Mutex // held while a session is opened
	mu      sync.Mutex
	client  acp.ClientCapabilities
	open    map[acp.SessionId]*session
}

// Serve answers the messages of in on out until in ends, the connection fails or ctx ends.
// Then it interrupts the turns that run and closes all sessions.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	s := &server{Options: o, open: map[acp.SessionId]*session{}}
	s.conn = newConn(ctx, out, func(format string, args ...any) {
		fmt.Fprintf(o.Log, "agent acp: "+format+"\n", args...)
	})
	s.conn.handle = s.handle
	ended := make(chan error, 1)
	go func() { ended <- s.conn.read(in) }() // may outlive Serve, because a read cannot be cancelled
	<-s.conn.Ended()
	s.mu.Lock()
	all := s.open
	s.open = nil
	s.mu.Unlock()
	for _, open := range all {
		open.close()
	}
	s.conn.wait()
	select {
	case err := <-ended:
		return err
	default:
		return nil
	}
}

// decode reads the parameters of a method. P is a type of the SDK. Some of these types can
// validate themselves.
func decode[P any](params json.RawMessage) (*P, error) {
	p := new(P)
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	err := json.Unmarshal(params, p)
	if v, ok := any(p).(interface{ Validate() error }); ok && err == nil {
		err = v.Validate()
	}
	if err != nil {
		return nil, invalid("%v", err)
	}
	return p, nil
}

// invalid returns the error for wrong parameters.
func invalid(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &acp.RequestError{Code: -32602, Message: "Invalid params: " + text}
}

// handle decodes a message and returns the task that answers it.
func (s *server) handle(method string, params json.RawMessage) (task, error) {
	switch method {
	case acp.AgentMethodInitialize:
		return with(params, s.initialize)
	case acp.AgentMethodAuthenticate:
		return nil, invalid("there are no authentication methods: run 'agent login' in a terminal")
	case acp.AgentMethodSessionNew:
		return with(params, s.newSession)
	case acp.AgentMethodSessionLoad:
		return with(params, func(p *acp.LoadSessionRequest) (task, error) {
			return s.resume(p.SessionId, Opening{Dir: p.Cwd, AddDirs: p.AdditionalDirectories}, p.McpServers, true)
		})
	case acp.AgentMethodSessionResume:
		return with(params, func(p *acp.ResumeSessionRequest) (task, error) {
			return s.resume(p.SessionId, Opening{Dir: p.Cwd, AddDirs: p.AdditionalDirectories}, p.McpServers, false)
		})
	case acp.AgentMethodSessionList:
		return with(params, s.list)
	case acp.AgentMethodSessionClose:
		return with(params, s.closeSession)
	case acp.AgentMethodSessionPrompt:
		return with(params, s.prompt)
	case acp.AgentMethodSessionCancel:
		return with(params, s.cancel)
	case acp.AgentMethodSessionSetMode:
		return with(params, s.setMode)
	case acp.AgentMethodSessionSetConfigOption:
		return with(params, s.setOption)
	}
	return nil, acp.NewMethodNotFound(method)
}

// with decodes the parameters of a method and passes them to f.
func with[P any](params json.RawMessage, f func(*P) (task, error)) (task, error) {
	p, err := decode[P](params)
	if err != nil {
		return nil, err
	}
	return f(p)
}

// done returns a task with that result.
func done(result any) (task, error) {
	return func(context.Context) (any, func(), error) { return result, nil, nil }, nil
}

func (s *server) initialize(p *acp.InitializeRequest) (task, error) {
	s.mu.Lock()
	s.client = p.ClientCapabilities
	s.mu.Unlock()
	title := "agent"
	return done(acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "agent", Title: &title, Version: s.Version},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			McpCapabilities:    acp.McpCapabilities{Http: true, Sse: true},
			SessionCapabilities: acp.SessionCapabilities{
				List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{}, Close: &acp.SessionCloseCapabilities{},
				AdditionalDirectories: &acp.SessionAdditionalDirectoriesCapabilities{},
			},
		},
	})
}

func (s *server) newSession(p *acp.NewSessionRequest) (task, error) {
	if !filepath.IsAbs(p.Cwd) {
		return nil, invalid("cwd must be an absolute path, not %q", p.Cwd)
	}
	return func(ctx context.Context) (any, func(), error) {
		open, err := s.start(Opening{Dir: p.Cwd, AddDirs: p.AdditionalDirectories}, p.McpServers, false)
		if err != nil {
			return nil, nil, err
		}
		options, modes := open.choices.all(ctx)
		return acp.NewSessionResponse{SessionId: open.id, ConfigOptions: options, Modes: modes}, open.announce, nil
	}, nil
}

// resume returns the task that opens a stored session, or returns to one that is open. With
// replay, it sends its transcript before the answer.
func (s *server) resume(id acp.SessionId, o Opening, servers []acp.McpServer, replay bool) (task, error) {
	switch {
	case !filepath.IsAbs(o.Dir):
		return nil, invalid("cwd must be an absolute path, not %q", o.Dir)
	case id == "": // it would open a new session
		return nil, invalid("sessionId must not be empty")
	}
	return func(ctx context.Context) (any, func(), error) {
		open, err := s.session(id)
		if err == nil && open.differs(servers, o.AddDirs) {
			if err := s.release(open); err != nil {
				return nil, nil, err
			}
			open = nil
		}
		if open == nil {
			o.Resume = string(id)
			open, err = s.start(o, servers, replay)
			replay = false
		}
		if err == nil {
			err = open.restore(ctx, replay)
		}
		if err != nil {
			return nil, nil, err
		}
		options, modes := open.choices.all(ctx)
		if replay {
			return acp.LoadSessionResponse{ConfigOptions: options, Modes: modes}, open.announce, nil
		}
		return acp.ResumeSessionResponse{ConfigOptions: options, Modes: modes}, open.announce, nil
	}, nil
}

// release closes a session that is opened again with other servers or directories.
func (s *server) release(open *session) error {
	switch {
	case open.turns.busy():
		return invalid("the MCP servers and directories of session %s cannot be changed while a prompt runs: cancel it first", open.id)
	case !open.opened.Saved():
		return invalid("session %s is not saved, so its MCP servers and directories cannot be changed: create one with session/new", open.id)
	}
	s.mu.Lock()
	delete(s.open, open.id)
	s.mu.Unlock()
	open.close()
	return nil
}

// start opens a session with the MCP servers of the editor and runs its agent. With replay,
// the session sends its transcript once it is read.
func (s *server) start(o Opening, servers []acp.McpServer, replay bool) (*session, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.mu.Lock()
	client := s.client
	s.mu.Unlock()
	files := newFiles(s.conn, client.Fs)
	if files != nil {
		o.Editor = files
	}
	var notices []string
	o.Servers, notices = serversOf(servers)
	opened, err := s.Open(o)
	if err != nil {
		return nil, err
	}
	if o.Resume != "" && opened.ID != o.Resume { // a prefix of an ID
		opened.Close()
		return nil, notFound(acp.SessionId(o.Resume))
	}
	opened.Notices = append(opened.Notices, notices...)
	open := newSession(s.conn, opened, client, o.Resume != "", replay)
	open.servers, open.dirs = servers, o.AddDirs
	if files != nil {
		files.bind(open.id)
	}
	s.mu.Lock()
	ended := s.open == nil
	if !ended {
		s.open[open.id] = open
	}
	s.mu.Unlock()
	if ended {
		open.close()
		return nil, errors.New("the connection has ended")
	}
	return open, nil
}

// session returns the open session with that ID.
func (s *server) session(id acp.SessionId) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open := s.open[id]; open != nil {
		return open, nil
	}
	return nil, notFound(id)
}

// notFound returns the error for a session that is not open.
func notFound(id acp.SessionId) error {
	return &acp.RequestError{Code: -32002, Message: fmt.Sprintf("session %s is not open: create one with session/new, or open one of session/list with session/load", id)}
}

// listed is the number of sessions in one answer of session/list.
const listed = 100

func (s *server) list(p *acp.ListSessionsRequest) (task, error) {
	return func(ctx context.Context) (any, func(), error) {
		dir := ""
		if p.Cwd != nil {
			dir = *p.Cwd
		}
		all, err := s.List(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		if p.Cursor != nil { // the ID of the last session of the previous answer
			for i, e := range all {
				if e.ID == *p.Cursor {
					all = all[i+1:]
					break
				}
			}
		}
		out := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
		if len(all) > listed {
			all = all[:listed]
			out.NextCursor = &all[listed-1].ID
		}
		for _, e := range all {
			title, at := clean(e.Title), e.Modified.UTC().Format(time.RFC3339)
			out.Sessions = append(out.Sessions, acp.SessionInfo{SessionId: acp.SessionId(e.ID), Cwd: e.Dir, Title: &title, UpdatedAt: &at})
		}
		return out, nil, nil
	}, nil
}

func (s *server) closeSession(p *acp.CloseSessionRequest) (task, error) {
	open, err := s.session(p.SessionId)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	delete(s.open, p.SessionId)
	s.mu.Unlock()
	return func(context.Context) (any, func(), error) {
		open.close()
		return acp.CloseSessionResponse{}, nil, nil
	}, nil
}

func (s *server) prompt(p *acp.PromptRequest) (task, error) {
	open, err := s.session(p.SessionId)
	if err != nil {
		return nil, err
	}
	return open.prompt(p.Prompt)
}

func (s *server) cancel(p *acp.CancelNotification) (task, error) {
	open, err := s.session(p.SessionId)
	if err != nil {
		return nil, err
	}
	open.cancel()
	return nil, nil
}

func (s *server) setMode(p *acp.SetSessionModeRequest) (task, error) {
	open, err := s.session(p.SessionId)
	if err != nil {
		return nil, err
	}
	wait, err := open.choices.setMode(string(p.ModeId))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, func(), error) { return acp.SetSessionModeResponse{}, nil, wait(ctx) }, nil
}

func (s *server) setOption(p *acp.SetSessionConfigOptionRequest) (task, error) {
	if p.ValueId == nil {
		return nil, invalid("all options are selections: value must be the ID of one of the offered values")
	}
	open, err := s.session(p.ValueId.SessionId)
	if err != nil {
		return nil, err
	}
	return open.choices.setOption(string(p.ValueId.ConfigId), string(p.ValueId.Value))
}
