package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxMessage is the size in bytes of the largest message that is read. Larger ones are
	// skipped.
	maxMessage = 16 << 20
	// maxHeader limits the header of a message, in bytes.
	maxHeader = 4 << 10
	// maxQueued is how many messages wait until the server reads them.
	maxQueued = 256
)

// errEnded is the error of a connection that was closed.
var errEnded = errors.New("the language server has ended")

// conn is a connection in the base protocol of the Language Server Protocol 3.17:
// JSON-RPC 2.0 with a Content-Length header. Its methods are safe for concurrent use.
type conn struct {
	// answer returns the result of a request of the server, and notify gets its
	// notifications. Both are called by one goroutine, and must not block.
	answer func(method string, params json.RawMessage) (any, error)
	notify func(method string, params json.RawMessage)
	// unsure reports whether an answer that arrives now may be incomplete. It is called like
	// notify.
	unsure func() bool

	queue chan []byte
	done  chan struct{} // closed when the connection has failed

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan message
	err     error // why the connection failed
}

// message is a request, a response or a notification.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *responseError  `json:"error"`

	unsure bool // see conn
}

// responseError is the error of a response.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

const (
	// methodNotFound is the error code of JSON-RPC for unknown methods.
	methodNotFound = -32601
	// contentModified is the error code of a request whose result is out of date.
	contentModified = -32801
)

func newConn() *conn {
	return &conn{queue: make(chan []byte, maxQueued), done: make(chan struct{}), waiting: map[int64]chan message{}}
}

// run reads from r and writes to w until one of them fails. The caller closes both, which
// ends the writing that run leaves to a goroutine.
func (c *conn) run(r io.Reader, w io.Writer) {
	go func() {
		for {
			select {
			case <-c.done:
				return
			case text := <-c.queue:
				if _, err := w.Write(text); err != nil {
					c.fail(fmt.Errorf("write to the language server: %w", err))
				}
			}
		}
	}()
	b := bufio.NewReaderSize(r, maxHeader)
	for {
		text, err := readMessage(b)
		if err == nil && text != nil {
			err = c.receive(text)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// fail ends the connection. The first error counts.
func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.done)
	}
}

// failure returns why the connection failed.
func (c *conn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// busy reports whether requests wait for an answer.
func (c *conn) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) > 0
}

// readMessage returns the next message; nil for one that is too large.
func readMessage(r *bufio.Reader) ([]byte, error) {
	size := -1
	for length := 0; ; {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return nil, errEnded
		}
		if length += len(line); length > maxHeader || errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("the header of a message is longer than %d bytes", maxHeader)
		}
		if err != nil {
			return nil, fmt.Errorf("read from the language server: %w", err)
		}
		name, value, ok := strings.Cut(strings.TrimSpace(string(line)), ":")
		if name == "" && !ok {
			break
		}
		if strings.EqualFold(name, "Content-Length") {
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 {
				return nil, fmt.Errorf("invalid Content-Length %q", value)
			}
		} else if !ok {
			return nil, fmt.Errorf("invalid header of a message: %q", line)
		}
	}
	switch {
	case size < 0:
		return nil, errors.New("a message has no Content-Length")
	case size > maxMessage:
		_, err := io.CopyN(io.Discard, r, int64(size))
		return nil, err
	}
	text := make([]byte, size)
	_, err := io.ReadFull(r, text)
	return text, err
}

// receive handles a message of the server.
func (c *conn) receive(text []byte) error {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("a message is not valid JSON: %w", err)
	}
	switch {
	case m.Method != "" && m.ID != nil:
		reply := map[string]any{"jsonrpc": "2.0", "id": m.ID}
		if result, err := c.answer(m.Method, m.Params); err != nil {
			reply["error"] = responseError{methodNotFound, err.Error()}
		} else {
			reply["result"] = result
		}
		return c.enqueue(reply)
	case m.Method != "":
		c.notify(m.Method, m.Params)
	default:
		id, err := strconv.ParseInt(string(m.ID), 10, 64)
		if err != nil {
			return nil // an answer to nothing
		}
		c.mu.Lock()
		waiting := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if waiting != nil {
			m.unsure = c.unsure()
			waiting <- m
		}
	}
	return nil
}

// enqueue queues a message. It never blocks: a server that reads nothing for maxQueued
// messages has failed.
func (c *conn) enqueue(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text := append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
	select {
	case <-c.done:
		return c.failure()
	case c.queue <- text:
		return nil
	default:
		err := errors.New("the language server does not read its input")
		c.fail(err)
		return err
	}
}

// tell sends a notification.
func (c *conn) tell(method string, params any) error {
	return c.enqueue(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// call sends a request and stores its result, as ask does.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	m, err := c.ask(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	return m.decode(method, result)
}

// decode stores the result of the answer to a request.
func (m message) decode(method string, result any) error {
	if len(m.Result) == 0 {
		return nil
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("the answer to %s is not valid: %w", method, err)
	}
	return nil
}

// ask sends a request and returns the answer. When ctx ends, it cancels the request.
func (c *conn) ask(ctx context.Context, method string, params any) (message, error) {
	answered := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = answered
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	request := map[string]any{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		request["params"] = params
	}
	if err := c.enqueue(request); err != nil {
		return message{}, err
	}
	select {
	case m := <-answered:
		if m.Error != nil {
			return m, m.Error
		}
		return m, nil
	case <-c.done:
		return message{}, c.failure()
	case <-ctx.Done():
		_ = c.tell("$/cancelRequest", map[string]any{"id": id})
		return message{}, ctx.Err()
	}
}
