// Package client speaks the Language Server Protocol 3.17 with one running server. It
// answers every request of the server, limits the time of every request to the server, keeps
// the texts of open documents with their errors, and tracks whether the server still loads the
// project. It starts no process, reads no file, and never applies a change that a server
// asks for. What a server sends is untrusted, and limited in size.
//
// The caller calls Run once. The other methods are safe for concurrent use. Requests must not
// be sent before Wait has returned. Paths of files are absolute. Start reading at Client.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"agent/internal/jsonrpc"
	"agent/internal/tools/lsp/protocol"
)

const (
	startLimit = time.Minute     // for the answer to initialize
	endLimit   = 2 * time.Second // for the answer to shutdown
	maxTries   = 5               // of a request that fails with contentModified
)

// Options describe a server and the limits of a Client.
type Options struct {
	Name     string         // for errors
	Root     string         // the directory of the project, absolute
	Settings map[string]any // initializationOptions; may be nil
	// Request is how long a request may take, including the time in which the server loads
	// the project.
	Request time.Duration
	// Quiet is how long a server must send nothing more about a file before its diagnostics
	// count as complete. A fifth of it is enough if they state the version of the file. It
	// must be positive.
	Quiet time.Duration
}

// Client is the connection to one server.
type Client struct {
	*conn
	o     Options
	ready chan struct{} // closed when the server is initialized
	// Abilities is what the server can do. It is set when Wait returns, and does not change.
	Abilities protocol.Capabilities

	mu        sync.Mutex
	documents documents
	work      activity
	news      chan struct{} // closed at a notification of the server, then replaced
}

// New returns a Client that is not connected yet.
func New(o Options) *Client {
	c := &Client{o: o, ready: make(chan struct{}), news: make(chan struct{})}
	c.documents = documents{quiet: o.Quiet, open: map[string]*document{}}
	c.work.began = map[string]time.Time{}
	c.conn = newConn(c.handle)
	return c
}

// Run initializes the server, and handles its messages in r until the connection ends. The
// caller closes r and w when Ended is closed. Then Run returns.
func (c *Client) Run(r io.Reader, w io.Writer) {
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { c.write(w) })
	work.Go(func() {
		if err := c.initialize(); err != nil {
			c.End(fmt.Errorf("it did not start: %w", err))
		}
	})
	c.read(r)
}

// initialize sends the first messages. The process ID is left out: a server in a
// sandbox may not see this process, and would exit.
func (c *Client) initialize() error {
	ctx, stop := context.WithTimeout(c.Context(), startLimit)
	defer stop()
	folder := protocol.FolderOf(c.o.Root)
	answer, err := c.Call(ctx, "initialize", object{
		"processId": nil, "clientInfo": object{"name": "agent"}, "rootUri": folder.URI, "workspaceFolders": []any{folder},
		"initializationOptions": c.o.Settings, "capabilities": json.RawMessage(protocol.ClientCapabilities),
	})
	var result struct{ Capabilities protocol.Capabilities }
	if err == nil {
		err = decode(answer, &result)
	}
	if err != nil {
		return err
	}
	c.Abilities = result.Capabilities
	err = c.Notify("initialized", object{})
	close(c.ready)
	return err
}

// Shutdown asks the server to shut down, waits for its answer, and asks it to exit.
func (c *Client) Shutdown() {
	ctx, stop := context.WithTimeout(c.Context(), endLimit)
	defer stop()
	_, _ = c.Call(ctx, "shutdown", nil) // exit ends the server even without its answer
	_ = c.Notify("exit", nil)
}

// Ready reports whether the server is initialized.
func (c *Client) Ready() bool {
	select {
	case <-c.ready:
		return true
	default:
		return false
	}
}

