package openai

import (
	"encoding/json"
	"strings"

	"agent/internal/llm/wire"
)

// elsewhere reads an answer without choices that was not streamed: servers for other
// APIs send a message, or only its text, in fields of other names. It is used only if
// no choice arrives.
func elsewhere(data []byte) *choice {
	var o struct {
		Message *delta    `json:"message"`
		Reason  wire.Word `json:"done_reason"`
		Stop    wire.Word `json:"stop_reason"`
	}
	if wire.Unmarshal(data, &o) != nil {
		return nil
	}
	c := &choice{Message: o.Message, Finish: o.Reason + o.Stop}
	if c.Finish == "" {
		c.Finish = "stop"
	}
	if m := o.Message; m != nil && (len(m.Content) > 0 || len(m.ToolCalls) > 0) {
		return c
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(data, &fields)
	if text := firstText(fields, "output_text", "output", "text", "content", "response", "generated_text"); text != "" {
		c.Message = &delta{Content: content{{text: text}}}
		return c
	}
	return nil
}

// firstText returns the text of the first of the named fields that has any.
func firstText(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		if text := textIn(fields[name]); text != "" {
			return text
		}
	}
	return ""
}

// textIn returns the text of a JSON value: a string, a part with a text, or a list of
// these. Reasoning and calls are left out.
func textIn(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		var b strings.Builder
		for _, part := range list {
			b.WriteString(textIn(part))
		}
		return b.String()
	}
	var part map[string]json.RawMessage
	if json.Unmarshal(value, &part) != nil {
		return ""
	}
	switch wire.Scalar(part["type"]) {
	case "reasoning", "thinking", "function_call", "tool_use":
		return ""
	}
	return firstText(part, "text", "content", "message", "output_text")
}
