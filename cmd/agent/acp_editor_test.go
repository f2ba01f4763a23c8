package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
	"github.com/google/jsonschema-go/jsonschema"

	front "agent/cmd/agent/acp"
	"agent/cmd/agent/exit"
)

// editor is an editor: the client of the SDK on pipes to serveACP. It keeps the updates as
// lines of text and answers permission requests with choose.
type editor struct {
	*acp.ClientSideConnection
	t       *testing.T
	in      *io.PipeWriter
	ended   chan error
	dir     string // of the session
	session acp.SessionId

	mu     sync.Mutex
	lines  []string
	asked  []string
	files  map[string]string // unsaved text, by path
	writes map[string]string
	choose func(ctx context.Context, r acp.RequestPermissionRequest) acp.RequestPermissionOutcome
	wire   messages
}

// messages keeps the messages of both directions.
type messages struct {
	mu   sync.Mutex
	sent [2]bytes.Buffer // by the editor, by the agent
}

type tap struct {
	w    *messages
	side int
	io.Writer
}

func (p tap) Write(b []byte) (int, error) {
	p.w.mu.Lock()
	p.w.sent[p.side].Write(b)
	p.w.mu.Unlock()
	return p.Writer.Write(b)
}

// connectEditor starts the front end for h, which is connected to s, and an editor.
func connectEditor(t *testing.T, h home, s *server, fs acp.FileSystemCapabilities) *editor {
	t.Helper()
	h.enter(t)
	t.Setenv("OPENAI_BASE_URL", s.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", testKey)
	toAgent, in := io.Pipe()
	fromAgent, out := io.Pipe()
	e := &editor{t: t, in: in, ended: make(chan error, 1), files: map[string]string{}, writes: map[string]string{}}
	go func() {
		err := front.Serve(context.Background(), toAgent, tap{&e.wire, 1, out}, editorOptions(&flags{}, &exit.Signals{}))
		out.Close()
		e.ended <- err
	}()
	t.Cleanup(func() {
		in.Close()
		select {
		case <-e.ended:
		case <-time.After(time.Minute):
			t.Error("the front end does not end")
		}
		e.validate()
	})
	e.ClientSideConnection = acp.NewClientSideConnection(e, tap{&e.wire, 0, in}, fromAgent)
	e.SetLogger(slog.New(slog.DiscardHandler))
	r, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: acp.ClientCapabilities{Fs: fs}})
	if err != nil || r.ProtocolVersion != 1 || r.AuthMethods == nil || !r.AgentCapabilities.LoadSession || r.AgentInfo == nil {
		t.Fatalf("initialize: %+v, %v", r, err)
	}
	return e
}

// open opens a new session in h.
func (e *editor) open(h home) *editor {
	e.t.Helper()
	r, err := e.NewSession(e.t.Context(), acp.NewSessionRequest{Cwd: h.work, McpServers: []acp.McpServer{}})
	if err != nil {
		e.t.Fatal(err)
	}
	e.session, e.dir = r.SessionId, h.work
	return e
}

// ask sends a prompt and returns why the turn stopped.
func (e *editor) ask(text string) acp.StopReason {
	e.t.Helper()
	r, err := e.Prompt(e.t.Context(), acp.PromptRequest{SessionId: e.session, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err != nil {
		e.t.Fatal(err)
	}
	return r.StopReason
}

// take returns the lines of the updates since the previous call, without those that begin
// with one of the prefixes. Pieces of a message are joined.
func (e *editor) take(without ...string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := e.lines
	e.lines = nil
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return slices.ContainsFunc(without, func(p string) bool { return strings.HasPrefix(l, p) })
	})
	return strings.ReplaceAll(strings.Join(lines, "\n"), e.dir, "DIR")
}

// peek returns the updates so far.
func (e *editor) peek() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.lines, "\n")
}

// questions returns the permission requests since the previous call.
func (e *editor) questions() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.asked
	e.asked = nil
	return strings.Join(all, "\n")
}

