package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// serveOnce sends an answer through a server and the provider.
func serveOnce(t *testing.T, status int, contentType string, body []byte) *wiretest.Answer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Name: "test", Base: server.URL}})
	defer p.Close()
	return wiretest.Collect(p.Stream(t.Context(), llm.Request{}))
}

func TestStreamSendsTheRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		_, _ = w.Write(recording(t, "text.sse"))
	}))
	defer server.Close()
	// What other programs look for must have no say.
	t.Setenv("ANTHROPIC_API_KEY", "sk-of-another")
	t.Setenv("ANTHROPIC_BASE_URL", "http://elsewhere.invalid")
	p := New(Options{MaxTokens: 77, Endpoint: wire.Endpoint{Base: server.URL + "/proxy/v1/", Authorize: wire.KeyHeader("x-api-key", "sk-secret"),
		Headers: map[string]string{"X-Title": "agent"}}})
	defer p.Close()
	req := llm.Request{Model: "claude-sonnet-5", Messages: []llm.Message{{Kind: llm.User, Text: "hi"}}, Tools: []llm.ToolSpec{{Name: "read"}}}
	if d := wiretest.Collect(p.Stream(t.Context(), req)); d.Err != nil {
		t.Fatal(d.Err)
	}
	req.MaxTokens = 77
	want, _ := NewRequest(req)
	if diff := cmp.Diff(string(body), string(want)); diff != "" {
		t.Errorf("body: got, want:\n%s", diff)
	}
	if at := got.Method + " " + got.URL.Path; at != "POST /proxy/v1/messages" {
		t.Errorf("got %s", at)
	}
	for k, v := range map[string]string{"X-Api-Key": "sk-secret", "Anthropic-Version": "2023-06-01", "X-Title": "agent",
		"Content-Type": "application/json", "Authorization": ""} {
		if got.Header.Get(k) != v {
			t.Errorf("header %s: got %q, want %q", k, got.Header.Get(k), v)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.anthropic.com":                "https://api.anthropic.com",
		" https://api.anthropic.com/v1/ ":          "https://api.anthropic.com",
		"https://x.example/anthropic/v1/messages/": "https://x.example/anthropic",
	} {
		if got := New(Options{Endpoint: wire.Endpoint{Base: base}}).BaseURL(); got != want {
			t.Errorf("%q: got %s, want %s", base, got, want)
		}
	}
}

// TestDeltasComeAtOnce holds that a delta is there when its event is, not when
// the answer ends; and that cancelling then ends the stream and the connection.
func TestDeltasComeAtOnce(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(recording(t, "cut.sse"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	before := runtime.NumGoroutine()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var text string
	var last error
	for d, err := range p.Stream(ctx, llm.Request{Model: "m"}) {
		last = err
		if x, ok := d.(llm.TextDelta); ok {
			text += x.Text
		}
		if text == "The flag is parsed but never" {
			cancel()
		}
	}
	if e, ok := last.(*llm.Error); !ok || e.Kind != llm.ErrCanceled || e.Retry {
		t.Errorf("got error %#v, want a canceled one", last)
	}
	<-gone
	p.Close()
	wiretest.Settled(t, before)
}

func TestCancelBeforeTheAnswer(t *testing.T) {
	asked, gone := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	before := runtime.NumGoroutine()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if d := wiretest.Collect(p.Stream(ctx, llm.Request{Model: "m"})); d.Err == nil || d.Err.Kind != llm.ErrCanceled {
		t.Errorf("got %v, want a canceled one", d.Err)
	}
	<-gone
	if d := wiretest.Collect(p.Stream(ctx, llm.Request{Model: "m"})); d.Err == nil || d.Err.Kind != llm.ErrCanceled {
		t.Errorf("with a context that has ended: got %v, want a canceled one", d.Err)
	}
	p.Close()
	wiretest.Settled(t, before)
}

func TestStoppingEarlyLeavesNothing(t *testing.T) {
	gone := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(recording(t, "cut.sse"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer server.Close()
	before := runtime.NumGoroutine()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	for range p.Stream(t.Context(), llm.Request{Model: "m"}) {
		break
	}
	<-gone
	p.Close()
	wiretest.Settled(t, before)
}

// TestServerThatNeverEnds holds that a whole answer is whole although its
// connection stays open.
func TestServerThatNeverEnds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(recording(t, "text.sse"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	clock := wire.NewFakeClock(time.Unix(0, 0))
	clock.Expire(time.Second / 10)
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL, Clock: clock}})
	defer p.Close()
	if diff := cmp.Diff(wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Told(true), recordings()["text.sse"]); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

// TestConnectionIsUsedAgain holds that a whole answer leaves its connection to
// the next request.
func TestConnectionIsUsedAgain(t *testing.T) {
	addresses := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		_, _ = w.Write(recording(t, "text.sse"))
		w.(http.Flusher).Flush()
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	defer p.Close()
	for range 3 {
		if d := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})); d.Err != nil {
			t.Fatal(d.Err)
		}
	}
	if len(addresses) != 1 {
		t.Errorf("3 requests took %d connections", len(addresses))
	}
}

