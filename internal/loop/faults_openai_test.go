package loop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/llm/wire"
)

// chatCompletions is the OpenAI dialect.
type chatCompletions struct{}

func (chatCompletions) name() string { return "openai" }

func (chatCompletions) provider(at wire.Endpoint) provider {
	at.Authorize = wire.Bearer(secret)
	return openai.New(openai.Options{Endpoint: at})
}

func (chatCompletions) event(delta, finish string) string {
	return fmt.Sprintf(`data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`+"\n\n", delta, finish)
}

func (d chatCompletions) begin() string { return d.event(`"role":"assistant","content":""`, "null") }

func (d chatCompletions) text(_ int, pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(d.event(`"content":`+quoted(p), "null"))
	}
	return b.String()
}

func (d chatCompletions) call(index int, id, name string, pieces ...string) string {
	return d.event(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]`, index, quoted(id), quoted(name)), "null") +
		d.more(index, pieces...)
}

func (d chatCompletions) more(index int, pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(d.event(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, index, quoted(p)), "null"))
	}
	return b.String()
}

func (chatCompletions) end(int) string { return "" }

func (d chatCompletions) finish(reason llm.Reason, input, output string) string {
	return d.event("", quoted(string(reason))) +
		fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":%s,"completion_tokens":%s}}`+"\n\n", input, output)
}

func (chatCompletions) done() string { return "data: [DONE]\n\n" }

func (chatCompletions) failure(typ, message string) string {
	return fmt.Sprintf("event: error\ndata: {\"error\":{\"type\":%s,\"message\":%s}}\n\n", quoted(typ), quoted(message))
}

func (chatCompletions) document(text string) string {
	return `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":` + quoted(text) + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`
}

// check checks a request against the rules of OpenAI's servers.
func (d chatCompletions) check(body []byte) error {
	var r struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role       string
			Content    *string
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	open := openCalls{}
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("%v have no result before message %d", open, i)
		}
		switch {
		case m.Role == "tool":
			if err := open.answer(m.ToolCallID); err != nil {
				return err
			}
		case len(m.ToolCalls) == 0 && (m.Content == nil || *m.Content == ""):
			return fmt.Errorf("message %d of the %s is empty", i, m.Role)
		}
		for _, c := range m.ToolCalls {
			if err := open.add(c.ID, c.Function.Name, json.RawMessage(c.Function.Arguments), 64, 40); err != nil {
				return err
			}
		}
	}
	switch n := len(r.Messages); {
	case r.Model != "m" || !r.Stream:
		return fmt.Errorf("model %q, stream %v", r.Model, r.Stream)
	case n == 0 || r.Messages[n-1].Role != "user" && r.Messages[n-1].Role != "tool":
		return errors.New("the last message is not of the user")
	}
	return nil
}
