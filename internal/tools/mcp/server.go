package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm/phrase"
	"agent/internal/tools/process"
)

// oldProtocol is the version with which a connection begins if the server does not answer
// to the newer way to begin one.
const oldProtocol = "2025-11-25"

// maxInstructions limits what a server says about the use of its tools, in bytes.
const maxInstructions = 1 << 10

// maxStated limits the text about a failure, in bytes.
const maxStated = 500

// server is one configured server and its connection.
type server struct {
	Server
	all   *Connections
	log   process.Log
	sent  sent
	calls *runningCalls

	connecting sync.Mutex // held while a connection is made

	mu     sync.Mutex
	conn   connection
	offers offers
}

func newServer(c *Connections, s Server) *server {
	out := &server{Server: s, all: c, conn: connection{state: Starting}, calls: newRunningCalls()}
	out.Silence = cmp.Or(s.Silence, DefaultSilence)
	if s.Off != "" {
		out.conn.state, out.conn.why = Off, s.Off
	}
	return out
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, o := &s.conn, &s.offers
	reports, instructions := c.describe()
	return Status{
		Server: s.Server, State: c.state, Why: c.why, Changes: reports, Instructions: instructions, Protocol: c.protocol,
		Tools: slices.Clone(o.tools), Rejected: slices.Clone(o.rejected), Resources: o.resources, HasResources: o.hasResources, Prompts: o.prompts,
		Listing: c.session != nil && (o.listing || o.stale != (changes{})),
	}
}

// set changes the state and reports the change.
func (s *server) set(state State, why string) {
	s.mu.Lock()
	s.conn.state, s.conn.why = state, why
	s.mu.Unlock()
	s.all.noteChange()
}

// ready returns the session. It waits for one that is being made, and connects again if the
// connection was lost.
func (s *server) ready(ctx context.Context) (*sdk.ClientSession, error) {
	s.mu.Lock()
	now := s.conn
	s.mu.Unlock()
	switch {
	case now.session != nil:
		return now.session, nil
	case now.state != Starting && !now.wasReady:
		return nil, fmt.Errorf("the MCP server %s is not available: %s", s.Name, strings.TrimSuffix(string(now.state)+": "+now.why, ": "))
	}
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn.session == nil {
		return nil, fmt.Errorf("the MCP server %s has ended: %s", s.Name, s.conn.why)
	}
	return s.conn.session, nil
}

// connect connects to the server and lists its tools, unless it is connected. It sets the
// state.
func (s *server) connect(ctx context.Context) error {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	if s.status().State == Ready {
		return nil
	}
	select {
	case s.all.slots <- struct{}{}:
		defer func() { <-s.all.slots }()
	case <-ctx.Done():
		return ctx.Err()
	case <-s.all.ctx.Done():
		return s.all.ctx.Err()
	}
	s.programEnded("")
	s.set(Starting, "")
	err := s.open(ctx)
	if err != nil {
		state, why := s.explain(err)
		s.set(state, why)
		if s.all.ctx.Err() == nil {
			s.all.report("The MCP server " + s.Name + " is not available: " + why + ".")
		}
		return fmt.Errorf("connect to the MCP server %s: %w", s.Name, err)
	}
	s.all.noteChange()
	return nil
}

// open makes a session.
func (s *server) open(ctx context.Context) error {
	limit := time.Now().Add(s.all.o.StartTime)
	ctx, stop := context.WithDeadline(ctx, limit)
	defer stop()
	defer context.AfterFunc(s.all.ctx, stop)()
	first, stopFirst := context.WithDeadline(ctx, limit.Add(-s.all.o.StartTime/2))
	defer stopFirst()
	session, err := s.begin(first, "", s.all.o.DiscoverTime)
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(first.Err(), context.DeadlineExceeded):
		session, err = s.begin(ctx, oldProtocol, 0)
	case !s.Remote() && isAnswer(err): // it was too slow for discovery, and rejects initialize after it
		session, err = s.begin(first, "", s.all.o.StartTime)
	}
	if err != nil {
		return err
	}
	found, rejected, err := s.list(ctx, session)
	if err != nil {
		endSession(session)
		return err
	}
	s.mu.Lock()
	s.conn.opened(session)
	more := s.offers.begin(session, found, rejected)
	s.mu.Unlock()
	s.listChanged(more)
	s.all.running.Go(func() {
		err := session.Wait()
		s.lost(session, err)
	})
	return nil
}

// begin connects with a version of the protocol; the newest if it is empty. Discover limits
// how long a program may take to answer server/discover. If ctx ends after that, the session
// continues, although a connection otherwise ends with its context.
func (s *server) begin(ctx context.Context, version string, discover time.Duration) (session *sdk.ClientSession, err error) {
	life, end := context.WithCancel(s.all.life)
	keep := context.AfterFunc(ctx, end)
	session, err = s.dial(life, version, discover)
	if keep(); err == nil {
		return session, nil
	}
	end()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, err
}

