package responses

import (
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// dialect is the Dialect of this package's opaque bytes.
const dialect = "responses"

// opaque is the llm.Opaque.Data of this dialect.
type opaque struct {
	// Reasoning is sent back at its position in the reply.
	Reasoning *reasoningItem `json:"reasoning,omitempty"`
	// Phase says whether the model meant a message as commentary or as its
	// answer.
	Phase string `json:"phase,omitempty"`
	// Search is a web_search_call item as received, which is sent back.
	Search json.RawMessage `json:"search,omitempty"`
}

// reasoningItem is reasoning that only the provider can decrypt, with the
// summary that belongs to it.
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

// unpack returns the opaque data of m if it belongs to model.
func unpack(m llm.Message, model string) opaque { return wire.Unpack[opaque](m, dialect, model) }