// TestFailures holds how the provider's own failures are sorted; those of the
// way there are the same in all dialects.
func TestFailures(t *testing.T) {
	body := func(kind, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, kind, message)
	}
	type fault struct {
		Kind    llm.ErrorKind
		Message string
		Retry   bool
	}
	for _, row := range []struct {
		status int
		body   string
		want   fault
	}{
		{400, body("invalid_request_error", "messages: at least one message is required"), fault{llm.ErrInvalid, "messages: at least one message is required", false}},
		{400, body("invalid_request_error", "prompt is too long: 2 tokens > 1 maximum"), fault{llm.ErrTooLong, "prompt is too long: 2 tokens > 1 maximum", false}},
		{400, body("invalid_request_error", "input length and `max_tokens` exceed context limit: 9 + 9 > 10"), fault{llm.ErrTooLong, "input length and `max_tokens` exceed context limit: 9 + 9 > 10", false}},
		{400, body("invalid_request_error", "Your credit balance is too low to access the API."), fault{llm.ErrQuota, "Your credit balance is too low to access the API.", false}},
		{401, body("authentication_error", "invalid x-api-key"), fault{llm.ErrKey, "invalid x-api-key", false}},
		{402, body("billing_error", "pay first"), fault{llm.ErrQuota, "pay first", false}},
		{403, body("permission_error", "not yours"), fault{llm.ErrKey, "not yours", false}},
		{404, body("not_found_error", "model: m"), fault{llm.ErrNotFound, "model: m", false}},
		{413, body("request_too_large", "Request exceeds the maximum size"), fault{llm.ErrTooLong, "Request exceeds the maximum size", false}},
		{429, body("rate_limit_error", "slow down"), fault{llm.ErrRate, "slow down", true}},
		{500, body("api_error", "Internal server error"), fault{llm.ErrOverloaded, "Internal server error", true}},
		{504, body("timeout_error", "took too long"), fault{llm.ErrOverloaded, "took too long", true}},
		{529, body("overloaded_error", "Overloaded"), fault{llm.ErrOverloaded, "Overloaded", true}},
	} {
		got := serveOnce(t, row.status, "application/json", []byte(row.body)).Err
		if diff := cmp.Diff(fault{got.Kind, got.Message, got.Retry}, row.want); diff != "" || got.Status != row.status {
			t.Errorf("status %d: got, want:\n%s", got.Status, diff)
		}
		if row.status == 400 || row.status == 402 {
			continue // inside a stream, only the words tell
		}
		stream := "event: error\ndata: " + row.body + "\n\n"
		got = serveOnce(t, http.StatusOK, "text/event-stream", []byte(stream)).Err
		if diff := cmp.Diff(fault{got.Kind, got.Message, got.Retry}, row.want); diff != "" {
			t.Errorf("%d in a stream: got, want:\n%s", row.status, diff)
		}
	}
}

func TestKeyIsNeverPrinted(t *testing.T) {
	const key = "sk-ant-very-secret"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"%s is no key","type":"authentication_error"}}`, key)
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL, Authorize: wire.KeyHeader("x-api-key", key), KeyName: "ANTHROPIC_API_KEY"}})
	defer p.Close()
	got := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Err
	sent, _ := json.Marshal(got)
	for _, s := range []string{got.Error(), fmt.Sprintf("%+v", got), string(sent), fmt.Sprintf("%v %+v %#v %s", p, p, p, p)} {
		if strings.Contains(s, key) {
			t.Errorf("the key shows in %s", s)
		}
	}
	want := &llm.Error{Kind: llm.ErrKey, Provider: "anthropic", Status: 401, Message: "[key] is no key",
		Hint: "anthropic rejected the key in ANTHROPIC_API_KEY: set another one"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}
