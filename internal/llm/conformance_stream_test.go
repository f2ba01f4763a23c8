package llm_test

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
	// Variables of other programs must have no effect.
	t.Setenv("ANTHROPIC_API_KEY", "sk-of-another")
	t.Setenv("ANTHROPIC_BASE_URL", "http://elsewhere.invalid")
	t.Setenv("OPENAI_API_KEY", "sk-of-another")
	t.Setenv("OPENAI_BASE_URL", "http://elsewhere.invalid")
	eachDialect(t, func(t *testing.T, d dialect) {
		var got *http.Request
		var body []byte
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			body, _ = io.ReadAll(r.Body)
			_, _ = w.Write(d.recording(t, "text.sse"))
		}))
		defer server.Close()
		p := d.open(wire.Endpoint{Base: server.URL + "/proxy/v1/", Authorize: d.key("sk-secret"), Headers: map[string]string{"X-Title": "agent"}})
		defer p.Close()
		req := llm.Request{Model: "gpt-6-astra", Messages: []llm.Message{{Kind: llm.User, Text: "hi <there>"}}, Tools: []llm.ToolSpec{{Name: "read"}}}
		if a := wiretest.Collect(p.Stream(t.Context(), req)); a.Err != nil {
			t.Fatal(a.Err)
		}
		want, err := d.request(req)
		if diff := cmp.Diff(string(body), string(want)); diff != "" || err != nil {
			t.Errorf("%v; body: got, want:\n%s", err, diff)
		}
		if at := got.Method + " " + got.URL.Path; at != "POST /proxy/v1"+d.path {
			t.Errorf("got %s", at)
		}
		for _, headers := range []map[string]string{d.headers, {"X-Title": "agent", "Content-Type": "application/json", "Accept": "text/event-stream"}} {
			for k, v := range headers {
				if got.Header.Get(k) != v {
					t.Errorf("header %s: got %q, want %q", k, got.Header.Get(k), v)
				}
			}
		}
		bad := llm.Request{Model: "m", Tools: []llm.ToolSpec{{Name: "bad", Schema: json.RawMessage("{")}}}
		if got := wiretest.Collect(p.Stream(t.Context(), bad)).Err; got == nil || got.Kind != llm.ErrInvalid || got.Provider == "" {
			t.Errorf("a schema that is no JSON: got %v", got)
		}
	})
}

func TestEndpoint(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		for base, want := range d.bases {
			if got := d.open(wire.Endpoint{Base: base}).BaseURL(); got != want {
				t.Errorf("%q: got %s, want %s", base, got, want)
			}
		}
	})
}

// hanging is a server that sends body, if not nil, and keeps the connection
// open until the client closes it.
func hanging(t *testing.T, body []byte) (url string, gone <-chan struct{}) {
	t.Helper()
	closed := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if body != nil {
			_, _ = w.Write(body)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		closed <- struct{}{}
	}))
	t.Cleanup(server.Close)
	return server.URL, closed
}

// TestDeltasAreNotDelayed checks that a delta arrives with its event, not with
// the end of the response, and that canceling then ends the stream and the
// connection.
func TestDeltasAreNotDelayed(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		url, gone := hanging(t, d.recording(t, "cut.sse"))
		before := runtime.NumGoroutine()
		p := d.open(wire.Endpoint{Name: "test", Base: url})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var text string
		var last error
		for x, err := range p.Stream(ctx, llm.Request{Model: "m"}) {
			last = err
			if x, ok := x.(llm.TextDelta); ok {
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
		wiretest.WaitForGoroutines(t, before)
	})
}

func TestCancelBeforeTheAnswer(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		asked, gone := make(chan struct{}), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			close(asked)
			<-r.Context().Done()
			close(gone)
		}))
		defer server.Close()
		before := runtime.NumGoroutine()
		p := d.open(wire.Endpoint{Base: server.URL})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		if a := wiretest.Collect(p.Stream(ctx, llm.Request{Model: "m"})); a.Err == nil || a.Err.Kind != llm.ErrCanceled {
			t.Errorf("got %v, want a canceled one", a.Err)
		}
		<-gone
		if a := wiretest.Collect(p.Stream(ctx, llm.Request{Model: "m"})); a.Err == nil || a.Err.Kind != llm.ErrCanceled {
			t.Errorf("with a context that has ended: got %v, want a canceled one", a.Err)
		}
		p.Close()
		wiretest.WaitForGoroutines(t, before)
	})
}

