package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/tools/process"
)

const (
	// maxLogged limits a line on standard output that is no message, in bytes.
	maxLogged = 2 << 10
	// endTime is how long a program has to exit: see process.Program.
	endTime = 500 * time.Millisecond
	// writeTime is how long a program may take to read a message.
	writeTime = 30 * time.Second
)

// program is the transport to a server that is a program: one message per line on its
// standard streams.
type program struct {
	Server
	log   *process.Log
	sent  *sent
	ended func(how string) // called when the program has exited on its own: "exit 1"
	// discover limits how long it may take to answer server/discover.
	discover time.Duration
}

// Connect starts the program.
func (t program) Connect(context.Context) (sdk.Connection, error) {
	p, err := process.Start(process.Program{Args: t.Command, Dir: t.Dir, Env: t.Env, Log: t.log, Grace: endTime})
	if errors.Is(err, exec.ErrNotFound) {
		if words := strings.Fields(t.Command[0]); len(words) > 1 {
			args, _ := json.Marshal(append(words[1:], t.Command[1:]...))
			return nil, fmt.Errorf("there is no program %q. Set command to %q and args to %s", t.Command[0], words[0], args)
		}
	}
	if err != nil {
		return nil, err
	}
	c := &programConn{process: p, ended: t.ended, sent: t.sent, log: t.log, discovery: newDiscovery(t.discover), incoming: make(chan []byte), closed: make(chan struct{})}
	c.end = sync.OnceFunc(func() { close(c.closed); p.Close() })
	go c.read()
	return c, nil
}

// programConn is the connection to a program.
type programConn struct {
	process *process.Process
	sent    *sent
	log     *process.Log
	ended   func(string)
	*discovery
	requests unanswered

	incoming chan []byte   // messages; closed at the end of standard output
	failure  error         // why reading ended, once incoming is closed
	batch    *batch        // the messages of the current line; nil for none
	closed   chan struct{} // closed by Close
	end      func()
	writing  sync.Mutex
}

// read passes the messages on standard output to incoming. Other lines go to the log.
func (c *programConn) read() {
	defer close(c.incoming)
	lines := newLines(c.process.Stdout())
	for {
		line, err := nextLine(lines)
		if text := bytes.TrimSpace(line); isMessage(text) {
			select {
			case c.incoming <- text:
			case <-c.closed:
				return
			}
		} else if len(text) > 0 {
			_, _ = fmt.Fprintf(c.log, "%s\n", text[:min(len(text), maxLogged)])
		}
		if err != nil {
			c.failure = err
			c.noteEnd()
			return
		}
	}
}

// noteEnd reports how the program ended. It is called when one of its streams was closed.
func (c *programConn) noteEnd() {
	select {
	case <-c.process.Done():
		_, how := c.process.ExitStatus()
		c.ended(how)
	case <-c.closed:
	case <-time.After(endTime): // it still runs
	}
}

// Read returns the next message.
func (c *programConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		for c.batch != nil && !c.over(ctx) {
			next, size, err := c.batch.next()
			if err == nil && next != nil {
				if !c.receives(next) {
					continue
				}
				err = c.requests.received(next, size)
			}
			if err != nil {
				c.end()
				return nil, err
			}
			if next != nil {
				return next, nil
			}
			c.batch = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case answer := <-c.answer:
			return answer, nil
		case line, ok := <-c.incoming:
			if !ok {
				return nil, c.failure
			}
			c.batch = newBatch(line)
		}
	}
}

// over reports whether the connection is closed, or ctx has ended.
func (c *programConn) over(ctx context.Context) bool {
	select {
	case <-c.closed:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// Write sends a message. It ends a program that does not read its input.
func (c *programConn) Write(ctx context.Context, m jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	written := make(chan struct{})
	defer close(written)
	go c.endUnless(written, ctx.Done())
	c.writing.Lock()
	defer c.writing.Unlock()
	select {
	case <-c.closed:
		return net.ErrClosed
	default:
	}
	c.sent.note(b, delivered)
	c.sends(m)
	c.requests.sent(m)
	if _, err = c.process.Stdin().Write(append(b, '\n')); err != nil {
		c.noteEnd()
	}
	return err
}

// endUnless ends the program if a message is not written in time. A cancelled message gets
// a little time, because a partly written one would make the connection useless.
func (c *programConn) endUnless(written, cancelled <-chan struct{}) {
	limit := time.NewTimer(writeTime)
	defer limit.Stop()
	for {
		select {
		case <-written:
			return
		case <-cancelled:
			cancelled = nil
			limit.Reset(endTime)
		case <-limit.C:
			c.end()
			return
		}
	}
}

// Close ends the program.
func (c *programConn) Close() error {
	c.end()
	return nil
}

// SessionID returns "": a program has one session.
func (c *programConn) SessionID() string { return "" }

// delivery says how far a call got.
type delivery int

const (
	unsent    delivery = iota
	refused            // the HTTP server does not know the session, so it did not run the call
	delivered          // the server may have run the call
)

// sent records how far the running calls of a server got. A call that was not delivered can
// be repeated on another connection.
type sent struct {
	mu     sync.Mutex
	tokens map[string]delivery // by the progress token of the call
}

// add begins to watch for a call.
func (s *sent) add(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = map[string]delivery{}
	}
	s.tokens[token] = unsent
}

// remove ends the watch and returns how far the call got.
func (s *sent) remove(token string) delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.tokens[token]
	delete(s.tokens, token)
	return d
}

