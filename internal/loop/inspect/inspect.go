// Package inspect describes a request to a model: its parts with their size, and how
// it differs from another one. It sends nothing. Start reading at Parts.
package inspect

import (
	"reflect"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/window"
)

// Part is a part of a request.
type Part struct {
	Kind   string `json:"kind"`             // "system", "tool", or the kind of a message
	Name   string `json:"name,omitempty"`   // of the tool
	Begin  string `json:"begin,omitempty"`  // first words of a message
	Tokens int    `json:"tokens_estimated"` // of the window
}

// maxBegin is how many bytes of a message a Part shows.
const maxBegin = 60

// Parts returns the parts of a request in the order in which providers cache them:
// tools, system prompt, messages.
func Parts(req llm.Request) []Part {
	var out []Part
	for _, t := range req.Tools {
		text := t.Name + t.Description + string(t.Schema)
		out = append(out, Part{Kind: "tool", Name: t.Name, Tokens: tokens(text)})
	}
	if req.System != "" {
		out = append(out, Part{Kind: "system", Tokens: tokens(req.System)})
	}
	for _, m := range req.Messages {
		begin := m.Text
		if m.Kind == llm.ToolCall {
			begin = string(m.Input)
		}
		begin = strings.Join(strings.Fields(phrase.Clip(begin, 4*maxBegin)), " ")
		out = append(out, Part{Kind: string(m.Kind), Name: m.Name, Begin: phrase.Clip(begin, maxBegin), Tokens: window.Tokens([]llm.Message{m})})
	}
	return out
}

func tokens(text string) int { return window.Tokens([]llm.Message{{Text: text}}) }

// Sum returns the tokens of all parts.
func Sum(parts []Part) int {
	n := 0
	for _, p := range parts {
		n += p.Tokens
	}
	return n
}

// Change is how a request differs from the one before it.
type Change struct {
	System  bool `json:"system_changed"`
	Tools   bool `json:"tools_changed"`
	Kept    int  `json:"messages_unchanged"` // at the beginning
	Removed int  `json:"messages_removed"`   // after these
	Added   int  `json:"messages_added"`
	// KeptTokens estimates the tokens of the unchanged beginning of the request, which
	// a provider can read from its cache.
	KeptTokens int `json:"tokens_unchanged_estimated"`
}

// Compare returns how now differs from before.
func Compare(before, now llm.Request) Change {
	c := Change{System: before.System != now.System, Tools: !reflect.DeepEqual(before.Tools, now.Tools)}
	for c.Kept < min(len(before.Messages), len(now.Messages)) && reflect.DeepEqual(before.Messages[c.Kept], now.Messages[c.Kept]) {
		c.Kept++
	}
	c.Removed, c.Added = len(before.Messages)-c.Kept, len(now.Messages)-c.Kept
	parts := Parts(now)
	switch beginning := len(parts) - len(now.Messages); {
	case c.Tools:
	case c.System:
		c.KeptTokens = Sum(parts[:len(now.Tools)])
	default:
		c.KeptTokens = Sum(parts[:beginning+c.Kept])
	}
	return c
}
