package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"agent/internal/sampling"
)

// A server that rejects a conversation as too long gets a shorter one, whatever else its
// error says. After any other error with similar words, the conversation stays as it was.
func TestRejectionsThatSpeakOfALength(t *testing.T) {
	t.Parallel()
	const steps = 5
	for name, c := range sampling.Rows(map[string]struct {
		status   int
		message  string
		requests int
		shorter  bool
	}{
		"a request ID":       {400, "prompt is too long (request_id: req_0123): 210000 tokens > 200000 maximum", steps + 2, true},
		"a router":           {400, `litellm.BadRequestError: prompt is too long: 210000 tokens > 200000 maximum\nmodel_id: abc`, steps + 2, true},
		"an address":         {400, "total tokens exceed the model's limit: 33000 > 32768. See https://docs.example.com/errors?url=1", steps + 2, true},
		"the reply included": {400, "This request has 210000 tokens, but the limit is 200000 (including max_tokens 8000)", steps + 2, true},
		"a deadline":         {500, "context deadline exceeded", steps + 2, false},
		"recursion":          {503, "maximum recursion depth exceeded while processing request context", steps + 2, false},
		"a daily limit":      {400, "You have exceeded your daily token limit for requests", steps + 1, false},
		"the reply":          {400, "maxTokens exceeds the maximum allowed for this request: 8192", steps + 1, false},
		"a credential":       {400, "JWT token in request is too long", steps + 1, false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answers []answer
			for i := range steps {
				answers = append(answers, call("shell", fmt.Sprintf(`{"command":"seq %d 5000"}`, i)))
			}
			var received atomic.Int32
			s := serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && received.Add(1) == steps+1 {
					var body strings.Builder
					r.Body = teeBody(r.Body, &body)
					s.note(body.String())
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(c.status)
					_, _ = fmt.Fprintf(w, `{"error":{"message":"%s"}}`, c.message)
					return
				}
				s.play(w, r)
			}, append(answers, say("done"))...)
			h := newHome(t, nil, at(s)...)
			out, code := h.agent(t, "run", "--model", "openai/m", "--allow", "command: seq", "go")
			requests := s.seen()
			if len(requests) != c.requests {
				t.Fatalf("%d requests, exit code %d: %s", len(requests), code, out)
			}
			if done := strings.Contains(out, "done") && code == 0; done != (c.requests > steps+1) {
				t.Errorf("exit code %d: %s", code, out)
			}
			rejected, last := requests[steps], requests[len(requests)-1]
			if shorter := len(last.body) < len(rejected.body); shorter != c.shorter {
				t.Errorf("the rejected request has %d bytes, the last one %d", len(rejected.body), len(last.body))
			}
		})
	}
}
