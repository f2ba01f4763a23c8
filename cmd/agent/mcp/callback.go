package mcp

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

const (
	// callbackTime limits how long a connection of the browser is open.
	callbackTime = 10 * time.Second
	// maxCallback limits a request of the browser, in bytes.
	maxCallback = 64 << 10
)

// callback is the page to which the authorization server sends the browser. It reads the
// requests itself: the server of net/http would make the program 0.7 MB larger.
type callback struct {
	redirect string          // address of the page, without a query
	state    string          // of this login
	answers  chan url.Values // gets the first answer with that state, once the browser has its page
}

func newCallback(redirect, state string) *callback {
	return &callback{redirect: redirect, state: state, answers: make(chan url.Values, 1)}
}

// serve answers the connections of listener until ctx ends. It closes the listener and
// returns when all connections are closed.
func (c *callback) serve(ctx context.Context, listener net.Listener) {
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	var open sync.WaitGroup
	defer open.Wait()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		open.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			_ = conn.SetDeadline(time.Now().Add(callbackTime))
			c.answer(conn)
		})
	}
}

// answer reads one request and answers it.
func (c *callback) answer(conn net.Conn) {
	req, err := http.ReadRequest(bufio.NewReader(io.LimitReader(conn, maxCallback)))
	if err != nil {
		return // browsers open connections that they do not use
	}
	q := req.URL.Query()
	status, page := http.StatusOK, "agent has the answer. You can close this page.\n"
	switch {
	case req.Method != http.MethodGet || req.URL.Path != "/callback":
		status, page = http.StatusNotFound, "404 page not found\n"
	case q.Get("state") != c.state:
		status, page = http.StatusBadRequest, "This answer does not belong to the login that agent waits for.\n"
	}
	res := &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Close: true, Request: req,
		Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}},
		Body:   io.NopCloser(strings.NewReader(page)), ContentLength: int64(len(page)),
	}
	_ = res.Write(conn)
	_ = conn.Close()
	if status == http.StatusOK {
		c.deliver(q)
	}
}

// deliver hands over an answer unless there is one.
func (c *callback) deliver(q url.Values) {
	select {
	case c.answers <- q:
	default:
	}
}

// readPasted reads addresses that the user pastes until one has the answer, the input ends
// or ctx ends. An address may be wrapped over several lines. It says why it does not take a line.
func (o *Options) readPasted(ctx context.Context, c *callback) {
	begun := "" // the lines of an address that is not complete
	for o.ReadLine != nil {
		line, ok := o.ReadLine(ctx)
		if !ok {
			return
		}
		if line = trimPasted(line); line == "" {
			continue
		}
		if begun += line; strings.Contains(line, "://") || len(begun) > maxCallback {
			begun = line
		}
		q, why := c.pasted(line)
		if why != "" && begun != line {
			if q, why = c.pasted(begun); why != "" {
				_, why = c.pasted(line)
			}
		}
		if why == "" {
			c.deliver(q)
			return
		}
		o.IO.Warn("%s. Still waiting for the login", why)
	}
}

// trimPasted returns a pasted line without the marks of the terminal, blanks and quotes.
func trimPasted(line string) string {
	line = strings.NewReplacer(ansi.BracketedPasteStart, "", ansi.BracketedPasteEnd, "").Replace(line)
	return strings.Trim(strings.TrimSpace(line), "<>\"'")
}

// pasted returns the answer in an address, or why there is none.
func (c *callback) pasted(address string) (q url.Values, why string) {
	if !strings.Contains(address, "://") { // browsers hide it
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, "That is not an address. Expected is the address of the page that the browser could not open, like " + c.redirect + "?code=…&state=…. Copy all of it"
	}
	q = u.Query()
	switch {
	case !q.Has("code") && !q.Has("error"):
		return nil, "That address contains no code. Expected is the address of the page that the browser could not open, like " + c.redirect + "?code=…&state=…. Copy all of it"
	case q.Get("state") != c.state:
		return nil, "That address belongs to another login. Open the page above, and paste the address of the page that follows"
	case q.Has("error"):
		return nil, "The authorization server answers: " + cmp.Or(q.Get("error_description"), q.Get("error")) + ". To try again, open the page above"
	}
	return q, ""
}
