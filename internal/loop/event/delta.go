package event

import (
	"encoding/json"
	"fmt"

	"agent/internal/llm"
)

// delta is the JSON form of a Streamed: the kind of the piece, and its fields.
type delta struct {
	Reply   string       `json:"reply"`
	Piece   string       `json:"piece"` // text, thinking, call, search, end or finish
	Index   int          `json:"index"`
	Text    string       `json:"text,omitempty"`
	ID      string       `json:"id,omitempty"`
	Name    string       `json:"name,omitempty"`
	Args    string       `json:"args,omitempty"`
	Search  *llm.Search  `json:"search,omitempty"`
	Sources []llm.Source `json:"sources,omitempty"`
	Opaque  *llm.Opaque  `json:"opaque,omitempty"`
	Reason  llm.Reason   `json:"reason,omitempty"`
	Raw     string       `json:"raw,omitempty"`
	Usage   *llm.Usage   `json:"usage,omitempty"`
	Lost    int          `json:"lost,omitempty"`
}

// MarshalJSON writes the piece flat, with its kind.
func (s Streamed) MarshalJSON() ([]byte, error) {
	out := delta{Reply: s.Reply}
	switch d := s.Delta.(type) {
	case llm.TextDelta:
		out.Piece, out.Index, out.Text = "text", d.Index, d.Text
	case llm.ThinkingDelta:
		out.Piece, out.Index, out.Text = "thinking", d.Index, d.Text
	case llm.CallDelta:
		out.Piece, out.Index, out.ID, out.Name, out.Args = "call", d.Index, d.ID, d.Name, d.Args
	case llm.SearchDelta:
		out.Piece, out.Index, out.Search = "search", d.Index, &d.Search
	case llm.BlockEnd:
		out.Piece, out.Index, out.Opaque, out.Sources = "end", d.Index, d.Opaque, d.Sources
	case llm.Finish:
		out.Piece, out.Reason, out.Raw, out.Usage, out.Lost = "finish", d.Reason, d.Raw, &d.Usage, d.Lost
	default:
		return nil, fmt.Errorf("encode delta: %T has no name", s.Delta)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Streamed) UnmarshalJSON(text []byte) error {
	var d delta
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	s.Reply = d.Reply
	switch d.Piece {
	case "text":
		s.Delta = llm.TextDelta{Index: d.Index, Text: d.Text}
	case "thinking":
		s.Delta = llm.ThinkingDelta{Index: d.Index, Text: d.Text}
	case "call":
		s.Delta = llm.CallDelta{Index: d.Index, ID: d.ID, Name: d.Name, Args: d.Args}
	case "search":
		search := llm.SearchDelta{Index: d.Index}
		if d.Search != nil {
			search.Search = *d.Search
		}
		s.Delta = search
	case "end":
		s.Delta = llm.BlockEnd{Index: d.Index, Opaque: d.Opaque, Sources: d.Sources}
	case "finish":
		f := llm.Finish{Reason: d.Reason, Raw: d.Raw, Lost: d.Lost}
		if d.Usage != nil {
			f.Usage = *d.Usage
		}
		s.Delta = f
	default:
		return fmt.Errorf("decode delta: unknown piece %q", d.Piece)
	}
	return nil
}
