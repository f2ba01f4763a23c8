package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// server is a model server on loopback that plays answers in order, one per
// request, in the dialect of the request: OpenAI Chat Completions or Anthropic
// Messages. After the last one it answers "The script is over."
type server struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []answer
	requests []wireRequest
	dropped  chan struct{} // receives a value for each answer whose client disconnected
	// choose, if set, returns the answer of a request in place of the next one.
	choose func(ctx context.Context, r wireRequest) answer
}

// answer is a reply: text, then calls. With hold, the connection stays open until
// the client closes it.
type answer struct {
	text  string
	calls []string // pairs of name and arguments
	hold  bool
	raw   string // if set, sent unchanged instead of the other fields

	// more is sent after the text, once then is closed.
	then <-chan struct{}
	more string
}

// wireRequest is a decoded request.
type wireRequest struct {
	Model    string        `json:"model"`
	Messages []wireMessage `json:"messages"`
	Tools    []wireTool    `json:"tools"`
	body     string
	key      string
}

type wireTool struct {
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
}

func serve(t testing.TB, answers ...answer) *server {
	t.Helper()
	s := &server{answers: answers, dropped: make(chan struct{}, len(answers))}
	s.Server = httptest.NewServer(http.HandlerFunc(s.play))
	t.Cleanup(s.Close)
	return s
}

// serveFunc serves with handle, which may pass requests on to the play of the server
// that it gets.
func serveFunc(t testing.TB, handle func(s *server, w http.ResponseWriter, r *http.Request), answers ...answer) *server {
	t.Helper()
	s := &server{answers: answers, dropped: make(chan struct{}, len(answers))}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(s, w, r) }))
	t.Cleanup(s.Close)
	return s
}

func (s *server) play(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	req := wireRequest{body: string(body)}
	completions := strings.HasSuffix(r.URL.Path, "/chat/completions")
	if err := json.Unmarshal(body, &req); err != nil || !completions && !strings.HasSuffix(r.URL.Path, "/messages") {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	if req.key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); !completions {
		req.key = r.Header.Get("X-Api-Key")
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	a := say("The script is over.")
	if len(s.answers) > 0 {
		a = s.answers[0]
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	if s.choose != nil {
		a = s.choose(r.Context(), req)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	switch {
	case a.raw != "":
		_, _ = io.WriteString(w, a.raw)
	case a.then != nil:
		_, _ = io.WriteString(w, begin(a.text).completion())
		w.(http.Flusher).Flush()
		select {
		case <-a.then:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, say(a.more).completion())
	case completions:
		_, _ = io.WriteString(w, a.completion())
	default:
		_, _ = io.WriteString(w, a.message())
	}
	if a.hold {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		s.dropped <- struct{}{}
	}
}

// note counts a request that play does not answer.
func (s *server) note(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, wireRequest{body: body})
}

// teeBody reads body into text and returns a body with the same content.
func teeBody(body io.ReadCloser, text *strings.Builder) io.ReadCloser {
	_, _ = io.Copy(text, body)
	return io.NopCloser(strings.NewReader(text.String()))
}

// seen returns the requests so far.
func (s *server) seen() []wireRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]wireRequest(nil), s.requests...)
}

// say returns an answer with text.
func say(text string) answer { return answer{text: text} }

// begin returns an answer that stays open after text.
func begin(text string) answer { return answer{text: text, hold: true} }

// call returns an answer with tool calls: pairs of name and arguments.
func call(pairs ...string) answer { return answer{calls: pairs} }

// completion encodes a as an OpenAI stream. Like some servers, it numbers the calls
// of every answer from 0.
func (a answer) completion() string {
	var b strings.Builder
	chunk := func(delta, finish string) {
		tail := `"finish_reason":null}]}`
		if finish != "" {
			tail = `"finish_reason":` + quote(finish) + `}],"usage":{"prompt_tokens":1200,"completion_tokens":34,"total_tokens":1234}}`
		}
		fmt.Fprintf(&b, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s,%s\n\n", delta, tail)
	}
	if a.text != "" {
		chunk(`{"role":"assistant","content":`+quote(a.text)+`}`, "")
	}
	for i := 0; i < len(a.calls); i += 2 {
		chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%s,"arguments":%s}}]}`,
			i/2, i/2, quote(a.calls[i]), quote(a.calls[i+1])), "")
	}
	switch {
	case a.hold:
		return b.String()
	case len(a.calls) > 0:
		chunk(`{}`, "tool_calls")
	default:
		chunk(`{}`, "stop")
	}
	return b.String() + "data: [DONE]\n\n"
}

// message encodes a as an Anthropic stream, with thinking before it.
func (a answer) message() string {
	var b strings.Builder
	event := func(name, data string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, data)
	}
	index := -1
	block := func(start string, deltas ...string) {
		index++
		event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, index, start))
		for _, d := range deltas {
			event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":%s`, index, d))
		}
		event("content_block_stop", fmt.Sprintf(`"index":%d`, index))
	}
	event("message_start", `"message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":1200,"output_tokens":1}}`)
	block(`{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"Let me see."}`, `{"type":"signature_delta","signature":"SIGNED"}`)
	if a.text != "" {
		block(`{"type":"text","text":""}`, `{"type":"text_delta","text":`+quote(a.text)+`}`)
	}
	reason := "end_turn"
	for i := 0; i < len(a.calls); i += 2 {
		block(fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":%s,"input":{}}`, i/2, quote(a.calls[i])), `{"type":"input_json_delta","partial_json":`+quote(a.calls[i+1])+`}`)
		reason = "tool_use"
	}
	if a.hold {
		return b.String()
	}
	event("message_delta", `"delta":{"stop_reason":`+quote(reason)+`},"usage":{"output_tokens":34}`)
	event("message_stop", `"x":0`)
	return b.String()
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// numbers returns n numbers: a long text that does not repeat itself.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprint(&b, i, " ")
	}
	return b.String()
}
