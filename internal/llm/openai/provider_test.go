package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
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

func TestStreamSendsTheRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		_, _ = w.Write(recording(t, "text.sse"))
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL, Authorize: wire.Bearer("sk-secret"), Headers: map[string]string{"X-Title": "agent"}}})
	defer p.Close()
	req := llm.Request{Model: "gpt-6-astra", Messages: []llm.Message{{Kind: llm.User, Text: "hi"}}, Tools: []llm.ToolSpec{{Name: "read"}}, MaxTokens: 3}
	if d := wiretest.Collect(p.Stream(t.Context(), req)); d.Err != nil {
		t.Fatal(d.Err)
	}
	want, _ := NewRequest(req, Quirks{})
	if diff := cmp.Diff(string(body), string(want)); diff != "" {
		t.Errorf("body: got, want:\n%s", diff)
	}
	if at := got.Method + " " + got.URL.Path; at != "POST /v1/chat/completions" {
		t.Errorf("got %s", at)
	}
	for k, v := range map[string]string{"Authorization": "Bearer sk-secret", "X-Title": "agent", "Content-Type": "application/json", "Accept": "text/event-stream"} {
		if got.Header.Get(k) != v {
			t.Errorf("header %s: got %q, want %q", k, got.Header.Get(k), v)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1":              "https://api.openai.com/v1",
		"http://127.0.0.1:8080":                  "http://127.0.0.1:8080/v1",
		"http://127.0.0.1:8080/":                 "http://127.0.0.1:8080/v1",
		" https://x.example/api/ ":               "https://x.example/api",
		"https://x.example/v1/chat/completions/": "https://x.example/v1",
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
	p := New(Options{Endpoint: wire.Endpoint{Name: "test", Base: server.URL}})
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
		drain(r)
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

// TestServerThatNeverEnds holds that a whole answer is whole although its
// connection stays open.
func TestServerThatNeverEnds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		drain(r)
		_, _ = w.Write(recording(t, "no-done.sse"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL, Limits: wire.Limits{Tail: 10 * time.Millisecond}}})
	defer p.Close()
	if diff := cmp.Diff(wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Told(true), recordings()["no-done.sse"]); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
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

// TestConnectionIsUsedAgain holds that a whole answer leaves its connection to
// the next request.
func TestConnectionIsUsedAgain(t *testing.T) {
	addresses := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		_, _ = w.Write(recording(t, "no-done.sse"))
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

func TestKeyIsNeverPrinted(t *testing.T) {
	const key = "sk-very-secret"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, key)
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Name: "openai", Base: server.URL, Authorize: wire.Bearer(key), KeyName: "OPENAI_API_KEY"}})
	defer p.Close()
	got := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Err
	told, _ := json.Marshal(got)
	for _, s := range []string{got.Error(), fmt.Sprintf("%+v", got), string(told), fmt.Sprintf("%v %+v %#v %s", p, p, p, p)} {
		if strings.Contains(s, key) {
			t.Errorf("the key shows in %s", s)
		}
	}
	want := &llm.Error{Kind: llm.ErrKey, Provider: "openai", Status: 401, Message: "Incorrect API key provided: [key]",
		Hint: "openai rejected the key in OPENAI_API_KEY: set another one"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}

	refused := New(Options{Endpoint: wire.Endpoint{Name: "test", AllowHTTP: true, Base: "http://" + key + ".invalid/" + key, Authorize: wire.Bearer(key), Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Name: key + ".invalid", Err: "no such host", IsNotFound: true}
	}}})
	got = wiretest.Collect(refused.Stream(t.Context(), llm.Request{Model: "m"})).Err
	if s := fmt.Sprintf("%v %s %v", got, got.Hint, got.Err); strings.Contains(s, key) {
		t.Errorf("the key shows in %s", s)
	}
}

// serveOnce sends an answer through a server, the library and the provider.
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
	return wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"}))
}
