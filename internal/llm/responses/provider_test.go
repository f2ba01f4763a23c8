package responses

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
	if at := got.Method + " " + got.URL.Path; at != "POST /v1/responses" {
		t.Errorf("got %s", at)
	}
	for k, v := range map[string]string{"Authorization": "Bearer sk-secret", "X-Title": "agent", "Content-Type": "application/json", "Accept": "text/event-stream"} {
		if got.Header.Get(k) != v {
			t.Errorf("header %s: got %q, want %q", k, got.Header.Get(k), v)
		}
	}
	if s := fmt.Sprintf("%v %+v %#v %s", p, p, p, p); strings.Contains(s, "sk-secret") {
		t.Errorf("the key shows in %s", s)
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1":              "https://api.openai.com/v1",
		"http://127.0.0.1:8080/":                 "http://127.0.0.1:8080/v1",
		" https://x.example/openai/v1/ ":         "https://x.example/openai/v1",
		"https://x.example/v1/responses":         "https://x.example/v1",
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

func TestStoppingEarlyLeavesNothing(t *testing.T) {
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
	for range p.Stream(t.Context(), llm.Request{Model: "m"}) {
		break
	}
	<-gone
	p.Close()
	wiretest.Settled(t, before)
}

// TestServerThatNeverEnds holds that a whole answer is whole, and a failed one
// failed, although its connection stays open.
func TestServerThatNeverEnds(t *testing.T) {
	for _, name := range []string{"reasoning.sse", "error-event.sse"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = w.Write(recording(t, name))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		clock := wire.NewFakeClock(time.Time{})
		p := New(Options{Endpoint: wire.Endpoint{Base: server.URL, Clock: clock, Limits: wire.Limits{Tail: time.Second}}})
		clock.Expire(time.Second)
		if diff := cmp.Diff(wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Told(false), recordings()[name]); diff != "" {
			t.Errorf("%s: got, want:\n%s", name, diff)
		}
		p.Close()
		server.Close()
	}
}

// TestConnectionIsUsedAgain holds that a whole answer leaves its connection to
// the next request.
func TestConnectionIsUsedAgain(t *testing.T) {
	addresses := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		_, _ = w.Write(recording(t, "text.sse"))
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

func TestAnswerThatIsNoSuccess(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided: sk-secret","type":"invalid_request_error","code":"invalid_api_key"}}`)
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL, KeyName: "OPENAI_API_KEY", Authorize: wire.Bearer("sk-secret")}})
	defer p.Close()
	got := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Err
	want := &llm.Error{Kind: llm.ErrKey, Provider: "openai", Status: 401, Message: "Incorrect API key provided: [key]",
		Hint: "openai rejected the key in OPENAI_API_KEY: set another one"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
	bad := llm.Request{Model: "m", Schema: json.RawMessage("{")}
	if got := wiretest.Collect(p.Stream(t.Context(), bad)).Err; got == nil || got.Kind != llm.ErrInvalid || got.Provider != "openai" {
		t.Errorf("a schema that is no JSON: got %v", got)
	}
}

// TestYielding holds that what a model refuses is not insisted on, and that
// what was learnt of a model is kept.
func TestYielding(t *testing.T) {
	thought := []llm.Message{
		{Kind: llm.Thinking, Reply: "r", Opaque: opaque{Reasoning: &reasoningItem{Type: "reasoning", Encrypted: "x"}}.pack("m")},
		{Kind: llm.Assistant, Reply: "r", Text: "so"}, {Kind: llm.User, Text: "and?"}}
	for name, row := range map[string]struct {
		refuses func(body string) string // what is wrong with a request, if something is
		asked   int                      // requests that two calls of Stream made
	}{
		"reasoning at all": {func(body string) string {
			switch {
			case strings.Contains(body, `"summary":"auto"`):
				return "Unsupported parameter: 'reasoning.summary' is not supported with the 'm' model."
			case strings.Contains(body, `"include"`):
				return "Encrypted content is not supported with this model."
			}
			return ""
		}, 4},
		"summaries": {func(body string) string {
			if strings.Contains(body, `"summary":"auto"`) {
				return "Your organization must be verified to generate reasoning summaries."
			}
			return ""
		}, 3},
		"what was thought": {func(body string) string {
			if strings.Contains(body, `"type":"reasoning"`) {
				return "The encrypted content x could not be verified. Reason: Encrypted content could not be decrypted or parsed."
			}
			return ""
		}, 4},
		"everything":           {func(string) string { return "Encrypted content could not be decrypted or parsed." }, 4},
		"an effort it has not": {func(string) string { return "Unsupported value: 'reasoning.effort' does not support 'x'." }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				body, _ := io.ReadAll(r.Body)
				if wrong := row.refuses(string(body)); wrong != "" {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, wrong)
					return
				}
				_, _ = w.Write(recording(t, "text.sse"))
			}))
			defer server.Close()
			p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
			defer p.Close()
			for range 2 {
				d := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m", Messages: thought, Effort: "x"}))
				if never := row.refuses(`{}`) != ""; (d.Err != nil) != never {
					t.Errorf("got %v", d.Err)
				}
			}
			if asked != row.asked {
				t.Errorf("got %d requests, want %d", asked, row.asked)
			}
			if thought[0].Opaque == nil {
				t.Error("the request was changed")
			}
		})
	}
}

// serveOnce sends an answer through a server and the provider.
func serveOnce(t *testing.T, body []byte) *wiretest.Answer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(body)
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Name: "test", Base: server.URL}})
	defer p.Close()
	return wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"}))
}
