package turn

import (
	"context"
	"slices"

	"agent/internal/llm"
)

// Model is a model and the connection to it.
type Model struct {
	Name      string // PROVIDER/NAME
	ID        string // the provider's name for it
	Provider  llm.Provider
	Context   int            // context window in tokens, 0 if unknown
	Window    *AssumedWindow // set if Context is only assumed
	NoImages  bool           // it is known to have no image input
	WebSearch bool           // its provider's own web search is offered to it
	Unlisted  bool           // its server rejected the schema of an MCP tool: none is listed
	MaxTokens int            // limit of a reply; 0 for the dialect's default
	Effort    string         // reasoning effort; empty for the provider's default
	Why       string         // why it was chosen; completes "because"
	BaseURL   string         // of its provider, without secrets; empty for none
	Host      string         // of BaseURL, if that is not the provider's default
	// Confirm must be approved before the first request; nil if nothing must be.
	Confirm *Confirm
	// ApproveSearch is set if the user must approve WebSearch before the first request, and
	// gets the answer.
	ApproveSearch func(yes bool)
	// Cost returns the price of a reply in US dollars, if it is known. Nil if it
	// never is.
	Cost func(llm.Usage) (usd float64, known bool)
	// AsText connects to the same model with tool calls written as text, for a
	// server without tool calling. Nil if that is not supported.
	AsText llm.Provider
	// NoTools records for later sessions that the server has no tool calling. May be
	// nil.
	NoTools func()
	// Memory keeps facts about the model for later sessions; nil for none.
	Memory Memory
	// Fallbacks replace the model, in order, while it is overloaded or its quota is
	// exhausted. Their own Fallbacks are ignored.
	Fallbacks []Model
}

// Memory keeps facts about a model at its server.
type Memory interface {
	Limits() []string
	Learn(fact string)
}

// Confirm is a question about where the conversation is sent.
type Confirm struct {
	Question string
	Why      string
	Remedy   string // how to avoid the question, for a user who rejects it
}

// AssumedWindow describes a context window that is assumed until the server has
// loaded the model.
type AssumedWindow struct {
	// Measure asks the server for the window in tokens; 0 if it does not tell.
	Measure func(context.Context) int
	Advice  string // how the user raises the window: "set OLLAMA_CONTEXT_LENGTH"
}

// Measured returns m with the context window of the model called name, which is m or
// one of its fallbacks.
func (m Model) Measured(name string, window int) Model {
	if m.Name == name {
		m.Context, m.Window = window, nil
	}
	m.Fallbacks = slices.Clone(m.Fallbacks)
	for i, f := range m.Fallbacks {
		m.Fallbacks[i] = f.Measured(name, window)
	}
	return m
}
