package responses

import (
	"encoding/json"

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

// pack returns o as it is kept with a message.
func (o opaque) pack(model string) *llm.Opaque {
	data, err := wire.Marshal(o)
	if err != nil {
		return nil
	}
	return &llm.Opaque{Dialect: dialect, Model: model, Data: data}
}

// unpack returns what was kept with m, nothing if another dialect or model did.
func unpack(m llm.Message, model string) opaque {
	var o opaque
	if m.Opaque == nil || m.Opaque.Dialect != dialect || m.Opaque.Model != model {
		return o
	}
	if json.Unmarshal(m.Opaque.Data, &o) != nil {
		return opaque{}
	}
	return o
}