func (e *editor) add(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, line)
}

// SessionUpdate keeps an update.
func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		e.text("text ", u.AgentMessageChunk.Content.Text.Text)
	case u.AgentThoughtChunk != nil:
		e.text("thought ", u.AgentThoughtChunk.Content.Text.Text)
	case u.UserMessageChunk != nil:
		e.add("user " + u.UserMessageChunk.Content.Text.Text)
	case u.ToolCall != nil:
		c := u.ToolCall
		e.add(strings.TrimSpace(fmt.Sprintf("call %s %s %s %s", c.Title, c.Kind, c.Status, e.content(c.Content, c.Locations))))
	case u.ToolCallUpdate != nil:
		c := u.ToolCallUpdate
		parts := []string{"call"}
		if c.Title != nil {
			parts = append(parts, *c.Title)
		}
		if c.Kind != nil {
			parts = append(parts, string(*c.Kind))
		}
		if c.Status != nil {
			parts = append(parts, string(*c.Status))
		}
		e.add(strings.TrimSpace(strings.Join(parts, " ") + " " + e.content(c.Content, c.Locations)))
	case u.Plan != nil:
		line := "plan"
		for _, p := range u.Plan.Entries {
			line += fmt.Sprintf(" [%s] %s", p.Status, p.Content)
		}
		e.add(line)
	case u.AvailableCommandsUpdate != nil:
		line := "commands"
		for _, c := range u.AvailableCommandsUpdate.AvailableCommands {
			line += " /" + c.Name
		}
		e.add(line)
	case u.CurrentModeUpdate != nil:
		e.add("mode " + string(u.CurrentModeUpdate.CurrentModeId))
	case u.ConfigOptionUpdate != nil:
		e.add("options" + values(u.ConfigOptionUpdate.ConfigOptions))
	case u.UsageUpdate != nil:
		e.add(fmt.Sprintf("usage %d of %d", u.UsageUpdate.Used, u.UsageUpdate.Size))
	case u.SessionInfoUpdate != nil && u.SessionInfoUpdate.Title != nil:
		e.add("title " + *u.SessionInfoUpdate.Title)
	}
	return nil
}

// text keeps a piece of a message, together with those before it.
func (e *editor) text(kind, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.lines); n > 0 && strings.HasPrefix(e.lines[n-1], kind) {
		e.lines[n-1] += text
		return
	}
	e.lines = append(e.lines, kind+text)
}

// content describes the content of a call in one line.
func (e *editor) content(all []acp.ToolCallContent, at []acp.ToolCallLocation) string {
	var parts []string
	for _, l := range at {
		place := filepath.Base(l.Path)
		if l.Line != nil {
			place += fmt.Sprintf(":%d", *l.Line)
		}
		parts = append(parts, "@"+place)
	}
	for _, c := range all {
		switch {
		case c.Diff != nil:
			old := "new file"
			if c.Diff.OldText != nil {
				old = fmt.Sprintf("%q", *c.Diff.OldText)
			}
			parts = append(parts, fmt.Sprintf("<%s: %s -> %q>", filepath.Base(c.Diff.Path), old, c.Diff.NewText))
		case c.Content != nil:
			parts = append(parts, fmt.Sprintf("%q", c.Content.Content.Text.Text))
		}
	}
	return strings.Join(parts, " ")
}

// values returns the current values of options.
func values(options []acp.SessionConfigOption) (line string) {
	for _, o := range options {
		line += fmt.Sprintf(" %s=%s", o.Select.Id, o.Select.CurrentValue)
	}
	return line
}

// RequestPermission keeps the question and answers it.
func (e *editor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	line := *r.ToolCall.Title + " " + e.content(r.ToolCall.Content, nil)
	for _, o := range r.Options {
		line += fmt.Sprintf(" [%s %s]", o.Kind, o.Name)
	}
	e.mu.Lock()
	e.asked = append(e.asked, strings.ReplaceAll(line, e.dir, "DIR"))
	choose := e.choose
	e.mu.Unlock()
	return acp.RequestPermissionResponse{Outcome: choose(ctx, r)}, nil
}

