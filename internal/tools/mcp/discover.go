package mcp

import (
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// discoverMethod is the request with which protocol 2026-07-28 begins.
	discoverMethod = "server/discover"
	// discoverTime is how long a program may take to answer it. Older servers reject the
	// method, but some ignore requests that they do not know.
	discoverTime = 3 * time.Second
	// methodNotFound is the code of the error for an unknown method:
	// https://www.jsonrpc.org/specification#error_object
	methodNotFound = -32601
)

// discovery rejects server/discover in place of a program that does not answer it, so that
// the connection begins with initialize, as that of an older server. Its methods are safe
// for concurrent use.
type discovery struct {
	limit  time.Duration
	answer chan *jsonrpc.Response // holds one: the answer in place of the program

	mu      sync.Mutex
	request jsonrpc.ID // without an answer; the zero value for none
	late    jsonrpc.ID // answered in place of the program
}

func newDiscovery(limit time.Duration) *discovery {
	return &discovery{limit: limit, answer: make(chan *jsonrpc.Response, 1)}
}

// sends takes note of a message that is being sent.
func (d *discovery) sends(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Request)
	if !ok || r.Method != discoverMethod {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.request.IsValid() || d.late.IsValid() { // a connection begins once
		return
	}
	d.request = r.ID
	time.AfterFunc(d.limit, d.reject)
}

// reject rejects the request, unless the program has answered it.
func (d *discovery) reject() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.request.IsValid() {
		return
	}
	d.answer <- &jsonrpc.Response{ID: d.request, Error: &jsonrpc.Error{Code: methodNotFound, Message: "the server does not answer " + discoverMethod}}
	d.request, d.late = jsonrpc.ID{}, d.request
}

// receives reports whether a message of the program must be passed on: it is not the answer
// to a request that was already rejected.
func (d *discovery) receives(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch r.ID {
	case d.request:
		d.request = jsonrpc.ID{}
	case d.late:
		return !r.ID.IsValid()
	}
	return true
}

// isAnswer reports whether err is an error with which a server answered a request.
func isAnswer(err error) bool {
	_, ok := errors.AsType[*jsonrpc.Error](err)
	return ok
}

// isUnknownMethod reports whether err is the answer of a server that does not know a method.
func isUnknownMethod(err error) bool {
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && wire.Code == methodNotFound
}
