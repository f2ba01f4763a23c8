package responses

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
	"agent/internal/llm/wire/wiretest"
)

const opaque1 = `{"reasoning":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b3BhcXVl"}}`

func TestInput(t *testing.T) {
	object := func(s string) json.RawMessage { return json.RawMessage(s) }
	call := func(reply, id, input string) llm.Message {
		return llm.Message{Kind: llm.ToolCall, Reply: reply, ID: id, Name: "read", Input: object(input)}
	}
	result := func(id, text string) llm.Message { return llm.Message{Kind: llm.ToolResult, ID: id, Text: text} }
	thought := func(model string) llm.Message {
		return llm.Message{Kind: llm.Thinking, Reply: "r1", Text: "hm", Opaque: &llm.Opaque{Dialect: "responses", Model: model, Data: object(opaque1)}}
	}
	cut := llm.Message{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "write", Input: object(`{}`), Raw: `{"pa`, Cut: true}
	image := llm.Image{MediaType: "image/png", Data: []byte{1, 2}}
	const (
		hi      = `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`
		callA   = `{"type":"function_call","call_id":"a","name":"read","arguments":"{}"}`
		outputA = `{"type":"function_call_output","call_id":"a","output":"A"}`
		hidden  = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b3BhcXVl"}`
		wasCut  = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"[a call to write was cut off here and not run]"}]}`
	)
	for name, row := range map[string]struct {
		in   []llm.Message
		want []string
	}{
		"a question": {[]llm.Message{{Kind: llm.User, Text: "if a < b && c\n\xff"}},
			[]string{`{"type":"message","role":"user","content":[{"type":"input_text","text":"if a < b && c\n\ufffd"}]}`}},
		"an empty prompt": {[]llm.Message{{Kind: llm.User}},
			[]string{`{"type":"message","role":"user","content":[{"type":"input_text","text":""}]}`}},
		"images": {[]llm.Message{{Kind: llm.User, Text: "look", Images: []llm.Image{image}}, {Kind: llm.User, Images: []llm.Image{image}}},
			[]string{`{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,AQI="}]}`,
				`{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AQI="}]}`}},
		"a reply keeps its order and results follow in order of the calls": {[]llm.Message{
			{Kind: llm.Assistant, Reply: "r1", Text: "I look."}, call("r1", "a", `{"path":"a"}`), call("r1", "b", `{"path":"b"}`),
			result("b", "B"), result("a", ""), {Kind: llm.Assistant, Reply: "r2", Text: "Done."}},
			[]string{`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]}`,
				`{"type":"function_call","call_id":"a","name":"read","arguments":"{\"path\":\"a\"}"}`,
				`{"type":"function_call","call_id":"b","name":"read","arguments":"{\"path\":\"b\"}"}`,
				`{"type":"function_call_output","call_id":"a","output":""}`,
				`{"type":"function_call_output","call_id":"b","output":"B"}`,
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}`}},
		"reasoning precedes its output": {[]llm.Message{{Kind: llm.Thinking, Reply: "r1", Text: "another part"}, thought("m"), call("r1", "a", `{}`), result("a", "A")},
			[]string{hidden, callA, outputA}},
		"reasoning between other items": {[]llm.Message{call("r1", "a", `{}`), thought("m"), {Kind: llm.Thinking, Reply: "r1", Text: "said aloud"},
			{Kind: llm.Assistant, Reply: "r1", Text: "hi"}, result("a", "A")},
			[]string{callA, hidden, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}`, outputA}},
		"reasoning of another model is left out":  {[]llm.Message{thought("n"), call("r1", "a", `{}`), result("a", "A")}, []string{callA, outputA}},
		"reasoning without output is left out":    {[]llm.Message{thought("m"), {Kind: llm.User, Text: "hi"}}, []string{hi}},
		"reasoning before a cut call is left out": {[]llm.Message{thought("m"), cut, result("a", "not run"), {Kind: llm.User, Text: "hi"}}, []string{wasCut, hi}},
		"opaque bytes of another dialect":         {[]llm.Message{{Kind: llm.Thinking, Reply: "r1", Opaque: &llm.Opaque{Dialect: "openai", Model: "m", Data: object(opaque1)}}, call("r1", "a", `{}`), result("a", "A")}, []string{callA, outputA}},
		"a phase is sent back": {[]llm.Message{{Kind: llm.Assistant, Reply: "r1", Text: "hi", Opaque: wire.Pack(dialect, "m", opaque{Phase: "commentary"})}},
			[]string{`{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"hi"}]}`}},
		"a cut call becomes a note": {[]llm.Message{cut, result("a", "not run"), {Kind: llm.User, Text: "hi"}}, []string{wasCut, hi}},
		"a malformed call is sent as JSON": {[]llm.Message{
			{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "read", Input: object(`{}`), Raw: `{path: "a"}`},
			{Kind: llm.ToolResult, ID: "a", Text: "the arguments are no JSON object", IsError: true}},
			[]string{`{"type":"function_call","call_id":"a","name":"read","arguments":"{}"}`,
				`{"type":"function_call_output","call_id":"a","output":"error: the arguments are no JSON object"}`}},
		"a call without a result gets one": {[]llm.Message{call("r1", "a", ``), {Kind: llm.User, Text: "hi"}},
			[]string{callA, `{"type":"function_call_output","call_id":"a","output":"error: there is no result: the call was interrupted"}`, hi}},
		"a result without a call is left out": {[]llm.Message{result("a", "A"), {Kind: llm.User, Text: "hi"}}, []string{hi}},
		"images of a result": {[]llm.Message{call("r1", "a", `{}`), {Kind: llm.ToolResult, ID: "a", Text: "A", Images: []llm.Image{image}}},
			[]string{callA, `{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"A"},{"type":"input_image","image_url":"data:image/png;base64,AQI="}]}`}},
		"an invalid name": {[]llm.Message{{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "re\u200bad it!"}, result("a", "A")},
			[]string{`{"type":"function_call","call_id":"a","name":"re_e2_80_8bad_20it_21","arguments":"{}"}`, outputA}},
		"an ID that is too long": {[]llm.Message{call("r1", strings.Repeat("a", 65), `{}`), result(strings.Repeat("a", 65), "A")},
			[]string{`{"type":"function_call","call_id":"635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0","name":"read","arguments":"{}"}`,
				`{"type":"function_call_output","call_id":"635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0","output":"A"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := input(t, llm.Request{Model: "m", Messages: row.in})
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

// TestOpaqueDataIsSentBack checks that opaque data of a stream is unchanged
// in the next request.
func TestOpaqueDataIsSentBack(t *testing.T) {
	for name, want := range map[string]string{
		"reasoning.sse": `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"**Looking**\n\nThe flag is <lost>."},` +
			`{"type":"summary_text","text":"**Deciding**\n\nI read it."}],"encrypted_content":"b3BhcXVl"},{"type":"function_call","call_id":"call_a"`,
		"reasoning-silent.sse": `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b3BhcXVl"},{"type":"message"`,
		"phase.sse":            `"phase":"commentary"`,
	} {
		d := wiretest.Collect(wire.Decode(wire.NewPayloads(bytes.NewReader(recording(t, name))), newDecoder("m", nil)))
		stored, err := json.Marshal(d.Messages) // as a log may store it
		if err != nil {
			t.Fatal(err)
		}
		var again []llm.Message
		if err := json.Unmarshal(stored, &again); err != nil {
			t.Fatal(err)
		}
		for _, messages := range [][]llm.Message{d.Messages, again} {
			body, err := NewRequest(llm.Request{Model: "m", Messages: messages}, Quirks{})
			if err != nil || !strings.Contains(string(body), want) {
				t.Errorf("%s: got %s, %v, want it to hold %s", name, body, err, want)
			}
		}
	}
}

