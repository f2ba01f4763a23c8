package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"agent/internal/llm/phrase"
)

// Limits of the requests of a server that have no answer yet. The SDK keeps them all in
// memory, so a server that sends more is disconnected.
const (
	maxUnanswered      = 100
	maxUnansweredBytes = maxMessage
)

// unanswered are the requests of a server that wait for an answer. The zero value is ready
// to use. It is safe for concurrent use.
type unanswered struct {
	mu    sync.Mutex
	sizes map[string]int // in bytes, by ID
	bytes int
}

// received notes a message of the server. It fails if too many requests wait.
func (u *unanswered) received(m jsonrpc.Message, size int) error {
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.ID.IsValid() {
		return nil
	}
	id := idText(r.ID)
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, again := u.sizes[id]; again {
		return fmt.Errorf("the server sent a second request with the ID %s before the first had an answer", phrase.OneLine(id, maxStated))
	}
	if u.sizes == nil {
		u.sizes = map[string]int{}
	}
	u.sizes[id] = size
	u.bytes += size
	if len(u.sizes) > maxUnanswered || u.bytes > maxUnansweredBytes {
		return errors.New("the server sent too many requests without waiting for the answers")
	}
	return nil
}

// read is received for a message that is not decoded.
func (u *unanswered) read(message []byte) error {
	if !bytes.Contains(message, []byte(`"method"`)) || !bytes.Contains(message, []byte(`"id"`)) {
		return nil
	}
	m, err := jsonrpc.DecodeMessage(message)
	if err != nil {
		return nil // the SDK reports it
	}
	return u.received(m, len(message))
}

// wrote is sent for an encoded message.
func (u *unanswered) wrote(message []byte) {
	if m, err := jsonrpc.DecodeMessage(message); err == nil {
		u.sent(m)
	}
}

// sent notes a message to the server.
func (u *unanswered) sent(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bytes -= u.sizes[idText(r.ID)]
	delete(u.sizes, idText(r.ID))
}

// requestID returns the ID of an encoded request as JSON; nil for another message.
func requestID(message []byte) json.RawMessage {
	m, err := jsonrpc.DecodeMessage(message)
	if r, ok := m.(*jsonrpc.Request); err == nil && ok && r.ID.IsValid() {
		return json.RawMessage(idText(r.ID))
	}
	return nil
}

// idText returns an ID as JSON.
func idText(id jsonrpc.ID) string {
	text, _ := json.Marshal(id.Raw())
	return string(text)
}
