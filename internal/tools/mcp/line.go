package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// readLine reads a line of at most maxMessage bytes. It joins the parts of a long one only
// at its end, so that an endless one is never copied. A longer line is skipped: an error takes
// the place of an answer, and a line for the log that of another message.
func readLine(r *bufio.Reader) (line []byte, err error) {
	var parts [][]byte
	for size := 0; ; {
		part, err := r.ReadSlice('\n')
		if size += len(part); size > maxMessage {
			return replaceLong(r, bytes.Join(parts, nil), part, err)
		}
		parts = append(parts, bytes.Clone(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.Join(parts, nil), err
		}
	}
}

// replaceLong skips the rest of a line that is too long. Part is what was read last, with err.
func replaceLong(r *bufio.Reader, begin, part []byte, err error) ([]byte, error) {
	id, asks := begins(begin)
	begin = nil
	end := bytes.Clone(part)
	for size := 0; errors.Is(err, bufio.ErrBufferFull); size += len(part) {
		if size > maxSkipped {
			return nil, errTooLong
		}
		end = append(end[:0], end[max(0, len(end)-maxID):]...) // the ID can lie on the border
		part, err = r.ReadSlice('\n')
		end = append(end, part...)
	}
	if id == nil {
		id = lastID(end)
	}
	switch {
	case asks:
		return []byte(errTooLong.Error()), err
	case id == nil:
		return nil, errTooLong
	}
	return tooLongAnswer(id), err
}

// tooLongAnswer returns the error that takes the place of an answer that is too long.
func tooLongAnswer(id json.RawMessage) []byte {
	return encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": codeTooLong, "message": fmt.Sprintf("a message of more than %d MiB, which was not read", maxMessage>>20)}})
}

const (
	// maxID limits the ID in a message that is too long, with its key, in bytes.
	maxID = 200
	// codeTooLong is the code of the error in place of an answer that is too long.
	codeTooLong = -32001
)

// begins returns the ID at the beginning of an incomplete message; nil if there is none before
// the result. Asks is set for a request or a notification.
func begins(begin []byte) (id json.RawMessage, asks bool) {
	d := json.NewDecoder(bytes.NewReader(begin))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil || key == "method" {
			return nil, err == nil
		}
		var value json.RawMessage
		if key == "result" || key == "error" || d.Decode(&value) != nil {
			return id, false
		}
		if key == "id" {
			id = value
		}
	}
	return id, false
}

var idAtEnd = regexp.MustCompile(`,\s*"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2.0"\s*)?}\s*$`)

// lastID returns the ID at the end of an answer; nil if there is none.
func lastID(end []byte) json.RawMessage {
	if m := idAtEnd.FindSubmatch(end[max(0, len(end)-maxID):]); m != nil {
		return m[1]
	}
	return nil
}

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
