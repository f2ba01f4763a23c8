package agent

import (
	"encoding/json"

	"agent/internal/llm"
)

// Message is one message of a conversation.
type Message struct {
	Kind MessageKind `json:"kind"`
	Text string      `json:"text,omitempty"` // of a ToolResultMessage: what the model read
	// ID links the result of a call to the call. It, Name and Arguments are those of a
	// ToolCall.
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	IsError   bool            `json:"is_error,omitempty"` // a call failed
}

// MessageKind says who wrote a Message.
type MessageKind string

// The kinds of messages.
const (
	UserMessage       MessageKind = "user"
	AssistantMessage  MessageKind = "assistant"
	ThinkingMessage   MessageKind = "thinking"
	ToolCallMessage   MessageKind = "tool_call"
	ToolResultMessage MessageKind = "tool_result"
)

// Messages returns the conversation as the model gets it with the next prompt, without the
// system prompt: a summary takes the place of messages that no longer fit. Searches of the
// web that a provider ran are left out.
func (a *Agent) Messages() []Message {
	var out []Message
	for _, m := range a.replay.Messages {
		if kind := kindOf(m); kind != "" {
			out = append(out, Message{Kind: kind, Text: m.Text, ID: m.ID, Name: m.Name, Arguments: m.Input, IsError: m.IsError})
		}
	}
	return out
}

// kindOf returns the kind of m; empty if it is left out.
func kindOf(m llm.Message) MessageKind {
	switch m.Kind {
	case llm.User:
		return UserMessage
	case llm.Assistant:
		return AssistantMessage
	case llm.Thinking:
		return ThinkingMessage
	case llm.ToolCall:
		return ToolCallMessage
	case llm.ToolResult:
		return ToolResultMessage
	}
	return ""
}
