package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"agent/internal/jsonrpc"
)

// maxQueued limits the messages that wait until the server reads them. Each can contain a file.
const maxQueued = 32

// contentModified is the code of the error that the result of a request is out of date.
const contentModified = -32801

type object = map[string]any

// conn is a connection whose messages have a header. It queues what it sends, and ends if the
// queue is full because the server does not read its input.
type conn struct {
	*jsonrpc.Conn
	queue chan []byte
}

// newConn returns a connection that passes requests and notifications to handle.
func newConn(handle func(jsonrpc.Message)) *conn {
	c := &conn{queue: make(chan []byte, maxQueued)}
	c.Conn = jsonrpc.New(context.Background(), jsonrpc.Options{
		Write: c.enqueue, Handle: handle,
		Cancel: func(id json.RawMessage) (string, any) { return "$/cancelRequest", object{"id": id} },
	})
	return c
}

// enqueue queues a message. It never blocks.
func (c *conn) enqueue(body []byte) error {
	select {
	case <-c.Ended():
	case c.queue <- jsonrpc.Frame(body):
	default:
		c.End(errors.New("the language server does not read its input"))
	}
	return c.Err()
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
	for f := jsonrpc.NewFrames(r); c.Err() == nil; {
		body, err := f.Next()
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
	m, err := jsonrpc.Decode(body)
	if err != nil {
		return fmt.Errorf("a message is not valid JSON: %w", err)
	}
	c.Receive(m)
	return nil
}

// decode stores the result of an answer. Null and no result change nothing.
func decode(answer json.RawMessage, result any) error {
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("the answer of the language server is not valid: %w", err)
	}
	return nil
}
