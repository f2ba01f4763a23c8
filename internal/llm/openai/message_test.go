package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

func TestWireMessages(t *testing.T) {
	object := func(s string) json.RawMessage { return json.RawMessage(s) }
	call := func(reply, id, input string) llm.Message {
		return llm.Message{Kind: llm.ToolCall, Reply: reply, ID: id, Name: "read", Input: object(input)}
	}
	result := func(reply, id, text string) llm.Message {
		return llm.Message{Kind: llm.ToolResult, Reply: reply, ID: id, Text: text}
	}
	signed := call("r1", "a", `{}`)
	signed.Opaque = &llm.Opaque{Dialect: "openai", Model: "m", Data: object(`{"extra_content":{"g":"s"}}`)}
	foreign := call("r1", "a", `{}`)
	foreign.Opaque = &llm.Opaque{Dialect: "openai", Model: "another", Data: object(`{"extra_content":{"g":"s"}}`)}

	for name, row := range map[string]struct {
		system string
		in     []llm.Message
		want   []string
	}{
		"a question": {system: "be kind", in: []llm.Message{{Kind: llm.User, Text: "if a < b && c\n\xff"}},
			want: []string{`{"role":"system","content":"be kind"}`, `{"role":"user","content":"if a < b && c\n\ufffd"}`}},
		"a reply is one message": {in: []llm.Message{
			{Kind: llm.Thinking, Reply: "r1", Text: "hm"},
			{Kind: llm.Assistant, Reply: "r1", Text: "I look."},
			call("r1", "a", `{"path":"a"}`), call("r1", "b", `{"path":"b"}`),
			result("r1", "b", "B"), result("r1", "a", ""),
			{Kind: llm.Assistant, Reply: "r2", Text: "Done."}},
			want: []string{
				`{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},{"id":"b","type":"function","function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]}`,
				`{"role":"tool","content":"","tool_call_id":"a"}`,
				`{"role":"tool","content":"B","tool_call_id":"b"}`,
				`{"role":"assistant","content":"Done."}`}},
		"a call without text has null content": {in: []llm.Message{call("r1", "a", `{}`), result("r1", "a", "A")},
			want: []string{
				`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
				`{"role":"tool","content":"A","tool_call_id":"a"}`}},
		"a cut call becomes a note": {in: []llm.Message{
			{Kind: llm.Assistant, Reply: "r1", Text: "I write."},
			{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "write", Input: object(`{}`), Raw: `{"pa`, Cut: true},
			result("r1", "a", "not run"), {Kind: llm.User, Text: "continue"}},
			want: []string{`{"role":"assistant","content":"I write.\n[a call to write was cut off here and not run]"}`, `{"role":"user","content":"continue"}`}},
		"a malformed call is sent as JSON": {in: []llm.Message{
			{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "read", Input: object(`{}`), Raw: `{path: "a"}`},
			{Kind: llm.ToolResult, Reply: "r1", ID: "a", Text: "the arguments are no JSON object", IsError: true}},
			want: []string{
				`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
				`{"role":"tool","content":"error: the arguments are no JSON object","tool_call_id":"a"}`}},
		"a call without a result gets one": {in: []llm.Message{call("r1", "a", `{}`), {Kind: llm.User, Text: "hi"}},
			want: []string{
				`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
				`{"role":"tool","content":"error: there is no result: the call was interrupted","tool_call_id":"a"}`,
				`{"role":"user","content":"hi"}`}},
		"a result without a call is left out": {in: []llm.Message{result("r1", "a", "A"), {Kind: llm.User, Text: "hi"}},
			want: []string{`{"role":"user","content":"hi"}`}},
		"a reply of thinking only is left out": {in: []llm.Message{{Kind: llm.Thinking, Reply: "r1", Text: "hm", Cut: true}, {Kind: llm.User, Text: "hi"}},
			want: []string{`{"role":"user","content":"hi"}`}},
		"images": {in: []llm.Message{{Kind: llm.User, Text: "look", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1, 2}}}}},
			want: []string{`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQI="}}]}`}},
		"images of a result come after all results": {in: []llm.Message{call("r1", "a", `{}`), call("r1", "b", `{}`),
			{Kind: llm.ToolResult, Reply: "r1", ID: "a", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1}}}}, result("r1", "b", "B")},
			want: []string{
				`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
				`{"role":"tool","content":"[images follow]","tool_call_id":"a"}`,
				`{"role":"tool","content":"B","tool_call_id":"b"}`,
				`{"role":"user","content":[{"type":"text","text":"Images of the tool results above:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="}}]}`}},
		"user messages in a row are merged": {in: []llm.Message{
			{Kind: llm.User, Text: "one"}, {Kind: llm.Thinking, Reply: "r1", Text: "hm", Cut: true}, {Kind: llm.User, Text: "two"},
			{Kind: llm.User}, {Kind: llm.User, Text: "three", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1}}}}, {Kind: llm.User, Text: "four"},
			{Kind: llm.Assistant, Reply: "r2", Text: "Done."}, {Kind: llm.User, Text: "five"}},
			want: []string{
				`{"role":"user","content":[{"type":"text","text":"one\n\ntwo"},{"type":"text","text":"three"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="}},{"type":"text","text":"four"}]}`,
				`{"role":"assistant","content":"Done."}`, `{"role":"user","content":"five"}`}},
		"a signature is sent back": {in: []llm.Message{signed, result("r1", "a", "A")},
			want: []string{
				`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"},"extra_content":{"g":"s"}}]}`,
				`{"role":"tool","content":"A","tool_call_id":"a"}`}},
		"but not to another model": {in: []llm.Message{foreign, result("r1", "a", "A")},
			want: []string{
				`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
				`{"role":"tool","content":"A","tool_call_id":"a"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want []any
			for _, m := range WireMessages(llm.Request{Model: "m", System: row.system, Messages: row.in}) {
				got = append(got, value(t, m))
			}
			for _, m := range row.want {
				want = append(want, value(t, []byte(m)))
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

// value decodes a JSON text, because the order of keys does not matter.
func value(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestOpaqueDataIsSentBack checks that opaque data of a stream is unchanged
// in the next request, and thinking too if the provider needs it.
func TestOpaqueDataIsSentBack(t *testing.T) {
	for name, want := range map[string]string{
		"reasoning-details.sse": `"reasoning_details":[{"type":"reasoning.text","format":"anthropic-claude-v1","index":0,"text":"Two steps.","signature":"c2lnbmVk"}]`,
		"call-signature.sse":    `"extra_content":{"google":{"thought_signature":"c2ln"}}`,
		"thinking.sse":          `"reasoning_content":"The flag is lost."`,
		"call.sse":              `"reasoning_content":" "`,
	} {
		reply := llm.NewReply("r1")
		for d, err := range wire.Decode(wire.NewPayloads(bytes.NewReader(recording(t, name))), newDecoder("m", true)) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			reply.Add(d)
		}
		body, err := NewRequest(llm.Request{Model: "m", Messages: reply.Messages()}, Quirks{KeepThinking: true, PadThinking: true})
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: got %s, %v, want it to hold %s", name, body, err, want)
		}
	}
}

// TestRequestsGrowAtTheEnd checks that the messages of each request begin with
// the bytes of the previous ones.
func TestRequestsGrowAtTheEnd(t *testing.T) {
	req := llm.Request{Model: "m", System: "s", Messages: []llm.Message{{Kind: llm.User, Text: "begin"}}}
	before := []json.RawMessage{}
	for step := range 60 {
		now := WireMessages(req)
		if len(now) <= len(before) || !reflect.DeepEqual(now[:len(before)], before) {
			t.Fatalf("step %d does not begin with the messages of the one before", step)
		}
		before = now
		reply := fmt.Sprint("r", step)
		req.Messages = append(req.Messages, llm.Message{Kind: llm.Thinking, Reply: reply, Text: "hm"})
		for i := range step % 4 {
			req.Messages = append(req.Messages, llm.Message{Kind: llm.ToolCall, Reply: reply, ID: fmt.Sprint(reply, "c", i), Name: "read",
				Input: json.RawMessage(`{"b":1,"a":[2]}`), Raw: strings.Repeat("<", step%3), Cut: step%7 == 6})
		}
		for i := range step % 4 {
			m := llm.Message{Kind: llm.ToolResult, Reply: reply, ID: fmt.Sprint(reply, "c", i), Text: "x", IsError: i == 1}
			if step%5 == 4 {
				m.Images = []llm.Image{{MediaType: "image/png", Data: []byte{byte(step)}}}
			}
			req.Messages = append(req.Messages, m)
		}
		if step%4 == 0 || step%7 == 6 {
			req.Messages = append(req.Messages,
				llm.Message{Kind: llm.Assistant, Reply: reply + "b", Text: "so"}, llm.Message{Kind: llm.User, Text: "and then?"})
		}
	}
}

func TestNewRequest(t *testing.T) {
	tools := []llm.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "stop"}}
	const wired = `"tools":[{"function":{"name":"read","description":"reads","parameters":{"type":"object"}},"type":"function"},` +
		`{"function":{"name":"stop","parameters":{"type":"object","properties":{}}},"type":"function"}]`
	whole := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)
	for name, row := range map[string]struct {
		req    llm.Request
		quirks Quirks
		want   string
	}{
		"minimal": {llm.Request{Model: "gpt-6-sol"}, Quirks{}, `{"model":"gpt-6-sol","stream":true,"stream_options":{"include_usage":true},"messages":[]}`},
		"limits": {llm.Request{Model: "m", MaxTokens: 9, Effort: "low"}, Quirks{},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"low","max_tokens":9,"messages":[]}`},
		"max_completion_tokens": {llm.Request{Model: "m", MaxTokens: 9}, Quirks{MaxCompletionTokens: true},
			`{"model":"m","max_completion_tokens":9,"stream":true,"stream_options":{"include_usage":true},"messages":[]}`},
		"tools": {llm.Request{Model: "m", Tools: tools}, Quirks{},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},` + wired + `,"messages":[]}`},
		"a required call": {llm.Request{Model: "m", Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceRequired}}, Quirks{},
			`{"model":"m","stream":true,"tool_choice":"required","stream_options":{"include_usage":true},` + wired + `,"messages":[]}`},
		"a required tool": {llm.Request{Model: "m", Tools: tools, ToolChoice: llm.ToolChoice{Mode: llm.ChoiceTool, Name: "read"}}, Quirks{},
			`{"model":"m","stream":true,"tool_choice":{"type":"function","function":{"name":"read"}},"stream_options":{"include_usage":true},` + wired + `,"messages":[]}`},
		"no choice without tools": {llm.Request{Model: "m", ToolChoice: llm.ToolChoice{Mode: llm.ChoiceNone}}, Quirks{},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[]}`},
		"a schema": {llm.Request{Model: "m", Schema: json.RawMessage(`{"type":"object"}`)}, Quirks{},
			`{"model":"m","stream":true,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"},"strict":false}},"stream_options":{"include_usage":true},"messages":[]}`},
		"a strict form": {llm.Request{Model: "m", Tools: []llm.ToolSpec{{Name: "loose", Schema: json.RawMessage(`{"type":"object"}`), Strict: whole}}}, Quirks{Strict: true},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"function":{"name":"loose","strict":true,"parameters":` + string(whole) + `},"type":"function"}],"messages":[]}`},
		"a strict form that is not supported": {llm.Request{Model: "m", Tools: []llm.ToolSpec{{Name: "loose", Schema: json.RawMessage(`{"type":"object"}`), Strict: whole}}}, Quirks{},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"function":{"name":"loose","parameters":{"type":"object"}},"type":"function"}],"messages":[]}`},
		"strict": {llm.Request{Model: "m", Schema: whole, Tools: []llm.ToolSpec{{Name: "loose", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "exact", Schema: whole}}}, Quirks{Strict: true},
			`{"model":"m","stream":true,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":` + string(whole) + `,"strict":true}},"stream_options":{"include_usage":true},` +
				`"tools":[{"function":{"name":"loose","parameters":{"type":"object"}},"type":"function"},{"function":{"name":"exact","strict":true,"parameters":` + string(whole) + `},"type":"function"}],"messages":[]}`},
	} {
		got, err := NewRequest(row.req, row.quirks)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(value(t, got), value(t, []byte(row.want))); diff != "" {
			t.Errorf("%s: got, want:\n%s", name, diff)
		}
	}
	if _, err := NewRequest(llm.Request{Tools: []llm.ToolSpec{{Name: "bad", Schema: json.RawMessage(`{`)}}}, Quirks{}); err == nil {
		t.Error("a schema that is no JSON passes")
	}
}

// TestCodeIsNotEscaped checks that a request has only the escapes that JSON
// requires, and keeps those of the text.
func TestCodeIsNotEscaped(t *testing.T) {
	text := `if a < b && b > c || s == "\\u003c" || s == "\u003e"`
	for range 3 {
		got := WireMessages(llm.Request{Messages: []llm.Message{{Kind: llm.User, Text: text}}})
		quoted, err := wire.Marshal(text)
		if err != nil || !strings.Contains(string(got[0]), string(quoted)) {
			t.Errorf("%v: got %s, want it to hold %s", err, got[0], quoted)
		}
		text = string(quoted)
	}
}
