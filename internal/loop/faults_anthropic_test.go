package loop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/wire"
)

// anthropicMessages is the Anthropic dialect.
type anthropicMessages struct{}

func (anthropicMessages) name() string { return "anthropic" }

func (anthropicMessages) provider(at wire.Endpoint) provider {
	at.Authorize = wire.KeyHeader("x-api-key", secret)
	return anthropic.New(anthropic.Options{Endpoint: at, MaxTokens: 1000})
}

func (anthropicMessages) event(typ, rest string) string {
	if rest != "" {
		rest = "," + rest
	}
	return fmt.Sprintf("event: %s\ndata: {\"type\":\"%s\"%s}\n\n", typ, typ, rest)
}

func (d anthropicMessages) begin() string {
	return d.event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":10,"output_tokens":1}}`)
}

func (d anthropicMessages) text(index int, pieces ...string) string {
	var b strings.Builder
	b.WriteString(d.event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":{"type":"text","text":""}`, index)))
	for _, p := range pieces {
		b.WriteString(d.event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":"text_delta","text":%s}`, index, quoted(p))))
	}
	return b.String()
}

func (d anthropicMessages) call(index int, id, name string, pieces ...string) string {
	return d.event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":{"type":"tool_use","id":%s,"name":%s,"input":{}}`, index, quoted(id), quoted(name))) +
		d.more(index, pieces...)
}

func (d anthropicMessages) more(index int, pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(d.event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`, index, quoted(p))))
	}
	return b.String()
}

func (d anthropicMessages) end(index int) string {
	return d.event("content_block_stop", fmt.Sprintf(`"index":%d`, index))
}

func (d anthropicMessages) finish(reason llm.Reason, input, output string) string {
	word := string(reason)
	switch reason {
	case llm.Stop:
		word = "end_turn"
	case llm.Calls:
		word = "tool_use"
	case llm.Length:
		word = "max_tokens"
	case llm.Filtered:
		word = "refusal"
	}
	return d.event("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%s},"usage":{"input_tokens":%s,"output_tokens":%s}`, quoted(word), input, output))
}

func (d anthropicMessages) done() string { return d.event("message_stop", "") }

func (d anthropicMessages) failure(typ, message string) string {
	return d.event("error", fmt.Sprintf(`"error":{"type":%s,"message":%s}`, quoted(typ), quoted(message)))
}

func (anthropicMessages) document(text string) string {
	return `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"text","text":` + quoted(text) + `}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":5}}`
}

// check checks a request against the rules of Anthropic's servers.
func (d anthropicMessages) check(body []byte) error {
	var r struct {
		Model     string
		Stream    bool
		MaxTokens int `json:"max_tokens"`
		Messages  []struct {
			Role    string
			Content []struct {
				Type, Text, ID, Name string
				Input                json.RawMessage
				ToolUseID            string `json:"tool_use_id"`
			}
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	open := openCalls{}
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			return fmt.Errorf("message %d is the %s's and has %d blocks", i, m.Role, len(m.Content))
		}
		for _, c := range m.Content {
			err := error(nil)
			switch {
			case c.Type == "tool_result":
				err = open.answer(c.ToolUseID)
			case m.Role == "user" && len(open) > 0:
				err = fmt.Errorf("%v have no result before the %s of message %d", open, c.Type, i)
			case c.Type == "tool_use":
				err = open.add(c.ID, c.Name, c.Input, 128, 128)
			case c.Type == "text" && strings.TrimSpace(c.Text) == "":
				err = fmt.Errorf("message %d has a blank text", i)
			}
			if err != nil {
				return err
			}
		}
		if m.Role == "user" && len(open) > 0 {
			return fmt.Errorf("%v have no result in message %d", open, i)
		}
	}
	switch n := len(r.Messages); {
	case r.Model != "m" || !r.Stream || r.MaxTokens == 0:
		return fmt.Errorf("model %q, stream %v, max_tokens %d", r.Model, r.Stream, r.MaxTokens)
	case n%2 == 0:
		return errors.New("the last message is not of the user")
	}
	return nil
}
