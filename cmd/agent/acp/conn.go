package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/coder/acp-go-sdk"
)

// maxLine is the size limit of a message, in bytes. It leaves room for an image.
const maxLine = 10 << 20

// task answers a request: with a result, or with an error. Then runs after the answer has
// been sent; it may be nil.
type task func(ctx context.Context) (result any, then func(), err error)

// conn is a JSON-RPC 2.0 connection with one message a line, as the Agent Client Protocol
// defines it for standard input and output. The connection of the SDK is not used: it
// ends at a line over 10 MB, does not recover from panics, and cannot send anything right
// after an answer.
type conn struct {
	// handle decodes a message and returns the task that answers it. It is called for one
	// message at a time, in the order in which they arrive, and must not block. The task
	// of a notification is nil.
	handle func(method string, params json.RawMessage) (task, error)
	log    func(format string, args ...any)

	ctx    context.Context // ends with the connection
	stop   context.CancelFunc
	tasks  sync.WaitGroup
	writes sync.Mutex // held while a line is written
	out    io.Writer

	mu      sync.Mutex
	running map[string]context.CancelFunc // requests of the client, by ID
	waiting map[string]chan message       // requests to the client, by ID
	last    int                           // ID of the last request to the client
	closed  bool                          // no task may start
}

// message is a request, a notification or an answer.
type message struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      *json.RawMessage  `json:"id,omitempty"`
	Method  string            `json:"method,omitempty"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Result  json.RawMessage   `json:"result,omitempty"`
	Error   *acp.RequestError `json:"error,omitempty"`
}

// noID is the ID in the answer to a message whose ID cannot be read.
var noID = json.RawMessage("null")

func newConn(ctx context.Context, out io.Writer, log func(string, ...any)) *conn {
	c := &conn{out: out, log: log, running: map[string]context.CancelFunc{}, waiting: map[string]chan message{}}
	c.ctx, c.stop = context.WithCancel(ctx)
	return c
}

// read handles the messages of in until it ends. The error of a reader that ends is nil.
func (c *conn) read(in io.Reader) error {
	defer c.stop()
	r := bufio.NewReaderSize(in, 64<<10)
	for c.ctx.Err() == nil {
		line, long, err := readLine(r)
		switch {
		case long:
			c.takeLong(line)
		case len(bytes.TrimSpace(line)) > 0:
			c.take(line)
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

// readLine returns the next line. Of a line above maxLine it returns the beginning, and
// skips the rest.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			line, long = line[:min(len(line), 4<<10)], true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// takeLong handles the beginning of a message that is too long. A request is answered with
// an error. An answer makes our call fail. It is not answered: its ID is one of ours, and
// the client could take that for the answer to a request of its own.
func (c *conn) takeLong(start []byte) {
	id, response := idIn(start)
	tooLong := acp.NewInvalidRequest(map[string]any{"error": fmt.Sprintf("the message is larger than %d MiB: send less, or a smaller image", maxLine>>20)})
	if response {
		c.answered(message{ID: &id, Error: tooLong})
		return
	}
	c.answer(&id, nil, tooLong)
}

// idIn returns the ID in the beginning of a message, or null. It reports whether the
// message is an answer.
func idIn(start []byte) (id json.RawMessage, response bool) {
	id = noID
	d := json.NewDecoder(bytes.NewReader(start))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return id, false
	}
	for {
		key, err := d.Token()
		if err != nil {
			return id, response
		}
		response = response || key == "result" || key == "error"
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return id, response
		}
		if key == "id" {
			id = value
		}
	}
}

// take handles one message.
func (c *conn) take(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		c.answer(&noID, nil, acp.NewParseError(map[string]any{"error": err.Error()}))
		return
	}
	switch {
	case m.Method == "" && m.ID != nil:
		c.answered(m)
	case m.Method == "":
		c.answer(&noID, nil, acp.NewInvalidRequest(map[string]any{"error": "the message has neither a method nor an ID"}))
	case m.Method == "$/cancel_request":
		c.cancel(m.Params)
	default:
		c.begin(m)
	}
}

// answered passes an answer to the call that waits for it, if any.
func (c *conn) answered(m message) {
	c.mu.Lock()
	wait := c.waiting[string(*m.ID)]
	delete(c.waiting, string(*m.ID))
	c.mu.Unlock()
	if wait != nil {
		wait <- m
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
func (c *conn) begin(m message) {
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
	id := string(*m.ID)
	ctx, stop := context.WithCancel(c.ctx)
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
func (c *conn) decode(m message) (t task, err error) {
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
func (c *conn) answer(id *json.RawMessage, result any, err error) {
	m := message{ID: id}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err != nil {
		m.Result, m.Error = nil, requestError(err)
	}
	_ = c.send(m)
}

// requestError returns err as the error of an answer.
func requestError(err error) *acp.RequestError {
	if e, ok := errors.AsType[*acp.RequestError](err); ok {
		return e
	}
	return &acp.RequestError{Code: -32603, Message: err.Error()}
}

// send writes a message. After an error the connection ends.
func (c *conn) send(m message) error {
	m.JSONRPC = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writes.Lock()
	defer c.writes.Unlock()
	if _, err = c.out.Write(append(line, '\n')); err != nil {
		c.stop()
	}
	return err
}

// notify sends a notification.
func (c *conn) notify(method string, params any) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(message{Method: method, Params: b})
}

// call sends a request to the client and decodes its answer into result. When ctx ends, it
// cancels the request and returns the error of ctx.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	wait := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := json.RawMessage(strconv.Itoa(c.last))
	c.waiting[string(id)] = wait
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, string(id))
		c.mu.Unlock()
	}()
	if err := c.send(message{ID: &id, Method: method, Params: b}); err != nil {
		return err
	}
	select {
	case m := <-wait:
		if m.Error != nil {
			return m.Error
		}
		return json.Unmarshal(m.Result, result)
	case <-c.ctx.Done():
		return c.ctx.Err()
	case <-ctx.Done():
		_ = c.notify("$/cancel_request", map[string]any{"requestId": id})
		return ctx.Err()
	}
}