// dial is begin with a context for the whole session.
func (s *server) dial(ctx context.Context, version string, discover time.Duration) (*sdk.ClientSession, error) {
	o := &sdk.ClientOptions{
		Capabilities:                s.capabilities(),
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.listChanged(changes{tools: true}) },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { s.listChanged(changes{resources: true}) },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { s.listChanged(changes{prompts: true}) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.calls.progress(r.Params) },
		ElicitationCompleteHandler: func(_ context.Context, r *sdk.ElicitationCompleteNotificationRequest) {
			s.pageDone(r.Params.ElicitationID)
		},
	}
	if s.all.o.Asks {
		o.ElicitationHandler = s.inResult
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: s.all.o.Version}, o)
	client.AddReceivingMiddleware(s.answerQuestions)
	if s.Root != "" {
		//lint:ignore SA1019 servers still ask for roots
		client.AddRoots(&sdk.Root{URI: (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(s.Root), "/")}).String(), Name: filepath.Base(s.Root)})
	}
	options := &sdk.ClientSessionOptions{ProtocolVersion: version}
	if s.Check != nil {
		if err := s.Check(); err != nil {
			return nil, err
		}
	}
	if !s.Remote() {
		return client.Connect(ctx, program{Server: s.Server, log: &s.log, sent: &s.sent, ended: s.programEnded, discover: discover}, options)
	}
	at, authorize := s.Server, Authorize(nil)
	if s.Locate != nil {
		var err error
		if at.URL, authorize, err = s.Locate(); err != nil {
			return nil, err
		}
	}
	httpClient, t, err := newHTTPClient(at, authorize, &s.sent)
	if err != nil {
		return nil, err
	}
	old := &sdk.SSEClientTransport{Endpoint: at.URL, HTTPClient: httpClient}
	if s.SSE {
		session, err := client.Connect(ctx, old, options)
		return session, t.cause(err)
	}
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: at.URL, HTTPClient: httpClient, OAuthHandler: s.OAuth}, options)
	if err == nil || ctx.Err() != nil {
		return session, err
	}
	if code := t.denied.Load(); code != 0 {
		return nil, &deniedError{int(code), err}
	}
	if session, oldErr := client.Connect(ctx, old, options); oldErr == nil {
		return session, nil
	}
	return nil, t.cause(err)
}

// deniedError is the error of a server that needs other credentials.
type deniedError struct {
	status int
	error
}

func (e *deniedError) Unwrap() error { return e.error }

// explain returns the state after a connection could not be made, and why.
func (s *server) explain(err error) (State, string) {
	if denied, ok := errors.AsType[*deniedError](err); ok {
		if s.OAuth != nil {
			return NeedsLogin, fmt.Sprintf("the server answers %d. To log in: agent mcp login %s", denied.status, s.Name)
		}
		return NeedsLogin, fmt.Sprintf("the server answers %d: it needs other credentials", denied.status)
	}
	text := plain(err)
	s.mu.Lock()
	ended := s.conn.ended
	s.mu.Unlock()
	if ended != "" {
		text = "the program ended (" + ended + ")"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("no answer within %s", s.all.o.StartTime)
	}
	if last := s.log.Last(3); last != "" && !s.Remote() {
		text += "; its last output: " + strings.ReplaceAll(last, "\n", " · ")
	}
	return Failed, phrase.Clip(text, maxStated)
}

// layers are the prefixes of the SDK in the text of an error.
var layers = regexp.MustCompile(`(calling "[^"]*"|sending "[^"]*"|rejected by transport|client is closing): `)

// closedIt is the text of an error without a cause.
const closedIt = "it closed the connection"

// plain returns the text of an error of the SDK without the steps of the protocol.
func plain(err error) string {
	text := strings.TrimPrefix(layers.ReplaceAllString(err.Error(), ""), "connection closed: ")
	if text == "EOF" {
		return closedIt
	}
	return text
}

// programEnded notes how the program ended.
func (s *server) programEnded(how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.ended = how
}

// lost notes that a session has ended and was not closed by this program.
func (s *server) lost(session *sdk.ClientSession, err error) {
	s.mu.Lock()
	current := s.conn.session == session
	s.mu.Unlock()
	if !current {
		return
	}
	s.drop(session)
	text := "the connection was closed"
	if err != nil {
		text += ": " + err.Error()
	}
	_, why := s.explain(errors.New(text))
	s.set(Failed, why)
	switch {
	case s.all.ctx.Err() != nil:
	case s.Remote():
		s.all.report("The connection to the MCP server " + s.Name + " was closed" + strings.TrimPrefix(why, "the connection was closed") + ". The next call of one of its tools connects again.")
	default:
		s.all.report("The MCP server " + s.Name + " has ended: " + why + ". It is started again when the model calls one of its tools.")
	}
}

// drop closes a session if it is the current one; nil means any session.
func (s *server) drop(session *sdk.ClientSession) {
	s.mu.Lock()
	old := s.conn.drop(session)
	s.mu.Unlock()
	if old != nil {
		endSession(old)
	}
}

// closeTime limits how long the end of a session takes, in which a program has time to exit.
// An interrupt ends the program within two seconds.
const closeTime = 1500 * time.Millisecond

// endSession closes a session.
func endSession(session *sdk.ClientSession) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = session.Close()
	}()
	select {
	case <-done:
	case <-time.After(closeTime):
	}
}

// close ends the connection. It first waits for a connection that is being made.
func (s *server) close() {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.drop(nil)
}
