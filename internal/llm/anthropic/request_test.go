package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

func TestNewRequest(t *testing.T) {
	tools := []llm.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object","b":1,"a":{}}`)}, {Name: "stop"}}
	const wired = `"tools":[{"input_schema":{"type":"object","b":1,"a":{}},"name":"read","description":"reads"},` +
		`{"input_schema":{"type":"object","properties":{}},"name":"stop","cache_control":{"type":"ephemeral"}}]`
	const plain = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}},"required":["a"],"additionalProperties":false}`
	edit := []llm.ToolSpec{{Name: "edit", Schema: json.RawMessage(plain),
		Strict: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["boolean","null"]}},"required":["a","b"],"additionalProperties":false}`)}}
	for name, row := range map[string]struct {
		req  llm.Request
		want string
	}{
		"minimal":                     {llm.Request{Model: "claude-sonnet-5"}, `{"max_tokens":32000,"messages":[],"model":"claude-sonnet-5","stream":true}`},
		"a model of another maker":    {llm.Request{Model: "qwen"}, `{"max_tokens":8192,"messages":[],"model":"qwen","stream":true}`},
		"an old model":                {llm.Request{Model: "claude-3-haiku-20240307"}, `{"max_tokens":4096,"messages":[],"model":"claude-3-haiku-20240307","stream":true}`},
		"a limit and a system prompt": {llm.Request{Model: "m", MaxTokens: 9, System: "be <kind>"}, `{"max_tokens":9,"messages":[],"model":"m","system":[{"text":"be <kind>","cache_control":{"type":"ephemeral"},"type":"text"}],"stream":true}`},
		"tools":                       {llm.Request{Model: "m", MaxTokens: 9, Tools: tools}, `{"max_tokens":9,"messages":[],"model":"m",` + wired + `,"stream":true}`},
		"strict tools": {llm.Request{Model: "claude-sonnet-4-5", MaxTokens: 9, Tools: edit}, `{"max_tokens":9,"messages":[],"model":"claude-sonnet-4-5","tools":[{"input_schema":` +
			plain + `,"name":"edit","cache_control":{"type":"ephemeral"},"strict":true}],"stream":true}`},
		"strict tools of an old model": {llm.Request{Model: "claude-opus-4-1", MaxTokens: 9, Tools: edit}, `{"max_tokens":9,"messages":[],"model":"claude-opus-4-1","tools":[{"input_schema":` +
			plain + `,"name":"edit","cache_control":{"type":"ephemeral"}}],"stream":true}`},
		"a required call": {llm.Request{Model: "m", MaxTokens: 9, Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceRequired}},
			`{"max_tokens":9,"messages":[],"model":"m","tool_choice":{"type":"any"},` + wired + `,"stream":true}`},
		"a required tool": {llm.Request{Model: "m", MaxTokens: 9, Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceTool, Name: "read"}},
			`{"max_tokens":9,"messages":[],"model":"m","tool_choice":{"name":"read","type":"tool"},` + wired + `,"stream":true}`},
		"no calls allowed": {llm.Request{Model: "m", MaxTokens: 9, Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceNone}},
			`{"max_tokens":9,"messages":[],"model":"m","tool_choice":{"type":"none"},` + wired + `,"stream":true}`},
		"no choice without tools": {llm.Request{Model: "m", MaxTokens: 9, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceNone}},
			`{"max_tokens":9,"messages":[],"model":"m","stream":true}`},
		"a schema": {llm.Request{Model: "m", MaxTokens: 9, Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}`)},
			`{"max_tokens":9,"messages":[],"model":"m","output_config":{"format":{"schema":{"additionalProperties":false,"properties":{"n":{"description":"{minimum: 1}","type":"integer"}},"type":"object"},"type":"json_schema"}},"stream":true}`},
	} {
		got, err := NewRequest(row.req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(string(got), row.want); diff != "" {
			t.Errorf("%s: got, want:\n%s", name, diff)
		}
	}
	for _, req := range []llm.Request{{Tools: []llm.ToolSpec{{Name: "bad", Schema: json.RawMessage(`{`)}}}, {Schema: json.RawMessage(`7`)}} {
		if got, err := NewRequest(req); err == nil {
			t.Errorf("a schema that is none passes: %s", got)
		}
	}
}

func TestEffort(t *testing.T) {
	forced := llm.ToolChoice{Mode: llm.ChoiceRequired}
	foreign := []llm.Message{{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "read"}, {Kind: llm.ToolResult, ID: "a", Text: "A"}}
	for _, row := range []struct {
		req  llm.Request
		want string // additional fields of the request
	}{
		{llm.Request{Model: "claude-opus-5"}, ``},
		{llm.Request{Model: "claude-opus-5", Effort: "high"}, `"output_config":{"effort":"high"},"thinking":{"display":"summarized","type":"adaptive"},`},
		{llm.Request{Model: "some-proxy/claude-opus-5", Effort: "minimal"}, `"output_config":{"effort":"low"},"thinking":{"display":"summarized","type":"adaptive"},`},
		{llm.Request{Model: "claude-opus-5", Effort: "none"}, `"thinking":{"type":"disabled"},`},
		{llm.Request{Model: "claude-opus-5", Effort: "max", ToolChoice: forced}, `"output_config":{"effort":"max"},`},
		{llm.Request{Model: "claude-opus-5", Effort: "low", Messages: foreign}, `"output_config":{"effort":"low"},"thinking":{"display":"summarized","type":"adaptive"},`},
		{llm.Request{Model: "claude-sonnet-4-5", Effort: "low"}, `"thinking":{"budget_tokens":4096,"type":"enabled"},`},
		{llm.Request{Model: "claude-sonnet-4-5", Effort: "high", MaxTokens: 8000}, `"thinking":{"budget_tokens":4000,"type":"enabled"},`},
		{llm.Request{Model: "claude-sonnet-4-5", Effort: "high", MaxTokens: 2000}, ``},
		{llm.Request{Model: "claude-sonnet-4-5", Effort: "none"}, ``},
		{llm.Request{Model: "claude-sonnet-4-5", Effort: "high", ToolChoice: forced}, ``},
		{llm.Request{Model: "claude-sonnet-4-5", Effort: "high", Messages: foreign}, ``},
		{llm.Request{Model: "anthropic.claude-3-5-sonnet-v2", Effort: "high"}, ``},
	} {
		body, err := NewRequest(row.req)
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(string(body), `"model":"`+row.req.Model+`",`)
		if got = strings.TrimSuffix(got, `"stream":true}`); got != row.want {
			t.Errorf("%s %q: got %s, want %s", row.req.Model, row.req.Effort, got, row.want)
		}
	}
}
