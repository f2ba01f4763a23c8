package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// server is an OpenAI-compatible server on loopback that plays answers in
// order, one a request, and says that the script is over from then on.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []answer
	requests []wireRequest
	dropped  chan struct{} // gets one for each answer whose reader went away
}

// answer is what the server sends: SSE, and whether it then keeps the
// connection open until the reader goes away.
type answer struct {
	sse  string
	hold bool
}

// wireRequest is what the server understood of a request.
type wireRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
	} `json:"messages"`
	key string
}

func serve(t *testing.T, answers ...answer) *server {
	t.Helper()
	s := &server{answers: answers, dropped: make(chan struct{}, len(answers))}
	s.Server = httptest.NewServer(http.HandlerFunc(s.play))
	t.Cleanup(s.Close)
	return s
}

func (s *server) play(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req wireRequest
	if err := json.Unmarshal(body, &req); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	req.key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	s.requests = append(s.requests, req)
	a := say("The script is over.")
	if len(s.answers) > 0 {
		a = s.answers[0]
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, a.sse)
	if a.hold {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		s.dropped <- struct{}{}
	}
}

// seen returns the requests so far.
func (s *server) seen() []wireRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]wireRequest(nil), s.requests...)
}

// say is an answer of text.
func say(text string) answer {
	return answer{sse: chunk(`{"role":"assistant","content":`+quote(text)+`}`, "") + chunk(`{}`, "stop") + "data: [DONE]\n\n"}
}

// begin is an answer that stays open after text.
func begin(text string) answer {
	return answer{sse: chunk(`{"role":"assistant","content":`+quote(text)+`}`, ""), hold: true}
}

// call is an answer of tool calls: pairs of name and arguments. As some servers
// do, it counts their ids from 0 in every answer.
func call(pairs ...string) answer {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%s,"arguments":%s}}]}`,
			i/2, i/2, quote(pairs[i]), quote(pairs[i+1])), ""))
	}
	return answer{sse: b.String() + chunk(`{}`, "tool_calls") + "data: [DONE]\n\n"}
}

func chunk(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = quote(finish)
	}
	usage := ""
	if finish != "" {
		usage = `,"usage":{"prompt_tokens":1200,"completion_tokens":34,"total_tokens":1234}`
	}
	return fmt.Sprintf("data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]%s}\n\n", delta, reason, usage)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