func TestStoppingEarlyClosesConnection(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		url, gone := hanging(t, d.recording(t, "cut.sse"))
		before := runtime.NumGoroutine()
		p := d.open(wire.Endpoint{Base: url})
		for range p.Stream(t.Context(), llm.Request{Model: "m"}) {
			break
		}
		<-gone
		p.Close()
		wiretest.WaitForGoroutines(t, before)
	})
}

// TestServerKeepsConnectionOpen checks that a response completes or fails
// although its connection stays open.
func TestServerKeepsConnectionOpen(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		for _, name := range d.endings {
			url, _ := hanging(t, d.recording(t, name))
			p := d.open(wire.Endpoint{Base: url, Limits: wire.Limits{Tail: 10 * time.Millisecond}})
			if diff := cmp.Diff(wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Content(true), d.answers()[name]); diff != "" {
				t.Errorf("%s: got, want:\n%s", name, diff)
			}
			p.Close()
		}
	})
}

// TestConnectionIsReused checks that a complete response frees its
// connection for the next request, even if its body ends later.
func TestConnectionIsReused(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		addresses := map[string]bool{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			addresses[r.RemoteAddr] = true
			_, _ = w.Write(d.recording(t, "text.sse"))
			w.(http.Flusher).Flush()
		}))
		defer server.Close()
		p := d.open(wire.Endpoint{Base: server.URL, Clock: stopped{}}) // waits for the end however late it is
		defer p.Close()
		for range 3 {
			if a := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})); a.Err != nil {
				t.Fatal(a.Err)
			}
		}
		if len(addresses) != 1 {
			t.Errorf("3 requests took %d connections", len(addresses))
		}
	})
}

// stopped is a clock without timers.
type stopped struct{}

func (stopped) Now() time.Time                                 { return time.Unix(0, 0) }
func (stopped) AfterFunc(d time.Duration, _ func()) wire.Timer { return stopped{} }
func (stopped) Reset(time.Duration) bool                       { return true }
func (stopped) Stop() bool                                     { return true }

func TestKeyIsNeverPrinted(t *testing.T) {
	const key = "sk-very-secret"
	eachDialect(t, func(t *testing.T, d dialect) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"authentication_error","code":"invalid_api_key"}}`, key)
		}))
		defer server.Close()
		p := d.open(wire.Endpoint{Name: "test", Base: server.URL, Authorize: d.key(key), KeyName: "TEST_KEY"})
		defer p.Close()
		got := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Err
		told, _ := json.Marshal(got)
		for _, s := range []string{got.Error(), fmt.Sprintf("%+v", got), string(told), fmt.Sprintf("%v %+v %#v %s", p, p, p, p)} {
			if strings.Contains(s, key) {
				t.Errorf("the key shows in %s", s)
			}
		}
		want := &llm.Error{Kind: llm.ErrKey, Provider: "test", Status: 401, Message: "Incorrect API key provided: [key]",
			Hint: "test rejected the API key in TEST_KEY. Set another one."}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("got, want:\n%s", diff)
		}

		refused := d.open(wire.Endpoint{Name: "test", AllowHTTP: true, Base: "http://" + key + ".invalid/" + key, Authorize: d.key(key), Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Name: key + ".invalid", Err: "no such host", IsNotFound: true}
		}})
		got = wiretest.Collect(refused.Stream(t.Context(), llm.Request{Model: "m"})).Err
		if s := fmt.Sprintf("%v %s %v", got, got.Hint, got.Err); strings.Contains(s, key) {
			t.Errorf("the key shows in %s", s)
		}
	})
}