// note records how far a message got. Tokens are random, so no other text contains one.
func (s *sent) note(message []byte, d delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token := range s.tokens {
		if bytes.Contains(message, []byte(token)) {
			s.tokens[token] = d
		}
	}
}

// roundTripper adds the headers of a server to requests, limits the size of its answers,
// and sends nothing to another host.
type roundTripper struct {
	Server
	authorize Authorize
	base      *http.Transport
	origin    *url.URL
	sent      *sent
	requests  unanswered
	denied    atomic.Int32          // status of the last answer if it denied access; otherwise 0
	other     atomic.Pointer[error] // of the last request to another host; nil for none
}

// newHTTPClient returns the client for a server, and its round tripper.
func newHTTPClient(s Server, authorize Authorize, calls *sent) (*http.Client, *roundTripper, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, nil, err
	}
	t := &roundTripper{Server: s, authorize: authorize, base: http.DefaultTransport.(*http.Transport).Clone(), origin: u, sent: calls}
	return &http.Client{Transport: t}, t, nil
}

// cause returns the error of a connection that failed with err. If a request went to another
// host, the SDK sometimes reports only that the connection was closed.
func (t *roundTripper) cause(err error) error {
	if other := t.other.Load(); err != nil && other != nil {
		return *other
	}
	return err
}

// RoundTrip sends a request. The server must not choose another host, by a redirect or by
// the endpoint of SSE: that host would get the arguments of calls, and it may be one that
// only this computer can reach.
func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != t.origin.Scheme || req.URL.Host != t.origin.Host {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		err := fmt.Errorf("the MCP server %s refers to %s://%s. If you trust that host, configure its URL", t.Name, req.URL.Scheme, req.URL.Host)
		t.other.Store(&err)
		return nil, err
	}
	req = req.Clone(req.Context())
	for name, value := range t.Headers {
		req.Header.Set(name, value)
	}
	if t.authorize != nil {
		if err := t.authorize(req.Context(), req.Header); err != nil {
			return nil, err
		}
	}
	var message []byte
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			message, _ = io.ReadAll(body)
			t.requests.wrote(message)
		}
	}
	res, err := t.base.RoundTrip(req)
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" {
			t.sent.note(message, delivered)
		}
		return nil, err
	}
	denied := int32(0)
	switch res.StatusCode {
	case http.StatusBadRequest, http.StatusNotFound:
		t.sent.note(message, refused)
	case http.StatusUnauthorized, http.StatusForbidden:
		denied = int32(res.StatusCode)
	default:
		t.sent.note(message, delivered)
	}
	t.denied.Store(denied)
	events := res.StatusCode/100 == 2 && strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
	res.Body = mendBody(&limitedBody{ReadCloser: res.Body, left: maxMessage, events: events}, events, &t.requests, requestID(message))
	res.ContentLength = -1 // a mended message has another length
	return res, nil
}

// limitedBody fails after maxMessage bytes; in a stream of events, if one of them is longer.
type limitedBody struct {
	io.ReadCloser
	left   int
	events bool
	text   bool // the current line is not empty
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	if b.events {
		b.findEnd(p[:n])
	}
	return n, err
}

// findEnd starts the limit again at the end of an event, which is an empty line.
func (b *limitedBody) findEnd(part []byte) {
	for i, c := range part {
		switch {
		case c != '\n':
			b.text = b.text || c != '\r'
		case b.text:
			b.text = false
		default:
			b.left = maxMessage - (len(part) - i - 1)
		}
	}
}
