package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/tools/mcp"
)

// foreign returns a server with tools that lists them as they are, and gives the result of
// every call. As events, it sends its answers as server-sent events.
func foreign(t *testing.T, tools, result string, events bool) mcp.Server {
	t.Helper()
	w := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[` + tools + `]}`
		case "tools/call", "prompts/get", "resources/read":
			answer = `"result":` + result
		case "prompts/list":
			answer = `"result":{"prompts":[{"name":"p"}]}`
		}
		form, kind := "%s", "application/json"
		if events {
			form, kind = "event: message\ndata: %s\n\n", "text/event-stream"
		}
		w.Header().Set("Content-Type", kind)
		fmt.Fprintf(w, form, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer))
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	return mcp.Server{Name: "x", URL: w.URL}
}

// Models get the definitions of tools with incomplete schemas and with those of older versions
// of JSON Schema, and calls of the tools run. Tools with references or with alternatives at
// the top are reached by mcp_call.
func TestForeignSchemas(t *testing.T) {
	complete := []string{
		`{"name":"none"}`, `{"name":"null","inputSchema":null}`, `{"name":"empty","inputSchema":{}}`, `{"name":"php","inputSchema":{"type":"object","properties":[]}}`,
		`{"name":"untyped","inputSchema":{"properties":{"a":{"type":"string"}}}}`, `{"name":"nullable","inputSchema":{"type":["object","null"]}}`,
		`{"name":"array","inputSchema":{"type":"object","properties":{"a":{"type":"array"}}}}`,
		`{"name":"tuple","inputSchema":{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}],"additionalItems":false}}}}`,
		`{"name":"exclusive","inputSchema":{"type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true}}}}`,
		`{"name":"required","inputSchema":{"type":"object","properties":{},"required":null}}`,
	}
	indirect := []string{
		`{"name":"alternatives","inputSchema":{"anyOf":[{"type":"object"}]}}`,
		`{"name":"reference","inputSchema":{"type":"object","$defs":{"l":{"type":"array"}},"properties":{"a":{"$ref":"#/$defs/l"}}}}`,
	}
	b := box(t, foreign(t, strings.Join(complete, ","), `{"content":[{"type":"text","text":"ok"}]}`, false))
	offered := b.Offer(t.Context(), 100_000)
	if len(offered) < len(complete) {
		t.Fatalf("%d tools are offered: %q", len(offered), b.Servers()[0].Rejected)
	}
	for _, tool := range offered[:len(complete)] {
		spec := tool.Spec()
		var s struct {
			Type       string
			Properties map[string]struct {
				Type             string
				Items            json.RawMessage
				ExclusiveMinimum *float64
			}
		}
		if err := json.Unmarshal(spec.Schema, &s); err != nil || s.Type != "object" || s.Properties == nil {
			t.Errorf("%s: %s: %v", spec.Name, spec.Schema, err)
		}
		if a := s.Properties["a"]; a.Type == "array" && !strings.HasPrefix(string(a.Items), "{") || spec.Name == "mcp__x__exclusive" && a.ExclusiveMinimum == nil {
			t.Errorf("%s: %s", spec.Name, spec.Schema)
		}
		if _, got, err := run(t, b, spec.Name, `{}`); err != nil || got.Text != "ok\n" {
			t.Errorf("%s: %q, %v", spec.Name, got.Text, err)
		}
	}
	b = box(t, foreign(t, strings.Join(append(complete, indirect...), ","), `{"content":[{"type":"text","text":"ok"}]}`, false))
	for _, name := range []string{"alternatives", "reference", "tuple"} {
		if _, got, err := run(t, b, mcp.CallTool, `{"tool":"mcp__x__`+name+`","arguments":{"a":["s"]}}`); err != nil || got.Text != "ok\n" {
			t.Errorf("%s: %q, %v", name, got.Text, err)
		}
	}
}

