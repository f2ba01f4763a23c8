package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"agent/internal/llm"
)

// Payloads reads the body of a response as JSON texts of one line each: one per
// event of a stream, or the whole body if the server sends a single completion.
type Payloads struct {
	events     *Events
	started    bool // the first byte was inspected
	any        bool // a payload was returned
	isDocument bool // the body was one JSON document
	done       bool // there was a [DONE]
	skipDone   bool // [DONE] is ignored
	halves     surrogates
}

// NewPayloads returns the payloads of the body r.
func NewPayloads(r io.Reader) *Payloads { return &Payloads{events: NewEvents(r)} }

// SkipDone makes Next ignore [DONE], for a dialect that ends differently, and
// returns p.
func (p *Payloads) SkipDone() *Payloads {
	p.skipDone = true
	return p
}

// Next returns the next payload, valid until the next call. It returns io.EOF
// after the server's end mark, otherwise an *llm.Error or the error of the
// reader: a body without an end mark was cut off. The payload of an event named
// "error" is an object with the key "error".
func (p *Payloads) Next() ([]byte, error) {
	if p.isDocument {
		return nil, io.EOF
	}
	if !p.started {
		if err := p.events.lines.skipBlanks(); err != nil { // some routers send blanks while the model thinks
			return nil, p.end(err)
		}
		b, err := p.events.lines.peek()
		if err != nil {
			return nil, p.end(err)
		}
		if p.started = true; b[0] == '{' || b[0] == '[' {
			return p.document()
		}
	}
	for {
		name, data, err := p.events.Next()
		if err != nil {
			return nil, p.end(err)
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			if p.done = true; !p.skipDone {
				return nil, io.EOF
			}
			continue
		}
		if len(data) == 0 {
			continue
		}
		p.any = true
		if name == "error" {
			data = asError(data)
		}
		for i := bytes.IndexByte(data, '\n'); i >= 0; i = bytes.IndexByte(data, '\n') {
			data[i] = ' ' // newlines can only be between tokens
		}
		return p.halves.join(data), nil
	}
}

// More reports whether the next payload has already arrived, so that Next does
// not block. It may return false when one has.
func (p *Payloads) More() bool {
	rest := bytes.TrimLeft(p.events.lines.buf[p.events.lines.pos:], "\r\n")
	if bytes.HasPrefix(rest, []byte("event: ")) {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	rest, ok := bytes.CutPrefix(rest, []byte("data: {"))
	return ok && (bytes.Contains(rest, []byte("\n\n")) || bytes.Contains(rest, []byte("\r\n\r\n")))
}

// document returns a body that is a single JSON text instead of a stream.
func (p *Payloads) document() ([]byte, error) {
	p.isDocument = true
	b, err := p.events.lines.all()
	if err != nil {
		return nil, p.end(err)
	}
	var one bytes.Buffer
	if err := json.Compact(&one, b); err != nil {
		if cut := new(json.SyntaxError); errors.As(err, &cut) && cut.Offset >= int64(len(b)) {
			return nil, CutOff(nil)
		}
		return nil, &llm.Error{Kind: llm.ErrProtocol, Retry: true, Message: "the response is neither an event stream nor JSON: " + p.head()}
	}
	return one.Bytes(), nil
}

// end returns the error of a body that ended without [DONE] because of err.
func (p *Payloads) end(err error) error {
	head := p.head()
	switch {
	case errors.Is(err, errTooLarge):
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the response contains " + err.Error(), Err: err}
	case !errors.Is(err, io.EOF), p.done:
		return err
	case p.any || strings.HasPrefix(head, ":"):
		return CutOff(nil)
	case head == "":
		return EmptyAnswer()
	case isPage(head):
		message := "the server sent an HTML page"
		if title := pageTitle(string(p.events.lines.head), "200"); title != "" {
			message += ": " + title
		}
		return &llm.Error{Kind: llm.ErrProtocol, Message: message, Err: errHTML}
	}
	return &llm.Error{Kind: llm.ErrProtocol, Retry: true, Message: "the response is not an event stream: " + head}
}

// head returns the beginning of the body as printable text.
func (p *Payloads) head() string { return Truncate(Clean(string(p.events.lines.head)), 200) }

// asError wraps the data of an event named "error" in an error object.
func asError(data []byte) []byte {
	var o struct{ Error json.RawMessage }
	if json.Unmarshal(data, &o) == nil && len(o.Error) > 0 {
		return data
	}
	if !json.Valid(data) {
		data = strconv.AppendQuoteToASCII(nil, Clean(string(data)))
	}
	return append(append([]byte(`{"error":`), data...), '}')
}

// CutOff is the error of a response that ended too early.
func CutOff(cause error) *llm.Error {
	return &llm.Error{Kind: llm.ErrCut, Message: "the server cut the answer off", Retry: true, Err: cause}
}

// EmptyAnswer is the error of a response without content.
func EmptyAnswer() *llm.Error {
	return &llm.Error{Kind: llm.ErrProtocol, Message: "empty answer", Retry: true, Tries: 2}
}
