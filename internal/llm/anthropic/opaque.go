package anthropic

import (
	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// dialect is the name under which this package's opaque bytes go.
const dialect = "anthropic"

// opaque is the form of llm.Opaque.Data here, of a Thinking.
type opaque struct {
	Signature string `json:"signature,omitempty"` // proves that the text is the model's
	Redacted  string `json:"redacted,omitempty"`  // stands for text that nobody may see
}

// unpack returns what was stored with m for the model.
func unpack(m llm.Message, model string) opaque { return wire.Unpack[opaque](m, dialect, model) }
