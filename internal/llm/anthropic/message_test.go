package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

// bare returns body without cache marks.
func bare(body []byte) string {
	return strings.ReplaceAll(string(body), `"cache_control":{"type":"ephemeral"},`, "")
}

// sent returns the messages of a request without cache marks.
func sent(t *testing.T, req llm.Request) string {
	t.Helper()
	body, err := NewRequest(req)
	if err != nil {
		t.Fatal(err)
	}
	_, messages, ok := strings.Cut(bare(body), `"messages":[`)
	messages, _, ended := strings.Cut(messages, `],"model":`)
	if !ok || !ended || !json.Valid(body) {
		t.Fatalf("got %s", body)
	}
	return messages
}

func TestMessages(t *testing.T) {
	object := func(s string) json.RawMessage { return json.RawMessage(s) }
	call := func(reply, id, input string) llm.Message {
		return llm.Message{Kind: llm.ToolCall, Reply: reply, ID: id, Name: "read", Input: object(input)}
	}
	result := func(reply, id, text string) llm.Message {
		return llm.Message{Kind: llm.ToolResult, Reply: reply, ID: id, Text: text}
	}
	thought := func(dialect, model, data string) llm.Message {
		return llm.Message{Kind: llm.Thinking, Reply: "r1", Text: "hm", Opaque: &llm.Opaque{Dialect: dialect, Model: model, Data: object(data)}}
	}
	said := func(reply, text string) llm.Message {
		return llm.Message{Kind: llm.Assistant, Reply: reply, Text: text}
	}
	person := func(text string) llm.Message { return llm.Message{Kind: llm.User, Text: text} }
	png := []llm.Image{{MediaType: "image/png", Data: []byte{1, 2}}}

	for name, row := range map[string]struct {
		in   []llm.Message
		want []string
	}{
		"a question": {[]llm.Message{person("if a < b && c\n\xff")},
			[]string{`{"content":[{"text":"if a < b && c\n\ufffd","type":"text"}],"role":"user"}`}},
		"a reply is one message and its results another": {[]llm.Message{
			thought("anthropic", "m", `{"signature":"c2ln"}`), said("r1", "I look."),
			call("r1", "a", `{"path":"a<"}`), call("r1", "b", `{"b":1,"a":2}`), result("r1", "b", "B"), result("r1", "a", ""), person("and?"), said("r2", "Done.")},
			[]string{
				`{"content":[{"signature":"c2ln","thinking":"hm","type":"thinking"},{"text":"I look.","type":"text"},` +
					`{"id":"a","input":{"path":"a<"},"name":"read","type":"tool_use"},{"id":"b","input":{"b":1,"a":2},"name":"read","type":"tool_use"}],"role":"assistant"}`,
				`{"content":[{"tool_use_id":"a","type":"tool_result"},{"tool_use_id":"b","content":[{"text":"B","type":"text"}],"type":"tool_result"},{"text":"and?","type":"text"}],"role":"user"}`,
				`{"content":[{"text":"Done.","type":"text"}],"role":"assistant"}`}},
		"thinking between calls keeps its position": {[]llm.Message{thought("anthropic", "m", `{"redacted":"eA=="}`), call("r1", "a", `{}`),
			thought("anthropic", "m", `{"signature":"cw=="}`), call("r1", "b", `{}`), result("r1", "a", "A"), result("r1", "b", "B")},
			[]string{
				`{"content":[{"data":"eA==","type":"redacted_thinking"},{"id":"a","input":{},"name":"read","type":"tool_use"},` +
					`{"signature":"cw==","thinking":"hm","type":"thinking"},{"id":"b","input":{},"name":"read","type":"tool_use"}],"role":"assistant"}`,
				`{"content":[{"tool_use_id":"a","content":[{"text":"A","type":"text"}],"type":"tool_result"},{"tool_use_id":"b","content":[{"text":"B","type":"text"}],"type":"tool_result"}],"role":"user"}`}},
		"thinking is sent only to its model": {[]llm.Message{thought("anthropic", "another", `{"signature":"c2ln"}`), thought("openai", "m", `{"signature":"c2ln"}`),
			{Kind: llm.Thinking, Reply: "r1", Text: "unsigned"}, said("r1", "Yes.")},
			[]string{`{"content":[{"text":"Yes.","type":"text"}],"role":"assistant"}`}},
		"thinking without output is left out": {[]llm.Message{person("hi"), thought("anthropic", "m", `{"signature":"c2ln"}`), person("still there?")},
			[]string{`{"content":[{"text":"hi","type":"text"},{"text":"still there?","type":"text"}],"role":"user"}`}},
		"a cut call becomes a note": {[]llm.Message{said("r1", "I write."),
			{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "write", Input: object(`{}`), Raw: `{"pa`, Cut: true}, result("r1", "a", "not run"), person("continue")},
			[]string{`{"content":[{"text":"I write.","type":"text"},{"text":"[a call to write was cut off here and not run]","type":"text"}],"role":"assistant"}`,
				`{"content":[{"text":"continue","type":"text"}],"role":"user"}`}},
		"a malformed call is sent as JSON": {[]llm.Message{
			{Kind: llm.ToolCall, Reply: "r1", ID: "a", Name: "read", Input: object(`{}`), Raw: `{path: "a"}`},
			{Kind: llm.ToolResult, Reply: "r1", ID: "a", Text: "the arguments are no JSON object", IsError: true}},
			[]string{`{"content":[{"id":"a","input":{},"name":"read","type":"tool_use"}],"role":"assistant"}`,
				`{"content":[{"tool_use_id":"a","is_error":true,"content":[{"text":"the arguments are no JSON object","type":"text"}],"type":"tool_result"}],"role":"user"}`}},
		"a call without a result gets one and a result without a call is left out": {[]llm.Message{call("r1", "a", `{}`), result("r0", "z", "Z"), person("hi")},
			[]string{`{"content":[{"id":"a","input":{},"name":"read","type":"tool_use"}],"role":"assistant"}`,
				`{"content":[{"tool_use_id":"a","is_error":true,"content":[{"text":"there is no result: the call was interrupted","type":"text"}],"type":"tool_result"},{"text":"hi","type":"text"}],"role":"user"}`}},
		"an error has text": {[]llm.Message{call("r1", "a", `{}`), {Kind: llm.ToolResult, ID: "a", Text: " \n", IsError: true}},
			[]string{`{"content":[{"id":"a","input":{},"name":"read","type":"tool_use"}],"role":"assistant"}`,
				`{"content":[{"tool_use_id":"a","is_error":true,"content":[{"text":"the call failed without output","type":"text"}],"type":"tool_result"}],"role":"user"}`}},
		"images": {[]llm.Message{{Kind: llm.User, Text: "look", Images: append(png, llm.Image{MediaType: "image/bmp"})},
			call("r1", "a", `{}`), {Kind: llm.ToolResult, ID: "a", Text: "here", Images: png}},
			[]string{`{"content":[{"text":"look","type":"text"},{"source":{"data":"AQI=","media_type":"image/png","type":"base64"},"type":"image"},` +
				`{"text":"[an image of type \"image/bmp\", which is not supported here]","type":"text"}],"role":"user"}`,
				`{"content":[{"id":"a","input":{},"name":"read","type":"tool_use"}],"role":"assistant"}`,
				`{"content":[{"tool_use_id":"a","content":[{"text":"here","type":"text"},{"source":{"data":"AQI=","media_type":"image/png","type":"base64"},"type":"image"}],"type":"tool_result"}],"role":"user"}`}},
		"IDs and names of other providers": {[]llm.Message{{Kind: llm.ToolCall, Reply: "r1", ID: "functions.read:0", Name: "read\u200b file", Input: object(`{}`)}, result("r1", "functions.read:0", "A")},
			[]string{`{"content":[{"id":"functions_2eread_3a0","input":{},"name":"read_e2_80_8b_20file","type":"tool_use"}],"role":"assistant"}`,
				`{"content":[{"tool_use_id":"functions_2eread_3a0","content":[{"text":"A","type":"text"}],"type":"tool_result"}],"role":"user"}`}},
		"blank text": {[]llm.Message{person("hi"), said("r1", "\n"), person(" "), person("there")},
			[]string{`{"content":[{"text":"hi","type":"text"},{"text":"there","type":"text"}],"role":"user"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Split(strings.ReplaceAll(sent(t, llm.Request{Model: "m", Messages: row.in}), `"},{"content":`, "\"}\n{\"content\":"), "\n")
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
		"thinking.sse":        `{"signature":"c2lnbmVk","thinking":"The flag is lost.","type":"thinking"},{"text":"Fixed.","type":"text"}`,
		"thinking-hidden.sse": `{"signature":"aGlkZGVu","thinking":"","type":"thinking"},{"data":"b3BhcXVl","type":"redacted_thinking"},{"text":"Yes.","type":"text"}`,
	} {
		d := decode(strings.NewReader(string(recording(t, name))))
		for i := range d.Messages {
			if o := d.Messages[i].Opaque; o != nil {
				o.Model = "m"
			}
		}
		if got := sent(t, llm.Request{Model: "m", Messages: d.Messages}); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want it to hold %s", name, got, want)
		}
	}
}

