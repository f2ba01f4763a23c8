// Package llm holds the neutral conversation: messages, requests, deltas and
// the Provider that turns a request into a stream of deltas.
//
// Nothing in here, or in what imports it, ever sees a provider's own JSON: a
// dialect (a sub-package) translates at the edge. The package knows nothing of
// files, sessions, permission or the screen.
package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Kind says who speaks in a Message and how.
type Kind string

// The kinds of message. The system prompt is no message: it is Request.System.
const (
	User       Kind = "user"
	Assistant  Kind = "assistant"
	Thinking   Kind = "thinking"
	ToolCall   Kind = "tool_call"
	ToolResult Kind = "tool_result"
)

// Message is one stored unit of a conversation, which is a []Message in the
// order things were said.
type Message struct {
	Kind Kind `json:"kind"`
	// Reply names the step that said it. Messages of one reply belong to one
	// assistant turn on the wire.
	Reply string `json:"reply,omitempty"`
	// Text is what was said; of a ToolResult, the output the model reads.
	Text string `json:"text,omitempty"`
	// ID ties a ToolResult to its ToolCall. It is unique in a conversation.
	ID string `json:"id,omitempty"`
	// Name is the tool that a ToolCall wants.
	Name string `json:"name,omitempty"`
	// Input holds a ToolCall's arguments: always a valid JSON object.
	Input json.RawMessage `json:"input,omitempty"`
	// Raw is what the model wrote when that was no JSON object. Input is {}
	// then, and the call is never run.
	Raw string `json:"raw,omitempty"`
	// Cut marks what the reply ended in the middle of. A cut call is never run
	// and never sent back.
	Cut bool `json:"cut,omitempty"`
	// IsError marks a ToolResult that tells of a failure.
	IsError bool `json:"is_error,omitempty"`
	// Images go with a User message or a ToolResult.
	Images []Image `json:"images,omitempty"`
	// Opaque is handed back unchanged to the dialect and model it came from,
	// and left out for every other.
	Opaque *Opaque `json:"opaque,omitempty"`
}

// Image is a picture as the provider is to get it.
type Image struct {
	MediaType string `json:"media_type"` // "image/png"
	Data      []byte `json:"data"`
}

// Opaque holds bytes that only the dialect and model they came from can read:
// a signature, encrypted reasoning.
type Opaque struct {
	Dialect string          `json:"dialect"`
	Model   string          `json:"model"`
	Data    json.RawMessage `json:"data"`
}

// Request is everything a model is told for one reply. A provider must not
// change what it points to.
type Request struct {
	Model      string // as the provider knows it, without the provider's name
	System     string
	Messages   []Message
	Tools      []ToolSpec
	ToolChoice ToolChoice
	Schema     json.RawMessage // wanted shape of the final answer, if any
	Effort     string          // "low", "medium", "high"; empty leaves it to the provider
	MaxTokens  int             // limit of the reply; 0 leaves it to the dialect
}

// ToolSpec tells a model of a tool. Schema is a JSON schema of an object.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// ToolChoice says whether the model may, must or must not call tools. The zero
// value lets it choose.
type ToolChoice struct {
	Mode ChoiceMode
	Name string // with ChoiceTool: the one it must call
}

// ChoiceMode is the rule of a ToolChoice.
type ChoiceMode string

// The modes of a ToolChoice.
const (
	ChoiceAuto     ChoiceMode = ""
	ChoiceNone     ChoiceMode = "none"
	ChoiceRequired ChoiceMode = "required"
	ChoiceTool     ChoiceMode = "tool"
)

// Provider reaches models.
type Provider interface {
	// Stream yields deltas until the reply ends. An error comes last, if at
	// all, and is an *Error; a stream without one has yielded a Finish. The
	// consumer may stop early. Stream does not retry, and cancelling ctx ends
	// it at once.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}
