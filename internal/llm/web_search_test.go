package llm_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/responses"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// searchRequest returns a request that continues the recorded reply, which goes through
// the log first.
func searchRequest(t *testing.T, decode func(*testing.T) *wiretest.Answer, search bool) llm.Request {
	t.Helper()
	msgs := []llm.Message{{Kind: llm.User, Text: "Is Go 1.26 out?"}}
	for _, m := range decode(t).Messages {
		stored, err := wire.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back llm.Message
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, back)
	}
	return llm.Request{WebSearch: search, Messages: append(msgs, llm.Message{Kind: llm.User, Text: "Thanks"})}
}

func recordedSearch(dialect string) func(*testing.T) *wiretest.Answer {
	return func(t *testing.T) *wiretest.Answer {
		data, err := os.ReadFile("../../testdata/sse/" + dialect + "/web-search.sse")
		if err != nil {
			t.Fatal(err)
		}
		if dialect == "anthropic" {
			return wiretest.Collect(anthropic.Decode(bytes.NewReader(data)))
		}
		return wiretest.Collect(responses.Decode(bytes.NewReader(data)))
	}
}

// field returns the JSON of a field of an object, without spaces.
func field(t *testing.T, body []byte, name string) json.RawMessage {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	return all[name]
}

func TestWebSearchIsSentBackUnchanged(t *testing.T) {
	body, err := anthropic.NewRequest(searchRequest(t, recordedSearch("anthropic"), true))
	if err != nil {
		t.Fatal(err)
	}
	var got []struct{ Content json.RawMessage }
	if err := json.Unmarshal(field(t, body, "messages"), &got); err != nil {
		t.Fatal(err)
	}
	want := `[{"text":"I will search.","type":"text"},` +
		`{"id":"srvtoolu_1","input":{"query":"go 1.26"},"name":"web_search","type":"server_tool_use"},` +
		`{"id":"srvtoolu_2","input":{"query":"b"},"name":"web_search","type":"server_tool_use"},` +
		`{"tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":"Go 1.26 Release Notes","url":"https://go.dev/doc/go1.26","encrypted_content":"EqgfCioIARgBIiQ3+/content==","page_age":null},` +
		`{"type":"web_search_result","title":"B","url":"https://example.org/b","encrypted_content":"YmI=","page_age":"2 days ago"}],"type":"web_search_tool_result"},` +
		`{"tool_use_id":"srvtoolu_2","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"},"type":"web_search_tool_result"},` +
		`{"text":"I found that ","type":"text"},` +
		`{"text":"Go 1.26 is out","citations":[{"type":"web_search_result_location","cited_text":"Go 1.26 is out","url":"https://go.dev/doc/go1.26","title":"Go 1.26 Release Notes","encrypted_index":"Eo8BCg/+index=="}],"type":"text"},` +
		`{"text":". ","type":"text"},` +
		`{"text":"B says so.","citations":[{"type":"web_search_result_location","cited_text":"x","url":"https://example.org/b","title":"B","encrypted_index":"Zz09"},` +
		`{"type":"web_search_result_location","cited_text":"Go 1.26 is out","url":"https://go.dev/doc/go1.26","title":"Go 1.26 Release Notes","encrypted_index":"Eo8BCg/+index=="}],"type":"text"}]`
	if diff := cmp.Diff(string(got[1].Content), want); diff != "" {
		t.Errorf("anthropic: got, want:\n%s", diff)
	}
	if got, want := string(field(t, body, "tools")), `[{"name":"web_search","cache_control":{"type":"ephemeral"},"max_uses":8,"type":"web_search_20250305"}]`; got != want {
		t.Errorf("anthropic: tools %s, want %s", got, want)
	}

	body, err = responses.NewRequest(searchRequest(t, recordedSearch("responses"), true), responses.Quirks{})
	if err != nil {
		t.Fatal(err)
	}
	wantInput := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA+/secret=="},` +
		`{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"go 1.26","sources":[{"type":"url","url":"https://go.dev/doc/go1.26"},{"type":"url","url":"https://example.org/b"}]}},` +
		`{"id":"ws_2","type":"web_search_call","status":"failed","action":{"type":"search","query":"b & <c>"}},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Go 1.26 is out."}]}`
	if input := string(field(t, body, "input")); !strings.Contains(input, wantInput) {
		t.Errorf("responses: input %s, want %s", input, wantInput)
	}
	if got, want := string(field(t, body, "tools"))+string(field(t, body, "include")), `[{"type":"web_search"}]["reasoning.encrypted_content","web_search_call.action.sources"]`; got != want {
		t.Errorf("responses: %s, want %s", got, want)
	}
}