// step returns the messages of one step of a long conversation.
func step(n int) []llm.Message {
	reply := fmt.Sprint("r", n)
	out := []llm.Message{{Kind: llm.Thinking, Reply: reply, Text: "hm", Opaque: &llm.Opaque{Dialect: dialect, Model: "m", Data: json.RawMessage(`{"signature":"eA=="}`)}}}
	for i := range n % 4 {
		out = append(out, llm.Message{Kind: llm.ToolCall, Reply: reply, ID: fmt.Sprint(reply, "c", i), Name: "read",
			Input: json.RawMessage(`{"b":1,"a":[2]}`), Raw: strings.Repeat("<", n%3), Cut: n%7 == 6})
	}
	for i := range n % 4 {
		m := llm.Message{Kind: llm.ToolResult, Reply: reply, ID: fmt.Sprint(reply, "c", i), Text: "x", IsError: i == 1}
		if n%5 == 4 {
			m.Images = []llm.Image{{MediaType: "image/png", Data: []byte{byte(n)}}}
		}
		out = append(out, m)
	}
	if n%4 == 0 || n%7 == 6 {
		out = append(out, llm.Message{Kind: llm.Assistant, Reply: reply + "b", Text: "so"}, llm.Message{Kind: llm.User, Text: "and then?"})
	}
	return out
}

