package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agent/internal/llm/wire"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// shop is a server with two tools, whose definitions are offered.
type shop struct{}

func (shop) Offer(context.Context, int) []tools.Tool { return shop{}.Callable() }

func (shop) Callable() []tools.Tool {
	return []tools.Tool{echo("mcp__shop__buy", tools.Read), echo("mcp__shop__find", tools.Read)}
}

func (shop) Fixed() []tools.Tool {
	return []tools.Tool{echo("tool_search", tools.Read), echo("mcp_call", tools.Read)}
}

// A provider that rejects the schema of an MCP tool gets requests without the definitions of
// MCP tools in the rest of the session.
func TestRejectedToolSchema(t *testing.T) {
	const find, unnamed, maybe = "the tool find of the MCP server shop", "the schema of an MCP tool", "The definition of an MCP tool may be the cause"
	for name, c := range map[string]struct {
		dialect speech
		status  int
		answer  string // AT is the position of the tool
		always  bool   // the server rejects every request
		notice  string // empty if the request is not repeated
	}{
		"OpenAI":              {chatCompletions{}, 400, `{"error":{"message":"Invalid schema for function 'mcp__shop__find': In context=('properties', 'tags'), array schema missing items.","type":"invalid_request_error","param":"tools[AT].function.parameters","code":"invalid_function_parameters"}}`, false, find},
		"OpenAI, position":    {chatCompletions{}, 422, `{"error":{"message":"Invalid 'tools[AT].function.parameters': not a JSON schema.","type":"invalid_request_error"}}`, false, find},
		"Anthropic":           {anthropicMessages{}, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.AT.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12."}}`, false, find},
		"Gemini":              {chatCompletions{}, 400, `[{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[AT].parameters.properties[tags].items: missing field.\n","status":"INVALID_ARGUMENT"}}]`, false, find},
		"Gemini, field":       {chatCompletions{}, 400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"exclusiveMinimum\" at 'tools[0].function_declarations[AT].parameters.properties[0].value': Cannot find field.","status":"INVALID_ARGUMENT"}}]`, false, find},
		"Vertex":              {chatCompletions{}, 400, "[{\"error\":{\"code\":400,\"message\":\"Unable to submit request because `mcp__shop__find` functionDeclaration `parameters.tags` schema didn't specify the schema type field.\",\"status\":\"INVALID_ARGUMENT\"}}]", false, find},
		"no name":             {chatCompletions{}, 400, `{"error":{"message":"Invalid request: tools.function.parameters is not a valid flavored json schema","type":"invalid_request_error"}}`, false, unnamed},
		"Ollama":              {chatCompletions{}, 400, `{"error":"json: cannot unmarshal array into Go struct field ToolFunction.tools.function.parameters.properties of type map[string]api.ToolProperty"}`, false, maybe},
		"Mistral":             {chatCompletions{}, 422, `{"detail":[{"type":"dict_type","loc":["body","tools",AT,"function","parameters"],"msg":"Input should be a valid dictionary","input":[]}]}`, false, find},
		"the field only":      {chatCompletions{}, 400, `{"error":{"message":"Invalid type: expected an object","param":"tools[AT].function.parameters"}}`, false, find},
		"xAI":                 {chatCompletions{}, 400, `{"error":"Invalid request content: Each tool's parameters must be of type object"}`, false, maybe},
		"Cohere":              {chatCompletions{}, 400, `{"message":"invalid request: all elements in tools must have a valid parameters object"}`, false, maybe},
		"Qwen":                {chatCompletions{}, 400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: The tools parameter is illegal"}}`, false, maybe},
		"llama.cpp":           {chatCompletions{}, 400, `{"error":{"code":400,"message":"Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nUnrecognized schema: {\"not\":{}}"}}`, false, unnamed},
		"llama.cpp, 500":      {chatCompletions{}, 500, `{"error":{"code":500,"message":"Failed to parse tools: JSON schema conversion failed:\nUnrecognized schema: {}; tools = [...]"}}`, false, unnamed},
		"xgrammar":            {chatCompletions{}, 400, `{"error":{"message":"Failed to convert the grammar from JSON schema: unsupported pattern"}}`, false, unnamed},
		"OpenAI, 500":         {chatCompletions{}, 500, `{"error":{"message":"Invalid schema for function 'mcp__shop__find'"}}`, false, find},
		"the name":            {chatCompletions{}, 400, `{"error":{"message":"Invalid 'tools[AT].function.name': string does not match pattern.","param":"tools[AT].function.name"}}`, false, find},
		"the description":     {chatCompletions{}, 400, `{"error":{"message":"Invalid 'tools[AT].function.description': string too long. Expected a string with maximum length 1024"}}`, false, find},
		"the number":          {chatCompletions{}, 400, `{"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 2, but got an array with length 3 instead.","param":"tools"}}`, false, maybe},
		"not the cause":       {chatCompletions{}, 400, `{"error":{"message":"Unsupported parameters: foo"}}`, true, maybe},
		"a call in a message": {chatCompletions{}, 400, `{"error":{"message":"Invalid 'messages[3].tool_calls[0].function.name': string does not match pattern."}}`, true, ""},
		"a template":          {chatCompletions{}, 400, `{"error":{"message":"Jinja exception: cannot render tools"}}`, true, ""},
		"no permission":       {chatCompletions{}, 403, `{"error":{"message":"tools schema not allowed"}}`, true, ""},
		"the second fails":    {chatCompletions{}, 400, `{"error":{"message":"Invalid schema for function 'mcp__shop__find': array schema missing items."}}`, true, find},
		"the answer":          {chatCompletions{}, 400, `{"error":{"message":"Invalid schema for response_format 'answer': additionalProperties is required."}}`, true, ""},
		"an unpaired result":  {chatCompletions{}, 400, `{"error":{"message":"messages with role 'tool' must be a response to a preceding message with 'tool_calls'."}}`, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var listed []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var request struct{ Tools []json.RawMessage }
				_ = json.Unmarshal(body, &request)
				at, names := -1, ""
				for i, tool := range request.Tools {
					names += string(tool)
					if bytes.Contains(tool, []byte(`"mcp__shop__find"`)) {
						at = i
					}
				}
				mu.Lock()
				listed = append(listed, names)
				mu.Unlock()
				if at >= 0 || c.always {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, strings.ReplaceAll(c.answer, "AT", fmt.Sprint(at)))
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, said(c.dialect, "done"))
			}))
			defer s.Close()
			p := c.dialect.provider(wire.Endpoint{Name: "p", Base: s.URL + "/v1"})
			defer p.Close()
			o := options(p, echo("read", tools.Read))
			o.Connected = shop{}
			prompts := []string{"one", "two"}
			if c.always {
				prompts = prompts[:1]
			}
			var notices []string
			var end *event.TurnEnd
			for _, e := range play(t, o, prompts, nil) {
				switch e := e.(type) {
				case event.Notice:
					notices = append(notices, e.Text)
				case *event.TurnEnd:
					end = e
				}
			}
			want, text := 3, strings.Join(notices, "\n")
			switch {
			case c.notice == "":
				want = 1
			case c.always:
				want = 2
			}
			if len(listed) != want {
				t.Fatalf("got %d requests, want %d; notices: %s", len(listed), want, text)
			}
			if c.notice == "" {
				if text != "" {
					t.Errorf("notices: %s", text)
				}
				return
			}
			if len(notices) != 1 || !strings.Contains(text, c.notice) {
				t.Errorf("notices: %s, want one with %q", text, c.notice)
			}
			for i, tools := range listed {
				if first := i == 0; strings.Contains(tools, `"mcp__shop__`) != first || strings.Contains(tools, `"mcp_call"`) == first || !strings.Contains(tools, `"read"`) {
					t.Errorf("request %d has the tools %s", i, tools)
				}
			}
			if c.always == (end.Error == "") || c.always && !strings.Contains(end.Hint, "already left out the definitions of MCP tools") {
				t.Errorf("the turn ended with %q, hint %q", end.Error, end.Hint)
			}
		})
	}
}