// The content of a result is decoded block by block: what cannot be shown is named, and the
// rest reaches the model.
func TestForeignContent(t *testing.T) {
	after := `{"type":"text","text":"after"}`
	for _, c := range []struct{ name, content, want string }{
		{"an unknown type", `[{"type":"video","url":"x"},` + after + `]`, "[content of the unknown type \"video\", not shown]\nafter\n"},
		{"an unknown type with text", `[{"type":"markdown","text":"# a"},` + after + `]`, "[content of the unknown type \"markdown\"]\n# a\nafter\n"},
		{"a damaged image", `[{"type":"image","data":"%%%","mimeType":"image/png"},` + after + `]`, "[image, image/png, not shown: its data is damaged]\nafter\n"},
		{"damaged audio", `[` + after + `,{"type":"audio","data":7,"mimeType":"audio/wav"}]`, "after\n[audio, audio/wav, not shown: its data is damaged]\n"},
		{"a damaged resource", `[{"type":"resource","resource":{"uri":"a://b","blob":"%%%"}},` + after + `]`, "[resource a://b, not shown: its data is damaged]\nafter\n"},
		{"a resource of another form", `[{"type":"resource","resource":{"uri":"a://b","text":"body","_meta":7}},` + after + `]`, "[resource a://b]\nbody\nafter\n"},
		{"no resource", `[{"type":"resource"},` + after + `]`, "[resource without content]\nafter\n"},
		{"a call", `[{"type":"tool_use","id":"1","name":"x","input":{}},` + after + `]`, "[content of the unknown type \"tool_use\", not shown]\nafter\n"},
		{"null", `[null,` + after + `]`, "after\n"},
		{"a string in the list", `["before",` + after + `]`, "before\nafter\n"},
		{"only a string", `"after"`, "after\n"},
		{"only a block", after, "after\n"},
		{"no type", `[{"text":"before"},` + after + `]`, "before\nafter\n"},
		{"a number as text", `[{"type":"text","text":7},` + after + `]`, "7\nafter\n"},
		{"annotations of another form", `[{"type":"text","text":"before","annotations":[]},` + after + `]`, "before\nafter\n"},
	} {
		for _, events := range []bool{false, true} {
			b := box(t, foreign(t, `{"name":"t"}`, `{"isError":"false","_meta":[],"content":`+c.content+`}`, events))
			if _, got, err := run(t, b, "mcp__x__t", `{}`); err != nil || got.Text != c.want || got.IsError {
				t.Errorf("%s, as events: %t: %q, %v", c.name, events, got.Text, err)
			}
			b.Close()
		}
	}
	for result, want := range map[string]string{`"after"`: "after\n", `["before",` + after + `]`: "before\nafter\n", ` [ ]`: ""} {
		b := box(t, foreign(t, `{"name":"t"}`, result, false))
		if _, got, err := run(t, b, "mcp__x__t", `{}`); err != nil || want != "" && got.Text != want || got.IsError {
			t.Errorf("the result %s: %q, %v", result, got.Text, err)
		}
		b.Close()
	}
	b := box(t, foreign(t, `{"name":"t"}`, `{"messages":[{"role":"user","content":{"type":"video"}},{"role":"user","content":`+after+`}],"contents":[{"uri":"a://b","blob":"%%%"},{"uri":"a://c","text":"body"}]}`, false))
	for len(b.Prompts()) == 0 {
		<-b.Changed()
	}
	if got, err := b.Prompt(t.Context(), "mcp__x__p", nil); err != nil || !strings.Contains(got.Text, "\"video\", not shown]") || !strings.Contains(got.Text, "after") {
		t.Errorf("the prompt: %q, %v", got.Text, err)
	}
	if got, err := b.ReadResource(t.Context(), "x", "a://b"); err != nil || !strings.Contains(got.Text, "its data is damaged") || !strings.Contains(got.Text, "body") {
		t.Errorf("the resource: %q, %v", got.Text, err)
	}
}

// A server that is a program sends a block of an unknown type and a damaged image.
func TestForeignContentOfAProgram(t *testing.T) {
	b := box(t, program(t, "old", "old"))
	if _, got, err := run(t, b, "mcp__old__worse", `{}`); err != nil || got.Text != "[content of the unknown type \"video\", not shown]\n[image, not shown: its data is damaged]\nold but good\n" {
		t.Errorf("%q, %v", got.Text, err)
	}
}

// Structured content reaches the model only if the texts do not have it already.
func TestStructuredContentIsNotRepeated(t *testing.T) {
	long := strings.Repeat("a long line ", 50)
	text := func(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
	for _, c := range []struct{ name, content, structured, want string }{
		{"the text in an object", text(long), fmt.Sprintf(`{"content":%q}`, long), long + "\n"},
		{"the texts in a list", text("a") + "," + text("b"), `{"result":["a","b"],"error":null,"note":""}`, "a\nb\n"},
		{"JSON", text(`{"n": 5, "l": []}`), `{"n":5,"l":[]}`, "{\"n\": 5, \"l\": []}\n"},
		{"JSON in a list", text(`{"n":1}`) + "," + text(`{"n":2}`), `{"result":[{"n":1},{"n":2}]}`, "{\"n\":1}\n{\"n\":2}\n"},
		{"the text of a resource", fmt.Sprintf(`{"type":"resource","resource":{"uri":"a://b","text":%q}}`, long), fmt.Sprintf(`{"content":%q}`, long), "[resource a://b]\n" + long + "\n"},
		{"the text and a number", text(long), fmt.Sprintf(`{"content":%q,"code":3}`, long), long + "\n{\n  \"code\": 3,\n  \"content\": \"[the same as the text above]\"\n}\n"},
		{"JSON in a fence", text("```json\n{\"n\": 5}\n```"), `{"n":5}`, "```json\n{\"n\": 5}\n```\n"},
		{"something else", text("short"), `{"full":"other"}`, "short\n{\n  \"full\": \"other\"\n}\n"},
		{"only numbers", text("n is 5"), `{"n":5}`, "n is 5\n{\n  \"n\": 5\n}\n"},
	} {
		b := box(t, foreign(t, `{"name":"t"}`, `{"content":[`+c.content+`],"structuredContent":`+c.structured+`}`, false))
		if _, got, err := run(t, b, "mcp__x__t", `{}`); err != nil || got.Text != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got.Text, err, c.want)
		}
		b.Close()
	}
}