// Another dialect or model, and a request that does not offer the search, get a note.
func TestWebSearchBecomesANote(t *testing.T) {
	const note = `[web search for \"go 1.26\" found:\nGo 1.26 Release Notes https://go.dev/doc/go1.26\nB https://example.org/b]`
	off := searchRequest(t, recordedSearch("anthropic"), false)
	other := searchRequest(t, recordedSearch("anthropic"), true)
	other.Model = "another"
	bodies := map[string]func() ([]byte, error){
		"off":           func() ([]byte, error) { return anthropic.NewRequest(off) },
		"another model": func() ([]byte, error) { return anthropic.NewRequest(other) },
		"responses":     func() ([]byte, error) { return responses.NewRequest(other, responses.Quirks{}) },
		"openai":        func() ([]byte, error) { return openai.NewRequest(other, openai.Quirks{}) },
	}
	for name, encode := range bodies {
		body, err := encode()
		if err != nil {
			t.Fatal(err)
		}
		if text := string(body); !strings.Contains(text, note) || strings.Contains(text, "encrypted_") && name != "responses" || strings.Contains(text, "server_tool_use") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if body, _ := anthropic.NewRequest(off); strings.Contains(string(body), "web_search_20250305") {
		t.Errorf("the search is offered: %s", body)
	}
}

// A search that the provider paused is sent without its result, and one that the user
// interrupted is not sent.
func TestPausedSearch(t *testing.T) {
	use := llm.Message{Kind: llm.WebSearch, Reply: "a", Search: &llm.Search{Query: "q"},
		Opaque: &llm.Opaque{Dialect: "anthropic", Data: json.RawMessage(`{"use":{"id":"s1","input":{"query":"q"}}}`)}}
	result := llm.Message{Kind: llm.WebSearch, Reply: "b", Search: &llm.Search{Ended: true},
		Opaque: &llm.Opaque{Dialect: "anthropic", Data: json.RawMessage(`{"result":{"id":"s1","content":[]}}`)}}
	prompt, next := llm.Message{Kind: llm.User, Text: "p"}, llm.Message{Kind: llm.User, Text: "next"}
	const sentUse, sentResult = `"server_tool_use"`, `"tool_use_id":"s1","content":[]`
	for _, c := range []struct {
		name        string
		msgs        []llm.Message
		use, result bool
	}{
		{"paused", []llm.Message{prompt, use}, true, false},
		{"continued", []llm.Message{prompt, use, result}, true, true},
		{"continued, then the next prompt", []llm.Message{prompt, use, result, next}, true, true},
		{"interrupted", []llm.Message{prompt, use, next}, false, false},
		{"continued in another turn", []llm.Message{prompt, use, next, result, next}, false, false},
		{"compacted", []llm.Message{prompt, result}, false, false},
	} {
		body, err := anthropic.NewRequest(llm.Request{WebSearch: true, Messages: c.msgs})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(body); strings.Contains(text, sentUse) != c.use || strings.Contains(text, sentResult) != c.result {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}

func TestSourcesOfAnAnswer(t *testing.T) {
	m := llm.Message{Kind: llm.Assistant, Text: "Yes.", Sources: []llm.Source{
		{URL: "https://go.dev/a(b)", Title: "Go [1.26]\x1b[31m\n*notes*"}, {URL: "javascript:alert(1)", Title: "x"}, {URL: "https://example.org/<b>"},
	}}
	want := "Yes.\n\nSources:\n\n1. [Go 1.26 31m notes](<https://go.dev/a(b)>)\n2. [example.org](<https://example.org/%3Cb%3E>)\n"
	if diff := cmp.Diff(m.WithSources(), want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}
