package anthropic

import (
	"encoding/json"

	"agent/internal/llm"
)

// dialect is the name under which this package's opaque bytes go.
const dialect = "anthropic"

// opaque is the form of llm.Opaque.Data here, of a Thinking.
type opaque struct {
	Signature string `json:"signature,omitempty"` // proves that the text is the model's
	Redacted  string `json:"redacted,omitempty"`  // stands for text that nobody may see
}

// pack returns o as it is kept with a message, nil if it holds nothing.
func (o opaque) pack(model string) *llm.Opaque {
	data, err := json.Marshal(o)
	if err != nil || o == (opaque{}) {
		return nil
	}
	return &llm.Opaque{Dialect: dialect, Model: model, Data: data}
}

// unpack returns what was kept with m, nothing if another dialect or model did.
func unpack(m llm.Message, model string) opaque {
	var o opaque
	if m.Opaque == nil || m.Opaque.Dialect != dialect || m.Opaque.Model != model || json.Unmarshal(m.Opaque.Data, &o) != nil {
		return opaque{}
	}
	return o
}
