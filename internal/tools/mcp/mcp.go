// Package mcp is a client of MCP servers (Model Context Protocol,
// https://modelcontextprotocol.io/specification). It connects to the configured servers,
// follows their lists of tools, and offers the tools to the model. Everything that a
// server sends is data: it is bounded in size, and what a server claims about its tools
// never changes a permission. Start reading at Connections.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/tools"
)

const (
	// DefaultSilence is how long a server may be silent during a call.
	DefaultSilence = 120 * time.Second
	// startTime limits how long a server may take to connect and to list its tools. Programs
	// such as npx and uvx first download the server.
	startTime = time.Minute
	// maxConnecting limits how many servers connect at once.
	maxConnecting = 4
	// maxProblems limits the messages that wait.
	maxProblems = 32
	// maxCalls limits how many calls of one server run at once.
	maxCalls = 8
)

// Server configures an MCP server: a program, or the URL of one.
type Server struct {
	Name string

	Command []string // the program and its arguments; empty for a server with a URL
	Dir     string   // working directory of the program
	Env     []string // complete environment of the program: "NAME=value"
	Root    string   // directory that the server is told is its root, absolute; empty for none

	URL     string
	SSE     bool              // use the transport of protocol 2024-11-05, HTTP with SSE
	Headers map[string]string // sent with every request to the host of URL
	// Locate, if not nil, returns the complete URL and what authorizes requests, when the
	// server is first connected to. It may take a while.
	Locate func() (url string, authorize Authorize, err error)
	// Check, if not nil, returns why the server must not be connected to now. It is called
	// before each connection.
	Check func() error
	// OAuth authorizes requests that the server rejects. It may be nil: such a server then
	// needs a login.
	OAuth auth.OAuthHandler

	// Silence is how long the server may be silent during a call; 0 means DefaultSilence.
	Silence time.Duration
	// Allow and Deny are patterns of tool names, in which * stands for any text. Without
	// Allow all tools are used. Deny has precedence.
	Allow, Deny []string
	// Unread is why its resources must not be read; empty if they may be.
	Unread string
	// Off is why the server is not used, for the user; empty if it is used.
	Off string
}

// Authorize adds credentials to the headers of a request; nil adds none.
type Authorize func(ctx context.Context, h http.Header) error

// Remote reports whether the server is reached over HTTP.
func (s Server) Remote() bool { return s.URL != "" }