// Wait waits until the server is initialized, or the connection has ended. The connection
// ends if the server does not answer within a minute.
func (c *Client) Wait(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-c.Ended():
		return fmt.Errorf("%s: %w", c.o.Name, c.Err())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Request sends a request with the time limit of the options, and stores the result. It
// repeats a request whose answer is incomplete or out of date. Partial reports that the
// result may be incomplete, because the server did not load the project in time.
func (c *Client) Request(ctx context.Context, method string, params protocol.Params, result any) (partial bool, err error) {
	limited, stop := context.WithTimeout(ctx, c.o.Request)
	defer stop()
	var answer json.RawMessage
	for tries := 1; ; tries++ {
		sent, loaded := time.Now(), false
		answer, err = c.Call(limited, method, params)
		partial, loaded = c.loading(sent)
		failed, refused := errors.AsType[*jsonrpc.Error](err)
		again := err == nil && (partial || loaded && tries == 1) || refused && failed.Code == contentModified && tries < maxTries
		if !again || !c.waitReady(limited) {
			break
		}
	}
	if err == nil {
		err = decode(answer, result)
	}
	switch {
	case err == nil:
		return partial, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return false, fmt.Errorf("%s did not answer within %v. It may still be loading the project; try again later, or use search", c.o.Name, c.o.Request)
	}
	return false, fmt.Errorf("%s: %w", c.o.Name, err)
}

// loading reports whether the server loads the project, and whether it has finished doing so
// after t. In both cases, its answer to a request that was sent at t may be incomplete.
func (c *Client) loading(t time.Time) (now, finished bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.work.loading(), c.work.loaded.After(t)
}

// handle handles a request or a notification of the server. The server may wait for the answer
// to every request.
func (c *Client) handle(m jsonrpc.Message) {
	if m.ID == nil {
		c.handleNotification(m.Method, m.Params)
		return
	}
	result, err := c.answer(m.Method, m.Params)
	_ = c.Answer(m.ID, result, err) // a failure has ended the connection
}

// answer returns the answer to a request of the server.
func (c *Client) answer(method string, params json.RawMessage) (any, error) {
	switch method {
	case "workspace/configuration":
		var p struct{ Items []json.RawMessage }
		_ = json.Unmarshal(params, &p) // the answer to an invalid request is an empty list
		return make([]any, len(p.Items)), nil
	case "workspace/workspaceFolders":
		return []any{protocol.FolderOf(c.o.Root)}, nil
	case "workspace/applyEdit": // changes need the approval of the user
		return object{"applied": false, "failureReason": "not supported"}, nil
	case "window/showDocument":
		return object{"success": false}, nil
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest",
		"workspace/diagnostic/refresh", "workspace/semanticTokens/refresh", "workspace/inlayHint/refresh", "workspace/codeLens/refresh":
		return nil, nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "method not found: " + method}
}

// handleNotification keeps the progress of the server and the errors in open documents.
func (c *Client) handleNotification(method string, params json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var p protocol.Published
	if method != "textDocument/publishDiagnostics" {
		c.work.record(method, params)
	} else if json.Unmarshal(params, &p) == nil {
		c.documents.publish(p)
	}
	close(c.news)
	c.news = make(chan struct{})
}

// waitReady waits until the server has loaded the project. If the deadline of ctx comes first,
// it reports false, and later calls do not wait for the same work.
func (c *Client) waitReady(ctx context.Context) bool {
	settled := c.until(ctx, func() time.Duration {
		if c.work.slow {
			return 0
		}
		return c.untilLoaded()
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if !settled && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		c.work.slow = c.work.loading()
	}
	return settled && !c.work.slow
}

// untilLoaded is a check for until, which waits while the server loads the project.
func (c *Client) untilLoaded() time.Duration {
	if c.work.loading() {
		return forNews
	}
	return 0
}

// forNews is what a check returns if only a notification can change its result.
const forNews = time.Duration(math.MaxInt64)

// until waits until check returns 0. It calls check with c.mu held: whenever the server has
// sent a notification, and after the time that check has returned. It reports false if ctx
// or the connection ends first.
func (c *Client) until(ctx context.Context, check func() time.Duration) bool {
	for {
		c.mu.Lock()
		wait, news := check(), c.news
		c.mu.Unlock()
		if wait == 0 {
			return true
		}
		select {
		case <-news:
		case <-time.After(wait):
		case <-c.Ended():
			return false
		case <-ctx.Done():
			return false
		}
	}
}
