package responses

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

func TestNewRequest(t *testing.T) {
	const schema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`
	const begin = `{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"reasoning":{"summary":"auto"},`
	const wired = `"tools":[{"type":"function","name":"read","description":"reads","parameters":` + schema + `,"strict":true},` +
		`{"type":"function","name":"stop","parameters":{"type":"object","properties":{}},"strict":false}],"input":[]}`
	tools := []llm.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(schema)}, {Name: "stop"}}
	for name, row := range map[string]struct {
		req    llm.Request
		quirks Quirks
		want   string
	}{
		"minimal": {llm.Request{}, Quirks{}, begin + `"input":[]}`},
		"a question": {llm.Request{System: "be <kind>", Messages: []llm.Message{{Kind: llm.User, Text: "hi"}}}, Quirks{},
			begin + `"instructions":"be <kind>","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`},
		"limits": {llm.Request{MaxTokens: 9, Effort: "low"}, Quirks{},
			`{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"low","summary":"auto"},"max_output_tokens":9,"input":[]}`},
		"no reasoning": {llm.Request{Effort: "low"}, Quirks{Plain: true}, `{"model":"m","stream":true,"store":false,"input":[]}`},
		"no summary": {llm.Request{}, Quirks{NoSummary: true},
			`{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"input":[]}`},
		"no summary, with effort": {llm.Request{Effort: "high"}, Quirks{NoSummary: true},
			`{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high"},"input":[]}`},
		"tools":                                 {llm.Request{Tools: tools}, Quirks{}, begin + wired},
		"tools of a server without strict mode": {llm.Request{Tools: tools}, Quirks{Loose: true}, begin + strings.Replace(wired, `"strict":true`, `"strict":false`, 1)},
		"a required call":                       {llm.Request{Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceRequired}}, Quirks{}, begin + `"tool_choice":"required",` + wired},
		"no calls allowed":                      {llm.Request{Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceNone}}, Quirks{}, begin + `"tool_choice":"none",` + wired},
		"a required tool": {llm.Request{Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceTool, Name: "read"}}, Quirks{},
			begin + `"tool_choice":{"type":"function","name":"read"},` + wired},
		"no choice without tools": {llm.Request{ToolChoice: llm.ToolChoice{Mode: llm.ChoiceNone}}, Quirks{}, begin + `"input":[]}`},
		"a schema": {llm.Request{Schema: json.RawMessage(schema)}, Quirks{},
			begin + `"text":{"format":{"type":"json_schema","name":"answer","schema":` + schema + `,"strict":true}},"input":[]}`},
		"a schema that is not strict": {llm.Request{Schema: json.RawMessage(`{"type":"object"}`)}, Quirks{},
			begin + `"text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":false}},"input":[]}`},
	} {
		row.req.Model = "m"
		got, err := NewRequest(row.req, row.quirks)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(string(got), row.want); diff != "" {
			t.Errorf("%s: got, want:\n%s", name, diff)
		}
	}
	if _, err := NewRequest(llm.Request{Tools: []llm.ToolSpec{{Name: "bad", Schema: json.RawMessage(`{`)}}}, Quirks{}); err == nil {
		t.Error("a schema that is no JSON passes")
	}
}
