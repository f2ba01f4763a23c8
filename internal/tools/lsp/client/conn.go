package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// maxQueued limits the messages that wait until the server reads them. Each can contain a file.
const maxQueued = 32

// peer handles what a server sends without being asked. One goroutine calls it, so it must
// not block.
type peer interface {
	// answer returns the result of a request of the server.
	answer(method string, params json.RawMessage) (any, error)
	// note gets a notification.
	note(method string, params json.RawMessage)
}

// conn is a connection in JSON-RPC 2.0. Its methods are safe for concurrent use.
type conn struct {
	peer  peer
	queue chan []byte
	life  context.Context         // ends when the connection ends
	end   context.CancelCauseFunc // the first error counts

	mu      sync.Mutex
	last    int
	waiting map[string]chan message // by the ID of the request
}

// message is a request, a response or a notification of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *responseError  `json:"error"`
}

type object = map[string]any

// responseError is the error of a response.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// These error codes mean that the method is unknown, and that the result of a request is out
// of date.
const methodNotFound, contentModified = -32601, -32801

func newConn(p peer) *conn {
	c := &conn{peer: p, queue: make(chan []byte, maxQueued), waiting: map[string]chan message{}}
	c.life, c.end = context.WithCancelCause(context.Background())
	return c
}

// End ends the connection with a reason. The first reason counts. It sends nothing.
func (c *conn) End(err error) { c.end(err) }

// Ended is closed when the connection has ended.
func (c *conn) Ended() <-chan struct{} { return c.life.Done() }

// Err returns why the connection has ended; nil while it works.
func (c *conn) Err() error { return context.Cause(c.life) }

// Busy reports whether requests wait for an answer.
func (c *conn) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) > 0
}

// write writes what is queued until the connection ends.
func (c *conn) write(w io.Writer) {
	for {
		select {
		case <-c.Ended():
			return
		case text := <-c.queue:
			if _, err := w.Write(text); err != nil {
				c.End(fmt.Errorf("write to the language server: %w", err))
			}
		}
	}
}

// read handles messages until the connection ends.
func (c *conn) read(r io.Reader) {
	for f := newFrames(r); c.Err() == nil; {
		body, err := f.next()
		if err == nil && body != nil {
			err = c.receive(body)
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			c.End(errors.New("the language server has ended"))
		case err != nil:
			c.End(err)
		}
	}
}

// receive handles a message of the server.
func (c *conn) receive(body []byte) error {
	m := message{Result: json.RawMessage("null")}
	if err := json.Unmarshal(body, &m); err != nil {
		return fmt.Errorf("a message is not valid JSON: %w", err)
	}
	switch {
	case m.Method != "" && m.ID != nil:
		result, err := c.peer.answer(m.Method, m.Params)
		if err != nil {
			return c.send(object{"id": m.ID, "error": responseError{methodNotFound, err.Error()}})
		}
		return c.send(object{"id": m.ID, "result": result})
	case m.Method != "":
		c.peer.note(m.Method, m.Params)
	default:
		if answered := c.take(string(m.ID)); answered != nil {
			answered <- m
		}
	}
	return nil
}

// take removes a request from the waiting ones, and returns the channel for its answer; nil if
// it is not waiting.
func (c *conn) take(id string) chan<- message {
	c.mu.Lock()
	defer c.mu.Unlock()
	answered := c.waiting[id]
	delete(c.waiting, id)
	return answered
}

// send queues a message. It never blocks: if the queue is full, because the server does
// not read its input, it ends the connection.
func (c *conn) send(m object) error {
	if m["jsonrpc"] = "2.0"; m["params"] == nil {
		delete(m, "params")
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	select {
	case <-c.Ended():
	case c.queue <- fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body):
	default:
		c.End(errors.New("the language server does not read its input"))
	}
	return c.Err()
}

// notify sends a notification. Params may be nil.
func (c *conn) notify(method string, params any) error {
	return c.send(object{"method": method, "params": params})
}

// call sends a request and returns the answer. When ctx ends, it cancels the request. Params
// may be nil.
func (c *conn) call(ctx context.Context, method string, params any) (message, error) {
	answered := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := json.RawMessage(strconv.Itoa(c.last))
	c.waiting[string(id)] = answered
	c.mu.Unlock()
	defer c.take(string(id))
	if err := c.send(object{"id": id, "method": method, "params": params}); err != nil {
		return message{}, err
	}
	select {
	case m := <-answered:
		if m.Error != nil {
			return m, m.Error
		}
		return m, nil
	case <-c.Ended():
		return message{}, c.Err()
	case <-ctx.Done():
		_ = c.notify("$/cancelRequest", object{"id": id}) // the next request reports it
		return message{}, ctx.Err()
	}
}

// decode stores the result of an answer. Null changes nothing.
func (m message) decode(result any) error {
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("the answer of the language server is not valid: %w", err)
	}
	return nil
}
