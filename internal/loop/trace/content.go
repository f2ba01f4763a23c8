package trace

import (
	"encoding/json"
	"fmt"

	"agent/internal/llm"
)

// message is a message in the form of the conventions.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
}

// messages encodes msgs, without the data of images. The messages of a reply are one.
// Finish is why the reply ended; empty for input.
func messages(msgs []llm.Message, finish llm.Reason) string {
	var out []message
	add := func(role string, p part) {
		if n := len(out); n > 0 && role == "assistant" && out[n-1].Role == role {
			out[n-1].Parts = append(out[n-1].Parts, p)
			return
		}
		out = append(out, message{Role: role, Parts: []part{p}, Finish: string(finish)})
	}
	for _, m := range msgs {
		switch m.Kind {
		case llm.User:
			add("user", part{Type: "text", Content: m.Text})
		case llm.Assistant:
			add("assistant", part{Type: "text", Content: m.Text})
		case llm.Thinking:
			add("assistant", part{Type: "reasoning", Content: m.Text})
		case llm.WebSearch:
			if m.Search != nil {
				add("assistant", part{Type: "text", Content: m.Search.Text()})
			}
		case llm.ToolCall:
			add("assistant", part{Type: "tool_call", ID: m.ID, Name: m.Name, Arguments: m.Input})
		case llm.ToolResult:
			add("tool", part{Type: "tool_call_response", ID: m.ID, Response: m.Text})
		}
		if n := len(m.Images); n > 0 {
			last := &out[len(out)-1]
			last.Parts = append(last.Parts, part{Type: "text", Content: fmt.Sprintf("[images: %d]", n)})
		}
	}
	if len(out) == 0 {
		return ""
	}
	return encoded(out)
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
