package jsonrpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
)

// ErrEndless is the error of a line of which too much would have to be skipped.
var ErrEndless = errors.New("a line does not end")

// Lines reads messages that are one line each. Lines that are too long are skipped.
type Lines struct {
	r             *bufio.Reader
	limit, beyond int
}

// NewLines returns a reader of the lines of r of at most limit bytes. Of a longer line it skips
// at most as many bytes as beyond says; 0 stands for any number.
func NewLines(r io.Reader, limit, beyond int) *Lines {
	return &Lines{bufio.NewReaderSize(r, 64<<10), limit, beyond}
}

// Long describes a message that is too long. If neither Asks nor Answers is set, it may be any
// message.
type Long struct {
	ID      json.RawMessage // nil if it has none or it was not found
	Asks    bool            // it is a request or a notification
	Answers bool            // it is an answer
}

// Next returns the next line, which may be empty. In place of one that is too long, it returns
// a description. The last line may come with an error, such as io.EOF. Next joins the
// parts of a line only at its end, so that an endless one is never copied.
func (l *Lines) Next() (line []byte, long *Long, err error) {
	var parts [][]byte
	for size := 0; ; {
		part, err := l.r.ReadSlice('\n')
		if size += len(part); size > l.limit {
			known := Beginning(bytes.Join(parts, nil))
			parts = nil
			err = l.skip(&known, part, err)
			return nil, &known, err
		}
		parts = append(parts, bytes.Clone(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.Join(parts, nil), nil, err
		}
	}
}

// skip skips the rest of a line that is too long. Part is what was read last, with err.
func (l *Lines) skip(known *Long, part []byte, err error) error {
	end := bytes.Clone(part)
	for size := 0; errors.Is(err, bufio.ErrBufferFull); size += len(part) {
		if l.beyond > 0 && size > l.beyond {
			return ErrEndless
		}
		end = append(end[:0], end[max(0, len(end)-maxID):]...) // the ID can lie on the border
		part, err = l.r.ReadSlice('\n')
		end = append(end, part...)
	}
	if known.ID == nil {
		known.ID = lastID(end)
	}
	return err
}

// maxID limits the ID at the end of a message that is too long, with its key, in bytes.
const maxID = 200

var idAtEnd = regexp.MustCompile(`,\s*"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2.0"\s*)?}\s*$`)

// lastID returns the ID at the end of a message; nil if there is none.
func lastID(end []byte) json.RawMessage {
	if m := idAtEnd.FindSubmatch(end[max(0, len(end)-maxID):]); m != nil {
		return m[1]
	}
	return nil
}

// Beginning returns what the beginning of a message says about it, up to its result or its
// first incomplete value.
func Beginning(text []byte) (known Long) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return known
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return known
		}
		if known.Answers = key == "result" || key == "error"; known.Answers {
			return known
		}
		known.Asks = known.Asks || key == "method"
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return known
		}
		if key == "id" {
			known.ID = value
		}
	}
	return known
}
