package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// dialect is the Dialect of this package's opaque bytes.
const dialect = "openai"

// opaque is the llm.Opaque.Data of this dialect.
type opaque struct {
	// Field is the field in which the text of a Thinking is sent back.
	Field string `json:"field,omitempty"`
	// Details are sent back instead of the text, because they hold signatures.
	Details []detail `json:"reasoning_details,omitempty"`
	// Extra belongs to a call.
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// unpack returns the opaque data of m if it belongs to model.
func unpack(m llm.Message, model string) opaque { return wire.Unpack[opaque](m, dialect, model) }

// detail is an element of reasoning_details: text, a summary, or encrypted
// data.
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

// details joins streamed pieces of reasoning_details.
type details struct{ list []*openDetail }

// openDetail is an element that later pieces may extend.
type openDetail struct {
	detail
	text, summary strings.Builder
}

// add adds a piece. It extends the last element if that has the same index and
// type; encrypted elements are never split. It reports whether the piece began
// an element.
func (ds *details) add(d detail) (began bool) {
	var last *openDetail
	if n := len(ds.list); n > 0 {
		last = ds.list[n-1]
	}
	if last == nil || d.Data != "" || last.Data != "" || last.Type != d.Type || string(last.Index) != string(d.Index) {
		d.ID, d.Format, d.Index = bytes.Clone(d.ID), bytes.Clone(d.Format), bytes.Clone(d.Index) // they point into the payload
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

// binding returns the elements if any holds a signature or encrypted data,
// which the model needs back; otherwise nil.
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
