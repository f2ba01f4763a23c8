package responses

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

const patchText = "*** Begin Patch\n*** Add File: a \"b\".txt\n+tab\tand \\ and é 😀\n*** End Patch\n"

// patchTool is a tool with a plain-text argument.
func patchTool() llm.ToolSpec {
	return llm.ToolSpec{Name: "apply_patch", Description: "Changes files.", Schema: []byte(`{"type":"object","properties":{"patch":{"type":"string"}}}`),
		Freeform: &llm.Freeform{Argument: "patch", Grammar: "start: /.+/"}}
}

// stream is the events of a response that calls a custom tool. Parts are which of the
// events with the text are sent.
func stream(parts ...string) []byte {
	quote := func(text string) string { return `"` + quoted(text) + `"` }
	item := func(more string) string {
		return `{"type":"custom_tool_call","id":"ctc_1","call_id":"call_1","name":"apply_patch",` + more + `}`
	}
	events := map[string][]string{
		"added":  {`{"type":"response.output_item.added","output_index":0,"item":` + item(`"input":""`) + `}`},
		"deltas": {},
		"end":    {`{"type":"response.custom_tool_call_input.done","output_index":0,"item_id":"ctc_1","input":` + quote(patchText) + `}`},
		"done":   {`{"type":"response.output_item.done","output_index":0,"item":` + item(`"status":"completed","input":`+quote(patchText)) + `}`},
	}
	for _, r := range patchText {
		events["deltas"] = append(events["deltas"], `{"type":"response.custom_tool_call_input.delta","output_index":0,"item_id":"ctc_1","delta":`+quote(string(r))+`}`)
	}
	var b bytes.Buffer
	for _, part := range parts {
		for _, e := range events[part] {
			fmt.Fprintf(&b, "data: %s\n\n", e)
		}
	}
	b.WriteString(`data: {"type":"response.completed","response":{"status":"completed","output":[` + item(`"status":"completed","input":`+quote(patchText)) + `]}}` + "\n\n")
	return b.Bytes()
}

func TestPlainTextCallsAreStoredAsObjects(t *testing.T) {
	req := llm.Request{Model: "gpt-5", Tools: []llm.ToolSpec{patchTool()}}
	for _, parts := range [][]string{{"added", "deltas", "end", "done"}, {"added", "end", "done"}, {"added", "deltas", "end"}, {"done"}, {}} {
		d := wiretest.Collect(wire.Decode(wire.NewPayloads(bytes.NewReader(stream(parts...))), newDecoder("gpt-5", freeform(req.Tools))))
		if d.Err != nil || len(d.Messages) != 1 {
			t.Fatalf("%v: got %v, %v", parts, d.Messages, d.Err)
		}
		m := d.Messages[0]
		if want := `{"patch":"` + quoted(patchText) + `"}`; m.Kind != llm.ToolCall || m.Name != "apply_patch" || m.ID != "call_1" || m.Cut || string(m.Input) != want {
			t.Errorf("%v: got %+v\nwant the arguments %s", parts, m, want)
		}
		req.Messages = []llm.Message{{Kind: llm.User, Text: "go"}, m, {Kind: llm.ToolResult, ID: "call_1", Reply: m.Reply, Text: "done"}}
		body, err := NewRequest(req, Quirks{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`{"type":"custom","name":"apply_patch","description":"Changes files.","format":{"type":"grammar","syntax":"lark","definition":"start: /.+/"}}`,
			`{"type":"custom_tool_call","call_id":"call_1","name":"apply_patch","input":"` + quoted(patchText) + `"}`,
			`{"type":"custom_tool_call_output","call_id":"call_1","output":"done"}`,
		} {
			if !strings.Contains(string(body), want) {
				t.Errorf("%v: got %s\nwant %s", parts, body, want)
			}
		}
	}
}

// A call whose text was cut off is not run.
func TestACutPlainTextCallIsCut(t *testing.T) {
	cut := stream("added", "deltas")
	cut = append(cut[:bytes.Index(cut, []byte(`data: {"type":"response.completed"`))],
		`data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`+"\n\n"...)
	d := wiretest.Collect(wire.Decode(wire.NewPayloads(bytes.NewReader(cut)), newDecoder("gpt-5", freeform([]llm.ToolSpec{patchTool()}))))
	if d.Err != nil || len(d.Messages) != 1 || !d.Messages[0].Cut {
		t.Errorf("got %+v, %v", d.Messages, d.Err)
	}
}

// A server that rejects plain-text tools gets the tool with JSON arguments, and its calls
// as such.
func TestRejectedPlainTextToolsBecomeFunctions(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bodies = append(bodies, string(body)); strings.Contains(string(body), `"type":"custom"`) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"Invalid value: 'custom'. Supported values are: 'function' and 'web_search'.","type":"invalid_request_error","param":"tools[0].type"}}`)
			return
		}
		_, _ = w.Write(recording(t, "text.sse"))
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	defer p.Close()
	msgs := []llm.Message{{Kind: llm.User, Text: "go"}, {Kind: llm.ToolCall, Reply: "r", ID: "c", Name: "apply_patch", Input: []byte(`{"patch":"x"}`)}}
	for range 2 {
		if d := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m", Messages: msgs, Tools: []llm.ToolSpec{patchTool()}})); d.Err != nil {
			t.Error(d.Err)
		}
	}
	if len(bodies) != 3 || !strings.Contains(bodies[2], `"type":"function_call"`) || !strings.Contains(bodies[2], `"type":"function","name":"apply_patch"`) {
		t.Errorf("got %q", bodies)
	}
}
