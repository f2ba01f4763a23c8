package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"agent/internal/llm"
)

// payloads turns the body of an answer into a row of JSON texts of one line
// each, whatever the server makes of the format: one an event of a stream, or
// the whole where a server answers with a single completion.
type payloads struct {
	events *events
	begun  bool // the first byte was looked at
	any    bool // one was returned
	whole  bool // the body was one JSON text
}

func newPayloads(r io.Reader) *payloads { return &payloads{events: newEvents(r)} }

// next returns the next payload, good until the next call. It ends with io.EOF
// when the server said that it is done, else with an *llm.Error or the error of
// the reader.
func (p *payloads) next() ([]byte, error) {
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
		name, data, err := p.events.next()
		if err != nil {
			return nil, p.end(err)
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			return nil, io.EOF
		}
		if len(data) == 0 {
			continue
		}
		p.any = true
		if name == "error" {
			data = asError(data)
		}
		for i, c := range data {
			if c == '\n' || c == '\r' { // legal in JSON between tokens only
				data[i] = ' '
			}
		}
		return data, nil
	}
}

// document returns a body that is no stream but one JSON text.
func (p *payloads) document() ([]byte, error) {
	p.whole = true
	b, err := p.events.lines.all()
	if err != nil {
		return nil, p.end(err)
	}
	var one bytes.Buffer
	if err := json.Compact(&one, b); err != nil {
		if cut := new(json.SyntaxError); errors.As(err, &cut) && cut.Offset >= int64(len(b)) {
			return nil, cutOff(nil)
		}
		return nil, &llm.Error{Kind: llm.ErrProtocol, Message: "the answer is neither a stream nor JSON; it begins: " + p.head()}
	}
	return one.Bytes(), nil
}

// end says what the end of the body without a [DONE] means.
func (p *payloads) end(err error) error {
	head := p.head()
	switch {
	case errors.Is(err, errTooLarge):
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the answer holds " + err.Error(), Err: err}
	case !errors.Is(err, io.EOF):
		return err
	case p.any || strings.HasPrefix(head, ":"):
		return cutOff(nil)
	case head == "":
		return emptyAnswer()
	case strings.HasPrefix(head, "<"):
		return &llm.Error{Kind: llm.ErrProtocol, Message: "got HTML in place of an answer: " + head,
			Hint: "look whether the base URL is right, and whether a proxy wants a login"}
	}
	return &llm.Error{Kind: llm.ErrProtocol, Message: "the answer is no stream of events; it begins: " + head}
}

// head returns how the body begins, fit to be shown.
func (p *payloads) head() string { return first(clean(string(p.events.lines.head)), 200) }

// asError returns the data of an event called error as an error object.
func asError(data []byte) []byte {
	var o struct{ Error json.RawMessage }
	if json.Unmarshal(data, &o) == nil && len(o.Error) > 0 {
		return data
	}
	if !json.Valid(data) {
		data = strconv.AppendQuoteToASCII(nil, clean(string(data)))
	}
	return append(append([]byte(`{"error":`), data...), '}')
}

func cutOff(cause error) *llm.Error {
	return &llm.Error{Kind: llm.ErrCut, Message: "the answer was cut in the middle by the server", Retry: true, Err: cause}
}

func emptyAnswer() *llm.Error {
	return &llm.Error{Kind: llm.ErrProtocol, Message: "empty answer", Retry: true}
}