// TestRequestsGrowAtTheEnd checks that each request begins with the bytes of
// the previous one, except for its end.
func TestRequestsGrowAtTheEnd(t *testing.T) {
	req := llm.Request{Model: "m", System: "s", Tools: []llm.ToolSpec{{Name: "read"}}, Messages: []llm.Message{{Kind: llm.User, Text: "begin"}}}
	var before []byte
	for step := range 60 {
		now, err := NewRequest(req, Quirks{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(now, before) || len(now) == len(before) {
			t.Fatalf("step %d does not begin with the bytes of the one before", step)
		}
		before = bytes.TrimSuffix(now, []byte("]}"))
		req.Messages = append(req.Messages, said(step)...)
	}
}

// said returns the messages of one step: of every kind, complete and
// incomplete.
func said(step int) []llm.Message {
	reply := fmt.Sprint("r", step)
	out := []llm.Message{{Kind: llm.Thinking, Reply: reply, Text: "hm",
		Opaque: wire.Pack(dialect, "m", opaque{Reasoning: &reasoningItem{Type: "reasoning", ID: reply, Summary: []summaryText{}, Encrypted: "x"}})}}
	for i := range step % 4 {
		out = append(out, llm.Message{Kind: llm.ToolCall, Reply: reply, ID: fmt.Sprint(reply, "c", i), Name: "read",
			Input: json.RawMessage(`{"b":1,"a":[2]}`), Raw: strings.Repeat("<", step%3), Cut: step%7 == 6})
	}
	for i := range step % 4 {
		m := llm.Message{Kind: llm.ToolResult, Reply: reply, ID: fmt.Sprint(reply, "c", i), Text: "x", IsError: i == 1}
		if step%5 == 4 {
			m.Images = []llm.Image{{MediaType: "image/png", Data: []byte{byte(step)}}}
		}
		out = append(out, m)
	}
	if step%4 == 0 || step%7 == 6 {
		out = append(out, llm.Message{Kind: llm.Assistant, Reply: reply + "b", Text: "so"}, llm.Message{Kind: llm.User, Text: "and then?"})
	}
	return out
}

// TestInputDoesNotModifyRequest checks that encoding a request does not modify
// it.
func TestInputDoesNotModifyRequest(t *testing.T) {
	var all []llm.Message
	for step := range 12 {
		all = append(all, said(step)...)
	}
	before, _ := json.Marshal(all)
	input(t, llm.Request{Model: "m", Messages: all})
	if after, _ := json.Marshal(all); !reflect.DeepEqual(after, before) {
		t.Error("the messages differ")
	}
}

// input returns the input items that are sent for req.
func input(t *testing.T, req llm.Request) (items []string) {
	t.Helper()
	body, err := NewRequest(req, Quirks{})
	if err != nil {
		t.Fatal(err)
	}
	var sent struct{ Input []json.RawMessage }
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	for _, item := range sent.Input {
		items = append(items, string(item))
	}
	return items
}
