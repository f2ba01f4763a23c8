package turn

import "agent/internal/llm"

// Model is a way to reach a model.
type Model struct {
	Name      string // PROVIDER/NAME, as people write it
	ID        string // as the provider knows it
	Provider  llm.Provider
	Context   int    // its window in tokens, 0 if unknown
	Blind     bool   // it is known to see no images
	MaxTokens int    // limit of a reply; 0 leaves it to the dialect
	Effort    string // of its reasoning; empty leaves it to the provider
	Why       string // why it was chosen, in words that follow "because"
	BaseURL   string // where its requests go, without secrets; empty for none
	Host      string // of BaseURL, if that is not the provider's own address
	// Confirm must be approved before the first request; nil is nothing.
	Confirm *Confirm
	// Cost is the price of what a reply used, in US dollars, if that is known.
	// Nil where it never is.
	Cost func(llm.Usage) (usd float64, known bool)
	// AsText reaches the same model with calls written as text, for a server that
	// turns out to know no tool calling. Nil where that is not offered.
	AsText llm.Provider
	// Fallbacks answer in its place, in this order, while it is overloaded or
	// its quota is used up. Their own are not looked at.
	Fallbacks []Model
}

// Confirm is a question about where the conversation is sent.
type Confirm struct {
	Question string
	Why      string
	Remedy   string // how the question is avoided, for the user who rejects it
}
