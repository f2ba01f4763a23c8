package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// dialect is the name under which this package's opaque bytes go.
const dialect = "openai"

// opaque is the form of llm.Opaque.Data here.
type opaque struct {
	// Field is the name under which a Thinking's text is handed back.
	Field string `json:"field,omitempty"`
	// Details are handed back in place of the text: they hold signatures.
	Details []detail `json:"reasoning_details,omitempty"`
	// Extra goes with a call.
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// unpack returns what was stored with m for the model.
func unpack(m llm.Message, model string) opaque { return wire.Unpack[opaque](m, dialect, model) }

// detail is an element of reasoning_details: text, a summary of it, or
// something encrypted.
type detail struct {
	Type      string          `json:"type"`
	ID        json.RawMessage `json:"id,omitempty"`
	Format    json.RawMessage `json:"format,omitempty"`
	Index     json.RawMessage `json:"index,omitempty"`
	Text      string          `json:"text,omitempty"`
	Summary   string          `json:"summary,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
}

// details gathers the pieces of reasoning_details that are streamed.
type details struct{ list []*openDetail }

// openDetail is an element that later pieces may still go on with.
type openDetail struct {
	detail
	text, summary strings.Builder
}

// add takes the next piece. It goes on with the last element if that has the
// same place and kind; encrypted ones come whole. It reports whether the piece
// began an element.
func (ds *details) add(d detail) (began bool) {
	var last *openDetail
	if n := len(ds.list); n > 0 {
		last = ds.list[n-1]
	}
	if last == nil || d.Data != "" || last.Data != "" || last.Type != d.Type || string(last.Index) != string(d.Index) {
		d.ID, d.Format, d.Index = bytes.Clone(d.ID), bytes.Clone(d.Format), bytes.Clone(d.Index) // they are the payload's
		last = &openDetail{detail: d}
		ds.list = append(ds.list, last)
		began = true
	}
	last.text.WriteString(d.Text)
	last.summary.WriteString(d.Summary)
	if d.Signature != "" {
		last.Signature = d.Signature
	}
	return began
}

// binding returns the elements if they hold more than text, which is what the
// model that made them wants to see again.
func (ds *details) binding() []detail {
	var out []detail
	bound := false
	for _, d := range ds.list {
		d.Text, d.Summary = d.text.String(), d.summary.String()
		bound = bound || d.Signature != "" || d.Data != ""
		out = append(out, d.detail)
	}
	if !bound {
		return nil
	}
	return out
}
