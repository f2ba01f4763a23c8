package event

import (
	"encoding/json"

	"agent/internal/llm"
)

// Draft holds the unsent messages of the user.
type Draft struct {
	Text   string      `json:"text,omitempty"`   // in the editor
	Images []llm.Image `json:"images,omitempty"` // of Text, in the order of their references
	Queue  []Waiting   `json:"queue,omitempty"`  // messages queued until the turn ends

	// Pasted are the long pasted parts of Text, in order. An editor shows each as a
	// placeholder.
	Pasted []Span `json:"pasted,omitempty"`
}

// Waiting is a queued message.
type Waiting struct {
	Text   string      `json:"text"`
	Images []llm.Image `json:"images,omitempty"`
	// About is the title of the question to which this is an unfinished answer, or
	// "edited plan: " and the first line of the plan; empty for other messages.
	About string `json:"about,omitempty"`
}

// UnmarshalJSON also reads a bare string, as versions without images wrote it.
func (w *Waiting) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &w.Text) == nil {
		return nil
	}
	type plain Waiting
	return json.Unmarshal(b, (*plain)(w))
}

// Span is a part of a text, in bytes.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}