// TestRequestsGrowAtTheEnd checks that each request begins with the bytes of
// the previous one, except for cache marks, and that there are at most four
// marks.
func TestRequestsGrowAtTheEnd(t *testing.T) {
	req := llm.Request{Model: "m", System: "s", Tools: []llm.ToolSpec{{Name: "read"}, {Name: "list"}}, Messages: []llm.Message{{Kind: llm.User, Text: "begin"}}}
	before := ""
	for n := range 80 {
		now := sent(t, req)
		// User text after results without a reply is added to the message with
		// the results.
		if !strings.HasPrefix(now, strings.TrimSuffix(before, `],"role":"user"}`)) || len(now) <= len(before) {
			t.Fatalf("step %d does not begin with the one before:\n%s\n%s", n, before, now)
		}
		before = now
		body, _ := NewRequest(req)
		if marks := strings.Count(string(body), "cache_control"); marks != min(4, 3+n) {
			t.Errorf("step %d has %d marks", n, marks)
		}
		req.Messages = append(req.Messages, step(n)...)
	}
}

// TestMarksMoveWithTheConversation checks that the last mark but one is at the
// last mark of the previous request.
func TestMarksMoveWithTheConversation(t *testing.T) {
	req := llm.Request{Model: "m", Messages: []llm.Message{{Kind: llm.User, Text: "one"}, {Kind: llm.Assistant, Text: "1"}, {Kind: llm.User, Text: "two"}}}
	const mark = `"cache_control":{"type":"ephemeral"},`
	for _, want := range []string{
		`{"content":[{"text":"one",` + mark + `"type":"text"}],"role":"user"},{"content":[{"text":"1","type":"text"}],"role":"assistant"},{"content":[{"text":"two",` + mark + `"type":"text"}],"role":"user"}`,
		`{"content":[{"text":"one","type":"text"}],"role":"user"},{"content":[{"text":"1","type":"text"}],"role":"assistant"},{"content":[{"text":"two",` + mark + `"type":"text"}],"role":"user"},` +
			`{"content":[{"id":"a","input":{},"name":"read","type":"tool_use"}],"role":"assistant"},{"content":[{"tool_use_id":"a",` + mark + `"content":[{"text":"A","type":"text"}],"type":"tool_result"}],"role":"user"}`,
	} {
		body, err := NewRequest(req)
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("got %s, %v, want it to hold %s", body, err, want)
		}
		req.Messages = append(req.Messages, llm.Message{Kind: llm.ToolCall, Reply: "r2", ID: "a", Name: "read"}, llm.Message{Kind: llm.ToolResult, ID: "a", Text: "A"})
	}
}
