// Package jsonrpc is one side of a connection in JSON-RPC 2.0. It reads messages of a limited
// size, one per line (Lines) or each with a header (Frames), and matches the answers of the
// other side to the requests that it sends. It starts no goroutine: the caller reads the
// messages and passes them to Conn.Receive. What the other side sends is untrusted. Start
// reading at Conn.
package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// Codes of errors.
const (
	MethodNotFound = -32601
	InternalError  = -32603
)

// Message is a request, a notification or an answer.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // nil for a notification
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the error of an answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// NoID is the ID in the answer to a message whose ID cannot be read.
var NoID = json.RawMessage("null")

// Decode decodes a message. An ID that is null counts as none.
func Decode(body []byte) (m Message, err error) {
	if err := json.Unmarshal(body, &m); err != nil {
		return m, err
	}
	if string(m.ID) == string(NoID) {
		m.ID = nil
	}
	return m, nil
}

// Options are what a Conn needs of its caller.
type Options struct {
	// Write sends an encoded message. Several goroutines may call it at a time.
	Write func(body []byte) error
	// Handle gets the requests and notifications that Receive gets.
	Handle func(Message)
	// Cancel returns the notification that cancels a request.
	Cancel func(id json.RawMessage) (method string, params any)
}

// Conn is one side of a connection. Its methods are safe for concurrent use.
type Conn struct {
	o    Options
	life context.Context
	end  context.CancelCauseFunc // the first error counts

	mu      sync.Mutex
	last    int
	waiting map[string]chan Message // by the ID of the request
}

// New returns a connection that ends at the latest when ctx ends.
func New(ctx context.Context, o Options) *Conn {
	c := &Conn{o: o, waiting: map[string]chan Message{}}
	c.life, c.end = context.WithCancelCause(ctx)
	return c
}

// Context returns a context that ends when the connection ends.
func (c *Conn) Context() context.Context { return c.life }

// End ends the connection with a reason, which may be nil. The first one counts. It sends
// nothing. All calls return the reason.
func (c *Conn) End(err error) { c.end(err) }

// Ended is closed when the connection has ended.
func (c *Conn) Ended() <-chan struct{} { return c.life.Done() }

// Err returns why the connection has ended; nil while it works.
func (c *Conn) Err() error { return context.Cause(c.life) }

// Busy reports whether requests wait for an answer.
func (c *Conn) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) > 0
}

// Receive passes an answer to the call that waits for it, if any, and other messages to
// Options.Handle.
func (c *Conn) Receive(m Message) {
	if m.Method != "" {
		c.o.Handle(m)
	} else if answered := c.pop(string(m.ID)); answered != nil {
		answered <- m
	}
}

// pop removes a request from the waiting ones, and returns the channel for its answer; nil if
// it is not waiting.
func (c *Conn) pop(id string) chan<- Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	answered := c.waiting[id]
	delete(c.waiting, id)
	return answered
}

// Call sends a request and returns the result of its answer, which is nil if the answer has
// none. An error of the other side is an *Error. When ctx ends, Call cancels the request.
// Params may be nil.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	answered := make(chan Message, 1)
	c.mu.Lock()
	c.last++
	id := json.RawMessage(strconv.Itoa(c.last))
	c.waiting[string(id)] = answered
	c.mu.Unlock()
	defer c.pop(string(id))
	if err := c.send(Message{ID: id, Method: method}, params); err != nil {
		return nil, err
	}
	select {
	case m := <-answered:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-c.Ended():
		return nil, c.Err()
	case <-ctx.Done():
		_ = c.Notify(c.o.Cancel(id)) // the next request reports it
		return nil, ctx.Err()
	}
}

// Notify sends a notification. Params may be nil.
func (c *Conn) Notify(method string, params any) error {
	return c.send(Message{Method: method}, params)
}

// Answer answers a request with a result or, if err is not nil, with that error.
func (c *Conn) Answer(id json.RawMessage, result any, err error) error {
	m := Message{ID: id}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err != nil {
		m.Result = nil
		if e, ok := errors.AsType[*Error](err); ok {
			m.Error = e
		} else {
			m.Error = &Error{Code: InternalError, Message: err.Error()}
		}
	}
	return c.send(m, nil)
}

// send sends a message with parameters, which may be nil.
func (c *Conn) send(m Message, params any) (err error) {
	m.Version = "2.0"
	if params != nil {
		if m.Params, err = json.Marshal(params); err != nil {
			return err
		}
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return c.o.Write(body)
}