// pick answers a question with the option of that kind.
func pick(kind acp.PermissionOptionKind) func(context.Context, acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
	return func(_ context.Context, r acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		for _, o := range r.Options {
			if o.Kind == kind {
				return acp.RequestPermissionOutcome{Selected: &acp.RequestPermissionOutcomeSelected{Outcome: "selected", OptionId: o.OptionId}}
			}
		}
		return acp.RequestPermissionOutcome{Cancelled: &acp.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}
	}
}

// ReadTextFile returns the unsaved text of a file.
func (e *editor) ReadTextFile(_ context.Context, r acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, ok := e.files[filepath.Base(r.Path)]
	if !ok {
		return acp.ReadTextFileResponse{}, &acp.RequestError{Code: -32002, Message: "Resource not found"}
	}
	return acp.ReadTextFileResponse{Content: text}, nil
}

// WriteTextFile replaces the text of a file in the editor and saves it, as editors do.
func (e *editor) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writes[filepath.Base(r.Path)] = r.Content
	e.files[filepath.Base(r.Path)] = r.Content
	return acp.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

func (e *editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, acp.NewMethodNotFound("terminal/create")
}

func (e *editor) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, acp.NewMethodNotFound("terminal/kill")
}

func (e *editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, acp.NewMethodNotFound("terminal/output")
}

func (e *editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, acp.NewMethodNotFound("terminal/release")
}

func (e *editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, acp.NewMethodNotFound("terminal/wait_for_exit")
}

// validate checks every message of the agent with the published schema.
func (e *editor) validate() {
	e.wire.mu.Lock()
	defer e.wire.mu.Unlock()
	methods := map[string]string{} // of the requests of the editor, by ID
	for line := range bytes.Lines(e.wire.sent[0].Bytes()) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &m) == nil && m.Method != "" {
			methods[string(m.ID)] = m.Method
		}
	}
	schemas := map[string]*jsonschema.Resolved{}
	for line := range bytes.Lines(e.wire.sent[1].Bytes()) {
		var m struct {
			ID             json.RawMessage
			Method         string
			Params, Result any
		}
		if err := json.Unmarshal(line, &m); err != nil {
			e.t.Errorf("the agent wrote %q: %v", line, err)
			continue
		}
		method, value := m.Method, m.Params
		if method == "" {
			method, value = methods[string(m.ID)], m.Result
		}
		if value == nil {
			continue // an error
		}
		key := fmt.Sprint(method, m.Method == "")
		if schemas[key] == nil {
			schemas[key] = protocolSchema(e.t, method, m.Method == "")
		}
		if err := schemas[key].Validate(value); err != nil {
			e.t.Errorf("%s: %v\n%s", method, err, line)
		}
	}
}

// protocol returns the definitions of the schema.
var protocol = sync.OnceValues(func() (defs map[string]*jsonschema.Schema, err error) {
	b, err := os.ReadFile("acp/testdata/schema.json")
	if err != nil {
		return nil, err
	}
	var file struct {
		Defs map[string]*jsonschema.Schema `json:"$defs"`
	}
	err = json.Unmarshal(b, &file)
	return file.Defs, err
})

// protocolSchema returns the schema of the messages of a method: of the requests and
// notifications, or of the responses.
func protocolSchema(t *testing.T, method string, response bool) *jsonschema.Resolved {
	defs, err := protocol()
	if err != nil {
		t.Fatal(err)
	}
	for name, def := range defs {
		if def.Extra["x-method"] == method && strings.HasSuffix(name, "Response") == response {
			r, err := (&jsonschema.Schema{Ref: "#/$defs/" + name, Defs: defs}).CloneSchemas().Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	t.Fatalf("the schema has no message %q", method)
	return nil
}
