package anthropic

import (
	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// dialect is the Dialect of this package's opaque bytes.
const dialect = "anthropic"

// opaque is the llm.Opaque.Data of a Thinking message.
type opaque struct {
	Signature string `json:"signature,omitempty"` // proves that the text is the model's
	Redacted  string `json:"redacted,omitempty"`  // encrypted thinking without readable text
}

// unpack returns the opaque data of m if it belongs to model.
func unpack(m llm.Message, model string) opaque { return wire.Unpack[opaque](m, dialect, model) }
