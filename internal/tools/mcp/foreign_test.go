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
