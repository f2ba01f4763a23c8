package wire

import (
	"bytes"
	"errors"
	"io"
)

// maxEvent limits a line of the stream and the data of an event, in bytes.
const maxEvent = 8 << 20

// maxHead limits the beginning of a body that is kept for error messages, in
// bytes.
const maxHead = 1 << 10

var errTooLarge = errors.New("an event of more than 8 MiB")

// Events reads server-sent events as the standard defines them: all three line
// endings, comments, multi-line data, a byte order mark. Unlike the standard,
// an event that the end of the stream leaves open counts, because some servers
// omit the last blank line, and the field "error" is the data of an event named
// "error".
type Events struct {
	lines lines
	data  []byte
}

// NewEvents returns the events of r.
func NewEvents(r io.Reader) *Events { return &Events{lines: lines{r: r}} }

// Next returns the name and the data of the next event that has data. The data
// is valid until the next call. After the last event it returns the reader's
// error, io.EOF at a normal end.
func (e *Events) Next() (name string, data []byte, err error) {
	e.data = e.data[:0]
	has := false
	for {
		line, err := e.lines.next()
		switch {
		case err != nil && has && !errors.Is(err, errTooLarge):
			return name, e.data, nil
		case err != nil:
			return "", nil, err
		case len(line) == 0 && has:
			return name, e.data, nil
		case len(line) == 0:
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "error", "data":
			if string(field) == "error" { // llama.cpp reports an error as a field of its own
				name = "error"
			}
			if !has && e.lines.blankNext() {
				return name, value, nil // a slice of the buffer, not overwritten before the next call
			}
			if has {
				e.data = append(e.data, '\n')
			}
			e.data, has = append(e.data, value...), true
			if len(e.data) > maxEvent {
				return "", nil, errTooLarge
			}
		}
	}
}

// lines splits a stream at \n, \r\n and \r. It never waits for the byte after a
// \r.
type lines struct {
	r       io.Reader
	buf     []byte
	pos     int    // start of the unread bytes
	scanned int    // no line ending before this offset
	skipLF  bool   // the previous line ended in \r
	begun   bool   // past a possible byte order mark
	head    []byte // first bytes of the body, for error messages
	err     error
}

// next returns the next line without its ending, valid until the next call.
// Text after the last line ending is a line too.
func (l *lines) next() ([]byte, error) {
	if _, err := l.peek(); err != nil {
		return nil, err
	}
	for {
		if i := lineEnd(l.buf[l.scanned:]); i >= 0 {
			end := l.scanned + i
			line := l.buf[l.pos:end]
			l.skipLF = l.buf[end] == '\r'
			l.pos, l.scanned = end+1, end+1
			return line, nil
		}
		l.scanned = len(l.buf)
		if len(l.buf)-l.pos > maxEvent {
			return nil, errTooLarge
		}
		if l.err != nil {
			if rest := l.buf[l.pos:]; len(rest) > 0 && errors.Is(l.err, io.EOF) {
				l.pos = len(l.buf)
				return rest, nil
			}
			return nil, l.err
		}
		l.fill()
	}
}

// blankNext skips a buffered blank line that ends in a line feed, the usual
// case. It reports whether it did.
func (l *lines) blankNext() bool {
	if rest := l.buf[l.pos:]; l.skipLF || len(rest) == 0 || rest[0] != '\n' {
		return false
	}
	l.pos++
	l.scanned = max(l.scanned, l.pos)
	return true
}

// lineEnd returns the offset of the first line ending in b, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// peek returns the buffered part of the next line, at least one byte.
func (l *lines) peek() ([]byte, error) {
	for {
		rest := l.buf[l.pos:]
		if l.skipLF && len(rest) > 0 {
			l.skipLF = false
			if rest[0] == '\n' {
				l.pos++
				l.scanned = max(l.scanned, l.pos)
				continue
			}
		}
		if !l.begun && (len(rest) >= 3 || l.err != nil) {
			l.begun = true
			if bytes.HasPrefix(rest, []byte("\ufeff")) {
				l.pos += 3
				l.scanned = l.pos
				continue
			}
		}
		if l.begun && len(rest) > 0 {
			return rest, nil
		}
		if l.err != nil {
			return nil, l.err
		}
		l.fill()
	}
}

// skipBlanks skips white space before the first line that has text.
func (l *lines) skipBlanks() error {
	for {
		rest, err := l.peek()
		if err != nil {
			return err
		}
		text := bytes.TrimLeft(rest, " \t\r\n")
		l.pos += len(rest) - len(text)
		l.scanned = max(l.scanned, l.pos)
		if len(text) > 0 {
			return nil
		}
	}
}

// fill reads once more. It first moves unread bytes to the front of the buffer
// when that is cheap.
func (l *lines) fill() {
	if l.pos > 0 && l.pos >= len(l.buf)/2 {
		n := copy(l.buf, l.buf[l.pos:])
		l.buf, l.scanned, l.pos = l.buf[:n], l.scanned-l.pos, 0
	}
	if cap(l.buf)-len(l.buf) < 2<<10 {
		l.buf = append(make([]byte, 0, 2*cap(l.buf)+4<<10), l.buf...)
	}
	n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf, l.err = l.buf[:len(l.buf)+n], err
	if room := maxHead - len(l.head); room > 0 {
		l.head = append(l.head, l.buf[len(l.buf)-n:][:min(n, room)]...)
	}
}

// all returns all unread bytes.
func (l *lines) all() ([]byte, error) {
	for l.err == nil {
		if len(l.buf)-l.pos > maxEvent {
			return nil, errTooLarge
		}
		l.fill()
	}
	if !errors.Is(l.err, io.EOF) {
		return nil, l.err
	}
	return l.buf[l.pos:], nil
}
