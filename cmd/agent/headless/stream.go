package headless

import (
	"fmt"
	"io"

	"agent/cmd/agent/command"
	"agent/internal/llm/wire"
	"agent/internal/loop/event"
)

// Start is the first line of stream-json.
type Start struct {
	Type      string     `json:"type"`              // "session"
	Session   string     `json:"session,omitempty"` // ID; empty if the session is not saved
	Version   string     `json:"version"`           // of the program
	Directory string     `json:"directory"`         // the workspace, absolute
	Model     string     `json:"model"`             // PROVIDER/NAME
	Mode      event.Mode `json:"mode"`
}

// WriteStart writes s as a line.
func WriteStart(out io.Writer, s Start) {
	s.Type = "session"
	_ = command.WriteLine(out, s)
}

// badLine answers a line of the input that is not a command.
type badLine struct {
	Type  string `json:"type"` // "error"
	Line  int    `json:"line"` // its number, from 1
	Error string `json:"error"`
}

// Schemas are the JSON schemas of the lines of stream-json, by direction.
func Schemas() map[string]func() ([]byte, error) {
	return map[string]func() ([]byte, error){
		"input": event.InputSchema,
		"output": func() ([]byte, error) {
			return event.OutputSchema(map[string]any{"session": Start{}, "error": badLine{}, "result": Result{}})
		},
	}
}

// Previews says which previews a printer of stream-json prints.
type Previews struct {
	Answerable bool // all but deltas and progress: another program answers
	Partial    bool // all
}

// streamPrinter prints each event as one line, and each result as another one.
type streamPrinter struct {
	out      io.Writer
	previews Previews
}

func (p *streamPrinter) Event(e event.Event) {
	if line := p.line(e); line != nil {
		fmt.Fprintf(p.out, "%s\n", wire.Visible(line))
	}
}

// line returns the line of e; nil if it is not printed.
func (p *streamPrinter) line(e event.Event) []byte {
	if of, ok := e.(event.Delegated); ok {
		if d, ok := of.Event.(event.Durable); ok { // it names its agent
			e = d
		}
	}
	if d, ok := e.(event.Durable); ok {
		line, _ := event.Encode(d)
		return line
	}
	if !p.prints(e) {
		return nil
	}
	line, _ := event.EncodePreview(e)
	return line
}

// prints reports whether a preview is printed.
func (p *streamPrinter) prints(e event.Event) bool {
	switch e := e.(type) {
	case event.RequestDone: // it is for traces
		return false
	case event.Streamed, event.Progress:
		return p.previews.Partial
	case event.Delegated:
		return p.prints(e.Event)
	}
	return p.previews.Answerable || p.previews.Partial
}

func (p *streamPrinter) End(r Result) { _ = command.WriteLine(p.out, r) }
