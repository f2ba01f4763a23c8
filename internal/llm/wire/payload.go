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

// Payloads turns the body of an answer into a row of JSON texts of one line
// each, whatever the server makes of the format: one an event of a stream, or
// the whole where a server answers with a single completion.
type Payloads struct {
	events *Events
	begun  bool // the first byte was looked at
	any    bool // one was returned
	whole  bool // the body was one JSON text
	done   bool // there was a [DONE]
	passes bool // a [DONE] is passed over
}

// gotHTML begins the message of an answer that is a page for people.
const gotHTML = "got HTML in place of an answer: "

// NewPayloads returns the payloads of the body r.
func NewPayloads(r io.Reader) *Payloads { return &Payloads{events: NewEvents(r)} }

// PassDone makes Next pass over a [DONE], for a dialect that ends in another way,
// and returns p.
func (p *Payloads) PassDone() *Payloads {
	p.passes = true
	return p
}

// Next returns the next payload, good until the next call. It ends with io.EOF
// when the server said that it is done, else with an *llm.Error or the error of
// the reader: a body that just ends is one that was cut. The data of an event
// called error are an object that has an "error".
func (p *Payloads) Next() ([]byte, error) {
	if p.whole {
		return nil, io.EOF
	}
	if !p.begun {
		b, err := p.events.lines.peek()
		if err != nil {
			return nil, p.end(err)
		}
		if p.begun = true; b[0] == '{' || b[0] == '[' {
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
			if p.done = true; !p.passes {
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
			data[i] = ' ' // legal in JSON between tokens only
		}
		return data, nil
	}
}

// More reports whether the next payload is here already, so that Next will not
// wait for it. It may miss one.
func (p *Payloads) More() bool {
	rest := bytes.TrimLeft(p.events.lines.buf[p.events.lines.pos:], "\r\n")
	if bytes.HasPrefix(rest, []byte("event: ")) {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	rest, ok := bytes.CutPrefix(rest, []byte("data: {"))
	return ok && (bytes.Contains(rest, []byte("\n\n")) || bytes.Contains(rest, []byte("\r\n\r\n")))
}

// document returns a body that is no stream but one JSON text.
func (p *Payloads) document() ([]byte, error) {
	p.whole = true
	b, err := p.events.lines.all()
	if err != nil {
		return nil, p.end(err)
	}
	var one bytes.Buffer
	if err := json.Compact(&one, b); err != nil {
		if cut := new(json.SyntaxError); errors.As(err, &cut) && cut.Offset >= int64(len(b)) {
			return nil, CutOff(nil)
		}
		return nil, &llm.Error{Kind: llm.ErrProtocol, Message: "the answer is neither a stream nor JSON; it begins: " + p.head()}
	}
	return one.Bytes(), nil
}

// end says what the end of the body without a [DONE] means.
func (p *Payloads) end(err error) error {
	head := p.head()
	switch {
	case errors.Is(err, errTooLarge):
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the answer holds " + err.Error(), Err: err}
	case !errors.Is(err, io.EOF), p.done:
		return err
	case p.any || strings.HasPrefix(head, ":"):
		return CutOff(nil)
	case head == "":
		return EmptyAnswer()
	case strings.HasPrefix(head, "<"):
		return &llm.Error{Kind: llm.ErrProtocol, Message: gotHTML + head}
	}
	return &llm.Error{Kind: llm.ErrProtocol, Message: "the answer is no stream of events; it begins: " + head}
}

// head returns how the body begins, fit to be shown.
func (p *Payloads) head() string { return First(Clean(string(p.events.lines.head)), 200) }

// asError returns the data of an event called error as an error object.
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

// CutOff is the error of an answer that broke off.
func CutOff(cause error) *llm.Error {
	return &llm.Error{Kind: llm.ErrCut, Message: "the answer was cut in the middle by the server", Retry: true, Err: cause}
}

// EmptyAnswer is the error of an answer that says nothing at all.
func EmptyAnswer() *llm.Error {
	return &llm.Error{Kind: llm.ErrProtocol, Message: "empty answer", Retry: true, Tries: 2}
}
