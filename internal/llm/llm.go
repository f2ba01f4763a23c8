// Package llm holds the neutral conversation: messages, requests, deltas, and
// Provider, which turns a request into a stream of deltas.
//
// No provider's JSON appears here or in packages that import this one: a
// dialect (a subpackage) translates at the edge. The package knows nothing of
// files, sessions, permissions or the screen. Start reading at Message and
// Provider.
package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Kind is the role of a Message.
type Kind string

// The kinds of messages. The system prompt is not a message; see
// Request.System.
const (
	User       Kind = "user"
	Assistant  Kind = "assistant"
	Thinking   Kind = "thinking"
	ToolCall   Kind = "tool_call"
	ToolResult Kind = "tool_result"
	// WebSearch is a search that the provider ran itself while it wrote the reply.
	WebSearch Kind = "web_search"
)

// Message is one stored unit of a conversation. A conversation is a []Message
// in chronological order.
type Message struct {
	Kind Kind `json:"kind"`
	// Reply is the ID of the reply that the message belongs to. Messages of one
	// reply are sent as one assistant turn.
	Reply string `json:"reply,omitempty"`
	// Text is the text of the message; for a ToolResult, the output that the
	// model reads.
	Text string `json:"text,omitempty"`
	// ID links a ToolResult to its ToolCall. It is unique in a conversation.
	ID string `json:"id,omitempty"`
	// Name is the tool that a ToolCall calls.
	Name string `json:"name,omitempty"`
	// Input holds the arguments of a ToolCall; always a valid JSON object.
	Input json.RawMessage `json:"input,omitempty"`
	// Raw holds the arguments as the model wrote them if they were not a JSON
	// object. Then Input is {} and the call is never run.
	Raw string `json:"raw,omitempty"`
	// Cut marks a message in whose middle the reply ended. A cut call is never
	// run and never sent back.
	Cut bool `json:"cut,omitempty"`
	// Note marks a User message that the program wrote. A provider sends it like one of the
	// user.
	Note bool `json:"note,omitempty"`
	// IsError marks the ToolResult of a call that failed.
	IsError bool `json:"is_error,omitempty"`
	// Images belong to a User message or a ToolResult.
	Images []Image `json:"images,omitempty"`
	// Search is set for a WebSearch.
	Search *Search `json:"search,omitempty"`
	// Sources are the pages that an Assistant message cites, each once, in the order
	// of the citations.
	Sources []Source `json:"sources,omitempty"`
	// Opaque is sent back unchanged to the dialect and model that produced it,
	// and left out for all others.
	Opaque *Opaque `json:"opaque,omitempty"`
}

// Image is an image in the encoding that is sent to the provider.
type Image struct {
	MediaType string `json:"media_type"` // "image/png"
	Data      []byte `json:"data"`
}

// Opaque holds bytes that only the dialect and model that produced them can
// read, such as a signature or encrypted reasoning.
type Opaque struct {
	Dialect string          `json:"dialect"`
	Model   string          `json:"model"`
	Data    json.RawMessage `json:"data"`
}

// Request is everything the model receives for one reply. A provider must not
// modify anything it refers to.
type Request struct {
	Model      string // the provider's name for the model, without the provider
	System     string
	Messages   []Message
	Tools      []ToolSpec
	ToolChoice ToolChoice
	Schema     json.RawMessage // JSON schema of the final answer, if any
	Effort     string          // "low", "medium", "high"; empty for the provider's default
	MaxTokens  int             // maximum length of the reply in tokens; 0 for the dialect's default
	WebSearch  bool            // the model may use the web search of its provider; ignored by dialects without one
	CacheKey   string          // same for requests with a common prefix, to route them to the same cache; may be empty
}

// ToolSpec describes a tool to the model. Schema is the JSON schema of an
// object. Strict, if set, is its form for strict mode, in which optional
// arguments are required and may be null.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      json.RawMessage `json:"strict,omitempty"`
	// Tool is the tool's own name if the model knows it by another one. The
	// messages of a conversation have the tool's own name.
	Tool string `json:"tool,omitempty"`
	// Freeform is set if the model may write the only argument of the tool as plain
	// text. Dialects without such tools use Schema.
	Freeform *Freeform `json:"freeform,omitempty"`
}

// Freeform describes an argument that is written as plain text.
type Freeform struct {
	Argument string `json:"argument"` // its name in Schema
	Grammar  string `json:"grammar"`  // that the text follows, in Lark's notation
}

// ToolChoice controls whether the model may, must or must not call tools. With
// the zero value the model decides.
type ToolChoice struct {
	Mode ChoiceMode
	Name string // for ChoiceTool: the tool to call
}

// ChoiceMode is the mode of a ToolChoice.
type ChoiceMode string

// The modes of a ToolChoice.
const (
	ChoiceAuto     ChoiceMode = ""
	ChoiceNone     ChoiceMode = "none"
	ChoiceRequired ChoiceMode = "required"
	ChoiceTool     ChoiceMode = "tool"
)

// Provider streams replies of models. Package openai, package responses and
// package anthropic implement it for their HTTP APIs, package text wraps
// another Provider for models without tool calling, and package offline answers
// without a model. The fake for tests is package script.
type Provider interface {
	// Stream yields deltas until the reply ends. An error is always an *Error
	// and comes last; a stream without an error has yielded a Finish. The
	// caller may stop early. Stream does not retry. Canceling ctx ends it
	// immediately.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}
