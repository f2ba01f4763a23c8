package openai

import (
	"encoding/json"
	"strings"

	"agent/internal/llm/wire"
)

// chunk is an event of a stream, or a whole completion. It accepts the variants
// of many servers. A field of an unexpected type counts as missing.
type chunk struct {
	Choices []choice        `json:"choices"`
	Tokens  *usage          `json:"usage"`
	Groq    *groq           `json:"x_groq"`
	Error   json.RawMessage `json:"error"`
	Object  wire.Word       `json:"object"`
}

type groq struct {
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type choice struct {
	Index   int       `json:"index"`
	Delta   *delta    `json:"delta"`
	Message *delta    `json:"message"` // of a completion that was not streamed
	Text    content   `json:"text"`    // of a completion without a message
	Finish  wire.Word `json:"finish_reason"`
	Usage   *usage    `json:"usage"`
}

type delta struct {
	Content          content    `json:"content"`
	ReasoningContent content    `json:"reasoning_content"`
	Reasoning        content    `json:"reasoning"`
	ReasoningDetails []detail   `json:"reasoning_details"`
	Refusal          content    `json:"refusal"`
	ToolCalls        []callPart `json:"tool_calls"`
	FunctionCall     *function  `json:"function_call"` // the former name of tool_calls
}

type callPart struct {
	Index    wire.Word       `json:"index"`
	ID       wire.Word       `json:"id"`
	Function function        `json:"function"`
	Extra    json.RawMessage `json:"extra_content"` // signature to send back
}

type function struct {
	Name      wire.Word `json:"name"`
	Arguments wire.Word `json:"arguments"`
}

// content is text, or a list of fragments of text and thinking.
type content []fragment

type fragment struct {
	text     string
	thinking bool
}

// UnmarshalJSON ignores content of an unknown form.
func (c *content) UnmarshalJSON(b []byte) error {
	*c = nil
	switch b[0] {
	case '"':
		s, err := wire.Unquote(b)
		if err != nil {
			return err
		}
		if s != "" {
			*c = content{{text: s}}
		}
	case '[', '{':
		*c = fragments(b)
	}
	return nil
}

// text returns the joined text of c.
func (c content) text() string {
	if len(c) == 1 {
		return c[0].text
	}
	var b strings.Builder
	for _, p := range c {
		b.WriteString(p.text)
	}
	return b.String()
}

// fragments decodes a fragment or a list of them, without images.
func fragments(b []byte) content {
	if b[0] == '{' {
		b = append(append([]byte{'['}, b...), ']')
	}
	var list []struct {
		Type     wire.Word `json:"type"`
		Text     content   `json:"text"`
		Thinking content   `json:"thinking"`
		Refusal  content   `json:"refusal"`
	}
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	var out content
	for _, p := range list {
		thinks := p.Type == "thinking" || p.Type == "reasoning"
		for _, s := range []string{p.Thinking.text(), p.Text.text(), p.Refusal.text()} {
			if s != "" {
				out = append(out, fragment{text: s, thinking: thinks})
			}
		}
	}
	return out
}
