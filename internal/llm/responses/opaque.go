package responses

import (
	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// dialect is the name under which this package's opaque bytes go.
const dialect = "responses"

// opaque is the form of llm.Opaque.Data here.
type opaque struct {
	// Reasoning is handed back in the place where it was thought.
	Reasoning *reasoningItem `json:"reasoning,omitempty"`
	// Phase tells what a message was to the model: a remark on the way or its
	// answer.
	Phase string `json:"phase,omitempty"`
}

// reasoningItem is what the model thought, in a form that only the provider can
// read, and a summary that it binds.
type reasoningItem struct {
	Type      string        `json:"type"`
	ID        string        `json:"id,omitempty"`
	Summary   []summaryText `json:"summary"`
	Encrypted string        `json:"encrypted_content"`
}

type summaryText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// unpack returns what was stored with m for the model.
func unpack(m llm.Message, model string) opaque { return wire.Unpack[opaque](m, dialect, model) }
