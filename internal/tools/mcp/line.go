package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	rpc "agent/internal/jsonrpc"
)

const (
	// maxMessage limits a message of a server, in bytes.
	maxMessage = 8 << 20
	// maxBatch limits the messages in a line.
	maxBatch = 1000
	// maxSkipped limits the rest of a line with a message that is too long, in bytes. A server
	// that sends more is disconnected.
	maxSkipped = 256 << 20
	// sentTooMuch begins the errors about these limits.
	sentTooMuch = "the server sent more than "
)

// errTooLong is the error about a message that nobody can give to a call.
var errTooLong = fmt.Errorf(sentTooMuch+"%d MiB in a message", maxMessage>>20)

// newLines returns a reader of the lines that a server writes.
func newLines(r io.Reader) *rpc.Lines { return rpc.NewLines(r, maxMessage, maxSkipped) }

// nextLine returns the next line. An error takes the place of an answer that is too long, and a
// line for the log that of another message.
func nextLine(r *rpc.Lines) (line []byte, err error) {
	line, long, err := r.Next()
	switch {
	case errors.Is(err, rpc.ErrEndless):
		return nil, errTooLong
	case long == nil:
		return line, err
	case long.Asks:
		return []byte(errTooLong.Error()), err
	case long.ID == nil:
		return nil, errTooLong
	}
	return tooLongAnswer(long.ID), err
}

// answeredID returns the ID at the beginning of an incomplete answer; nil if there is none before
// the result.
func answeredID(begin []byte) json.RawMessage {
	if known := rpc.Beginning(begin); !known.Asks {
		return known.ID
	}
	return nil
}

// tooLongAnswer returns the error that takes the place of an answer that is too long.
func tooLongAnswer(id json.RawMessage) []byte {
	return encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": codeTooLong, "message": fmt.Sprintf("a message of more than %d MiB, which was not read", maxMessage>>20)}})
}

// codeTooLong is the code of the error in place of an answer that is too long.
const codeTooLong = -32001

// isMessage reports whether a line is a JSON-RPC message, or a batch of messages. Servers
// also print banners and logs in JSON.
func isMessage(line []byte) bool {
	return len(line) > 0 && (line[0] == '{' || line[0] == '[') && bytes.Contains(line, []byte(`"jsonrpc"`)) && json.Valid(line)
}

// batch are the messages in a line that are not decoded yet. Servers of protocol 2025-03-26
// may send several.
type batch struct {
	line  []byte        // one message; nil once it is decoded
	list  *json.Decoder // of several messages; nil for one
	count int
}

// newBatch returns the messages in a line for which isMessage is true.
func newBatch(line []byte) *batch {
	if line[0] != '[' {
		return &batch{line: line}
	}
	b := &batch{list: json.NewDecoder(bytes.NewReader(line))}
	_, _ = b.list.Token() // the bracket
	return b
}

// next decodes the next message, and returns its size in bytes too; nil after the last one.
// It leaves out what is no message.
func (b *batch) next() (m jsonrpc.Message, size int, err error) {
	for {
		part := json.RawMessage(b.line)
		b.line = nil
		if b.list != nil && b.list.More() {
			if b.count++; b.count > maxBatch {
				return nil, 0, fmt.Errorf(sentTooMuch+"%d messages in a line", maxBatch)
			}
			if err := b.list.Decode(&part); err != nil {
				return nil, 0, nil // isMessage excludes it
			}
		}
		if part == nil {
			return nil, 0, nil
		}
		if m, err := jsonrpc.DecodeMessage(mend(part)); err == nil {
			return m, len(part), nil
		}
	}
}
