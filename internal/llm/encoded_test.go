package llm_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/responses"
	"agent/internal/llm/wire"
	"agent/internal/sampling"
)

// A provider encodes each message and the tools once. What it sends equals a request that is encoded anew,
// also if messages were changed or removed since, and if several conversations alternate.
func TestRequestsAreEncodedAsAnew(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	at := wire.Endpoint{Base: server.URL}
	steps := 600
	if sampling.Whole() {
		steps = 3000
	}
	for name, p := range map[string]interface {
		llm.Provider
		Body(llm.Request) ([]byte, error)
	}{
		"chat":        openai.New(openai.Options{Endpoint: at}),
		"chat, marks": openai.New(openai.Options{Endpoint: at, Quirks: openai.Quirks{CacheMarks: true}}),
		"chat, quirks": openai.New(openai.Options{Endpoint: at, Quirks: openai.Quirks{
			KeepThinking: true, PadThinking: true, Alternate: true, CacheKey: true}}),
		"responses": responses.New(responses.Options{Endpoint: at}),
		"anthropic": anthropic.New(anthropic.Options{Endpoint: at, Strict: true}),
	} {
		random := rand.New(rand.NewPCG(7, 7))
		histories := make([][]llm.Message, 5)
		for step := range steps {
			at := random.IntN(len(histories))
			h := slices.Clone(histories[at])
			switch n := len(h); {
			case n > 4 && random.IntN(10) == 0: // a compaction or a rewind
				h = append(h[:1:1], h[n/2:]...)
			case n > 4 && random.IntN(10) == 0: // the last part is taken back
				h = h[:n-random.IntN(6)]
			case n > 0 && random.IntN(8) == 0: // a result is pruned
				i := random.IntN(n)
				h[i].Text = fmt.Sprintf("[%d bytes removed]", len(h[i].Text))
			case n > 0 && random.IntN(8) == 0:
				i := random.IntN(n)
				h[i].IsError = h[i].Kind == llm.ToolResult && !h[i].IsError
			}
			h = append(h, part(random, h, at, step)...)
			histories[at] = h
			req := llm.Request{Model: "m", System: fmt.Sprint("You are ", at%2), Messages: h, CacheKey: "k", Tools: toolsOf(random.IntN(5)), Schema: schemaOf(step), WebSearch: at > 0}
			switch random.IntN(20) {
			case 0:
				req.Model = "n"
			case 1:
				req.WebSearch = !req.WebSearch
			}
			want, err := p.Body(req)
			if err != nil {
				t.Fatal(err)
			}
			body = nil
			for range p.Stream(t.Context(), req) { // the reply is one of Chat Completions
			}
			if string(body) != string(want) {
				t.Fatalf("%s: step %d: sent\n%s\nwant\n%s", name, step, body, want)
			}
		}
	}
}

// part returns what the conversation h gets between two requests: often a step, sometimes a prompt,
// an answer, an interrupted step, the late result of such a step, or more of the last reply.
func part(random *rand.Rand, h []llm.Message, at, step int) []llm.Message {
	id := fmt.Sprint("reply", at, "x", step)
	call := id
	if random.IntN(20) == 0 {
		call = "again" // some servers use an ID twice
	}
	data := func(text string) *llm.Opaque {
		return &llm.Opaque{Dialect: "anthropic", Model: "m", Data: []byte(text)}
	}
	user := llm.Message{Kind: llm.User, ID: id, Text: fmt.Sprintf("step %d <of> \"%d\"", step, at)}
	said := []llm.Message{
		{Kind: llm.Thinking, Text: "so & so", Reply: id, Opaque: data(fmt.Sprintf(`{"signature":"s%d"}`, step))},
		{Kind: llm.Assistant, Text: "I read it.", Reply: id},
		{Kind: llm.ToolCall, ID: call, Name: "read", Input: []byte(`{"path":"a<b"}`), Reply: id},
		{Kind: llm.ToolResult, ID: call, Text: fmt.Sprintf("line %d\n", step), Images: images(step), Reply: id},
	}
	var last llm.Message
	if len(h) > 0 {
		last = h[len(h)-1-random.IntN(min(2, len(h)))]
	}
	search := "search"
	for _, m := range h {
		if m.Kind == llm.User {
			search = "search" + m.ID // its result can only follow before the next prompt
		}
	}
	switch random.IntN(11) {
	case 0:
		return []llm.Message{user}
	case 1:
		return append([]llm.Message{user}, said[:2]...)
	case 2:
		return said[:1]
	case 3:
		return append(said[:3:3], user)
	case 4:
		return []llm.Message{{Kind: llm.ToolResult, ID: last.ID, Text: "late"}}
	case 5:
		return []llm.Message{said[1], {Kind: llm.WebSearch, Reply: id, Search: &llm.Search{Query: "q", Ended: true}, Opaque: data(`{"use":{"id":"` + search + `","input":{}}}`)}}
	case 6:
		return []llm.Message{{Kind: llm.WebSearch, Reply: id, Search: &llm.Search{Query: "q", Ended: true}, Opaque: data(`{"result":{"id":"` + search + `","content":[]}}`)}, said[1]}
	case 7:
		return append([]llm.Message{user}, said...)
	case 8:
		return []llm.Message{{Kind: llm.Assistant, Text: "More.", Reply: last.Reply}}
	}
	return said
}

// toolsOf returns one of five lists of tools that differ in one part.
func toolsOf(n int) []llm.ToolSpec {
	t := llm.ToolSpec{Name: "read", Description: "Reads <a> file.", Schema: []byte(`{"type":"object"}`)}
	switch n {
	case 1:
		t.Description = "Reads."
	case 2:
		t.Schema = []byte(`{"type":"object","properties":{"a":{"type":"string","description":"x < y"}}}`)
	case 3:
		return append(toolsOf(0), llm.ToolSpec{Name: "write", Schema: t.Schema})
	case 4:
		return nil
	}
	return []llm.ToolSpec{t}
}

// schemaOf returns a schema for the answer that looks like the place of the tools in a request.
func schemaOf(step int) []byte {
	if step%3 > 0 {
		return nil
	}
	return []byte(`{"enum":[{"type":"place of the tools"}]}`)
}

func images(step int) []llm.Image {
	if step%7 != 0 {
		return nil
	}
	return []llm.Image{{MediaType: "image/png", Data: []byte{1, 2, byte(step)}}}
}
