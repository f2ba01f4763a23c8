package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/coder/acp-go-sdk"

	"agent/internal/jsonrpc"
)

// maxLine is the size limit of a message, in bytes. It leaves room for an image.
const maxLine = 10 << 20

// task answers a request: with a result, or with an error. Then runs after the answer has
// been sent; it may be nil.
type task func(ctx context.Context) (result any, then func(), err error)

// conn is a connection with one message a line, as the Agent Client Protocol defines it for
// standard input and output. It runs a task for each request of the client. The connection of
// the SDK is not used: it ends at a line over 10 MB, does not recover from panics, and cannot
// send anything right after an answer.
type conn struct {
	*jsonrpc.Conn
	// handle decodes a message and returns the task that answers it. It is called for one
	// message at a time, in the order in which they arrive, and must not block. The task
	// of a notification is nil.
	handle func(method string, params json.RawMessage) (task, error)
	log    func(format string, args ...any)

	writes sync.Mutex // held while a line is written
	out    io.Writer

	tasks   sync.WaitGroup
	mu      sync.Mutex
	running map[string]context.CancelFunc // requests of the client, by ID
	closed  bool                          // no task may start
}

func newConn(ctx context.Context, out io.Writer, log func(string, ...any)) *conn {
	c := &conn{out: out, log: log, running: map[string]context.CancelFunc{}}
	c.Conn = jsonrpc.New(ctx, jsonrpc.Options{
		Write: c.write, Handle: c.begin,
		Cancel: func(id json.RawMessage) (string, any) { return "$/cancel_request", map[string]any{"requestId": id} },
	})
	return c
}

// write writes a message. After an error the connection ends.
func (c *conn) write(body []byte) error {
	c.writes.Lock()
	defer c.writes.Unlock()
	_, err := c.out.Write(append(body, '\n'))
	if err != nil {
		c.End(nil)
	}
	return err
}

// read handles the messages of in until it ends. The error of a reader that ends is nil.
func (c *conn) read(in io.Reader) error {
	defer c.End(nil)
	lines := jsonrpc.NewLines(in, maxLine, 0)
	for c.Err() == nil {
		line, long, err := lines.Next()
		switch {
		case long != nil:
			c.takeLong(long)
		case len(bytes.TrimSpace(line)) > 0:
			c.handleMessage(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeLong handles a message that is too long. A request is answered with an error. An answer
// makes our call fail. It is not answered: its ID is one of ours, and the client could take
// that for the answer to a request of its own.
func (c *conn) takeLong(m *jsonrpc.Long) {
	tooLong := acp.NewInvalidRequest(map[string]any{"error": fmt.Sprintf("the message is larger than %d MiB: send less, or a smaller image", maxLine>>20)})
	switch {
	case m.Answers:
		c.Receive(jsonrpc.Message{ID: m.ID, Error: (*jsonrpc.Error)(tooLong)})
	case m.ID == nil:
		c.answer(jsonrpc.NoID, nil, tooLong)
	default:
		c.answer(m.ID, nil, tooLong)
	}
}

// handleMessage handles one message.
func (c *conn) handleMessage(line []byte) {
	m, err := jsonrpc.Decode(line)
	switch {
	case err != nil:
		c.answer(jsonrpc.NoID, nil, acp.NewParseError(map[string]any{"error": err.Error()}))
	case m.Method == "" && m.ID == nil:
		c.answer(jsonrpc.NoID, nil, acp.NewInvalidRequest(map[string]any{"error": "the message has neither a method nor an ID"}))
	default:
		c.Receive(m)
	}
}

// cancel cancels the request that the parameters name.
func (c *conn) cancel(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	stop := c.running[string(p.RequestID)]
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// begin decodes a request or a notification, and starts the task of a request.
func (c *conn) begin(m jsonrpc.Message) {
	if m.Method == "$/cancel_request" {
		c.cancel(m.Params)
		return
	}
	t, err := c.decode(m)
	if m.ID == nil {
		if err != nil {
			c.log("notification %s: %v", m.Method, err)
		}
		return
	}
	if err != nil {
		c.answer(m.ID, nil, err)
		return
	}
	id := string(m.ID)
	ctx, stop := context.WithCancel(c.Context())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		stop()
		return
	}
	c.running[id] = stop
	c.tasks.Go(func() {
		defer stop()
		result, then, err := c.run(ctx, m.Method, t)
		c.mu.Lock()
		delete(c.running, id)
		c.mu.Unlock()
		c.answer(m.ID, result, err)
		if then != nil {
			then()
		}
	})
}

// wait waits for the tasks, after the connection has ended.
func (c *conn) wait() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.tasks.Wait()
}

// decode calls handle. A panic becomes an error.
func (c *conn) decode(m jsonrpc.Message) (t task, err error) {
	defer c.recovered(m.Method, &err)
	return c.handle(m.Method, m.Params)
}

// run runs a task. A panic becomes an error.
func (c *conn) run(ctx context.Context, method string, t task) (result any, then func(), err error) {
	defer c.recovered(method, &err)
	return t(ctx)
}

// recovered turns a panic into an error. It is deferred.
func (c *conn) recovered(method string, err *error) {
	if p := recover(); p != nil {
		c.log("internal error in %s: %v\n%s", method, p, debug.Stack())
		*err = acp.NewInternalError(map[string]any{"error": fmt.Sprint(p)})
	}
}

// answer sends the answer to a request.
func (c *conn) answer(id json.RawMessage, result any, err error) {
	if e, ok := errors.AsType[*acp.RequestError](err); ok {
		err = (*jsonrpc.Error)(e)
	}
	_ = c.Answer(id, result, err) // a failure ends the connection
}

// call sends a request to the client and decodes its answer into result. When ctx ends, it
// cancels the request and returns the error of ctx.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	answer, err := c.Call(ctx, method, params)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return (*acp.RequestError)(e)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, result)
}