// Target returns the program or the URL of the server in one line, without the query and
// the password of the URL.
func (s Server) Target() string {
	if !s.Remote() {
		return strings.Join(s.Command, " ")
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "an invalid URL"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

// uses reports whether the tool with that name is used.
func (s Server) uses(tool string) bool {
	matches := func(pattern string) bool { ok, err := path.Match(pattern, tool); return ok && err == nil }
	return (len(s.Allow) == 0 || slices.ContainsFunc(s.Allow, matches)) && !slices.ContainsFunc(s.Deny, matches)
}

// State is the state of the connection to a server.
type State string

// The states of a server.
const (
	Starting   State = "starting"
	Ready      State = "ready"
	NeedsLogin State = "needs login"
	Failed     State = "failed"
	Off        State = "off"
)

// Status describes a server and what it offers.
type Status struct {
	Server
	State State
	// Why is why the server is not ready, for the user; empty for Ready and Starting. It
	// contains untrusted text.
	Why string
	// Tools are the tools that are used, sorted by name. Changes is set if the server says
	// that it reports changes of them.
	Tools   []Tool
	Changes bool
	// Instructions say how to use the tools, in the words of the server: untrusted text.
	Instructions string
	// Rejected are the tools that are left out because they are invalid, with the reason:
	// "search: its schema is not an object". It contains untrusted text.
	Rejected []string
	// Resources and Prompts are read a little after the server is ready. They are not to be
	// changed. HasResources is set if the server says that it has resources, and Listing
	// while lists are being read.
	Resources    []Resource
	HasResources bool
	Prompts      []Prompt
	Listing      bool
	Protocol     string // version of the protocol; empty before the server was ready
}

// Tool is a tool of a server.
type Tool struct {
	Name        string // the name by which the model calls it: mcp__SERVER__TOOL
	Server      string
	Tool        string // its name at the server
	Description string
	Schema      json.RawMessage // of its arguments, an object, as the server gives it

	portable  json.RawMessage // the schema in the form for providers
	maxResult int             // bytes of a result that the model gets
}

// Connections are the connections to servers, which all agents of a session share. Sessions
// can use them one after the other. Its methods are safe for concurrent use.
type Connections struct {
	o       Options
	servers []*server       // sorted by name
	ctx     context.Context // ends when Close begins
	stop    func()
	life    context.Context // of the sessions; ends when they are closed
	end     func()
	start   func()
	slots   chan struct{} // has a token for each server that connects
	changed chan struct{}
	settled chan struct{}
	problem chan string
	running sync.WaitGroup
	save    atomic.Pointer[func(text string) (path string, err error)]
}

// Options configure Connections.
type Options struct {
	Servers []Server
	Version string // of this program, which the servers get
	// Save saves a complete result that is too long for the model, and returns the path of
	// the file. It may be nil.
	Save func(text string) (path string, err error)
	// Asks is set if a user can answer questions of servers: see tools.Approved.Ask.
	Asks bool
	// Complete is set if results are not shortened for a model.
	Complete bool
	// StartTime limits how long a server may take to connect; 0 means a minute.
	StartTime time.Duration
	// DiscoverTime limits how long a program may take to answer server/discover; 0 means 3
	// seconds.
	DiscoverTime time.Duration
}

// New returns the connections to servers. It starts nothing: see Start. The caller closes
// them.
func New(o Options) *Connections {
	o.StartTime, o.DiscoverTime = cmp.Or(o.StartTime, startTime), cmp.Or(o.DiscoverTime, discoverTime)
	c := &Connections{o: o, slots: make(chan struct{}, maxConnecting), changed: make(chan struct{}, 1), settled: make(chan struct{}), problem: make(chan string, maxProblems)}
	c.SaveWith(o.Save)
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.life, c.end = context.WithCancel(context.Background())
	c.start = sync.OnceFunc(c.connectAll)
	for _, s := range o.Servers {
		c.servers = append(c.servers, newServer(c, s))
	}
	slices.SortFunc(c.servers, func(a, b *server) int { return strings.Compare(a.Name, b.Name) })
	return c
}

// SaveWith replaces Options.Save, when another session begins to use the connections.
func (c *Connections) SaveWith(save func(text string) (path string, err error)) { c.save.Store(&save) }

// Start begins to connect to all servers, in the background. Only the first call has an
// effect.
func (c *Connections) Start() { c.start() }

func (c *Connections) connectAll() {
	var all sync.WaitGroup
	for _, s := range c.servers {
		if s.Server.Off == "" {
			all.Go(func() { _ = s.connect(c.ctx) })
		}
	}
	c.running.Go(func() {
		all.Wait()
		close(c.settled)
	})
}

// Wait waits until every server is ready or has failed. It returns ctx's error if that ends
// first. It starts the servers if nobody did.
func (c *Connections) Wait(ctx context.Context) error {
	c.Start()
	select {
	case <-c.settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Problems returns a channel with messages for the user about servers that fail. They
// contain untrusted text. A message is lost if nobody receives the ones before.
func (c *Connections) Problems() <-chan string { return c.problem }

func (c *Connections) report(text string) {
	select {
	case c.problem <- text:
	default:
	}
}

// Changed returns a channel that has a token if the state or the tools of a server changed
// since the last receive.
func (c *Connections) Changed() <-chan struct{} { return c.changed }

func (c *Connections) noteChange() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Servers returns the state of all servers, sorted by name.
func (c *Connections) Servers() []Status {
	var all []Status
	for _, s := range c.servers {
		all = append(all, s.status())
	}
	return all
}

// Tools returns the tools of all servers that are ready, sorted by server and name.
func (c *Connections) Tools() (all []Tool) {
	for _, s := range c.Servers() {
		all = append(all, s.Tools...)
	}
	return all
}

// Session returns the session with a server, for requests that Connections has no method
// for. It connects again if the connection was lost. The caller does not close it.
func (c *Connections) Session(ctx context.Context, name string) (*sdk.ClientSession, error) {
	s, err := c.find(name)
	if err != nil {
		return nil, err
	}
	return s.ready(ctx)
}

// Call calls a tool by its name at a server. user.Progress gets messages of the server while
// the call runs, and user.Ask its questions. See tools.Call for ctx and the result.
func (c *Connections) Call(ctx context.Context, name, tool string, args json.RawMessage, user tools.Approved) (tools.Result, error) {
	s, err := c.find(name)
	if err != nil {
		return tools.Result{}, err
	}
	return s.callTool(ctx, tool, args, user)
}

// Restart ends the connection to a server and connects again, in the background.
func (c *Connections) Restart(name string) error {
	s, err := c.find(name)
	switch {
	case err != nil:
		return err
	case s.Server.Off != "":
		return errors.New("the server " + name + " is off: " + s.Server.Off)
	}
	s.drop(nil)
	c.running.Go(func() { _ = s.connect(c.ctx) })
	return nil
}

// Log returns the last 64 KiB of what a server wrote to standard error, and the lines on
// its standard output that are no messages. It is empty for a server with a URL. It
// contains untrusted text.
func (c *Connections) Log(name string) string {
	s, err := c.find(name)
	if err != nil {
		return ""
	}
	return s.log.String()
}

// Close ends all connections and programs and waits for them. It does nothing if c is nil.
func (c *Connections) Close() {
	if c == nil {
		return
	}
	c.stop()
	limit, cancel := context.WithTimeout(context.Background(), closeTime) // a server over HTTP may not answer
	defer cancel()
	var all sync.WaitGroup
	for _, s := range c.servers {
		all.Go(s.close)
	}
	waitUntil(limit, &all)
	c.end()
	waitUntil(limit, &c.running)
}

// waitUntil waits for all, but not longer than limit.
func waitUntil(limit context.Context, all *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		all.Wait()
	}()
	select {
	case <-ended:
	case <-limit.Done():
	}
}

func (c *Connections) find(name string) (*server, error) {
	for _, s := range c.servers {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("there is no MCP server %q", name)
}
