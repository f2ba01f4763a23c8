package wire

import (
	"context"
	"errors"
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
	"agent/internal/llm/wire/wiretest"
)

// payloadsOf returns the payloads of the response to a POST.
func payloadsOf(ctx context.Context, at Endpoint) ([]string, *llm.Error) {
	c := New(at)
	defer c.Close()
	x := c.Exchange(ctx, "m")
	defer func() { _ = x.Close() }()
	p, err := x.Post("/ask", []byte(`{"a":1}`))
	if err != nil {
		return nil, x.Failed(err)
	}
	var out []string
	for {
		data, err := p.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, x.Failed(err)
		}
		out = append(out, string(data))
	}
}

func TestPost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "data: {\"asked\": %q}\n\n", strings.Join([]string{r.Method, r.URL.Path, string(body), r.Header.Get("X-Api-Key"), r.Header.Get("X-Title")}, " "))
		_, _ = io.WriteString(w, "event: error\ndata: {\"message\": \"no\"}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	got, err := payloadsOf(t.Context(), Endpoint{Base: server.URL + "/v1/ ", Authorize: KeyHeader("x-api-key", "secret"), Headers: map[string]string{"X-Title": "agent"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`{"asked": "POST /v1/ask {\"a\":1} secret agent"}`, `{"error":{"message": "no"}}`}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

// TestJSONDocument checks that a JSON document counts as a stream of one
// payload.
func TestJSONDocument(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "\ufeff{\n \"a\": 1\n}\n")
	}))
	defer server.Close()
	got, err := payloadsOf(t.Context(), Endpoint{Base: server.URL})
	if diff := cmp.Diff(got, []string{`{"a":1}`}); diff != "" || err != nil {
		t.Errorf("%v; got, want:\n%s", err, diff)
	}
}

// TestAuthorize checks that every request is authorized again, and that no
// credentials appear in errors.
func TestAuthorize(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"%s will not do"}}`, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	asked := 0
	at := Endpoint{Name: "test", Base: server.URL, Authorize: func(_ context.Context, h http.Header) error {
		if asked++; asked > 2 {
			return errors.New("the command has failed")
		}
		h.Set("Authorization", fmt.Sprint("Bearer token", asked))
		return nil
	}}
	for _, want := range []*llm.Error{
		{Kind: llm.ErrKey, Provider: "test", Status: 401, Message: "Bearer [key] will not do", Hint: "test rejected the API key."},
		{Kind: llm.ErrKey, Provider: "test", Status: 401, Message: "Bearer [key] will not do", Hint: "test rejected the API key."},
		{Kind: llm.ErrKey, Provider: "test", Message: "cannot get the API key: the command has failed", Hint: "No API key was sent, but the server requires one. Set providers.test.key in the configuration."},
	} {
		_, got := payloadsOf(t.Context(), at)
		got.Err = nil
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("got, want:\n%s", diff)
		}
	}
}

// TestTimeouts checks every time limit with a fake clock.
func TestTimeouts(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/talk/ask" {
			w.(http.Flusher).Flush()
		}
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	before := runtime.NumGoroutine()
	hole := func(ctx context.Context, _, _ string) (net.Conn, error) {
		select {
		case asked <- struct{}{}:
		default: // a resolver dials several times
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	resolver := &net.Resolver{PreferGo: true, Dial: hole}
	for _, row := range []struct {
		at   Endpoint
		is   time.Duration
		want string
	}{
		{Endpoint{Base: server.URL + "/talk"}, 120 * time.Second, "the response stalled: no data for 2m0s"},
		{Endpoint{Base: server.URL}, 60 * time.Second, "no response from " + host + " within 1m0s"},
		{Endpoint{Base: "http://x.invalid", Dial: hole}, 10 * time.Second, "timed out connecting to x.invalid:80"},
		{Endpoint{Base: "http://x.invalid", Resolver: resolver}, 10 * time.Second, "timed out resolving x.invalid"},
	} {
		clock := newFakeClock(time.Unix(0, 0))
		row.at.Clock = clock
		go func() {
			<-asked
			clock.Expire(row.is)
		}()
		_, got := payloadsOf(t.Context(), row.at)
		if got == nil || got.Kind != llm.ErrTimeout || !got.Retry || got.Message != row.want {
			t.Errorf("got %#v, want %q", got, row.want)
		}
		wiretest.WaitForGoroutines(t, before)
		drained(asked)
	}
}

// TestCancelWhileConnecting checks that no connection attempt outlives its
// request.
func TestCancelWhileConnecting(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	_, got := payloadsOf(ctx, Endpoint{Base: "http://x.invalid", Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	if got == nil || got.Kind != llm.ErrCanceled {
		t.Errorf("got %v, want a canceled one", got)
	}
	wiretest.WaitForGoroutines(t, before)
}

func TestUnreadableResponses(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"no end": {func(w http.ResponseWriter, r *http.Request) {
			for range 3 << 10 {
				_, _ = io.WriteString(w, strings.Repeat(": still there\n", 100))
			}
		}, "the response is too long: stopped reading after 1 MiB"},
		"an encoding that was not requested": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "\x0b\x02\x80")
		}, `the response is compressed with "br", which was not requested`},
	} {
		server := httptest.NewServer(row.answer)
		_, got := payloadsOf(t.Context(), Endpoint{Base: server.URL, Limits: Limits{Bytes: 1 << 20}})
		if got == nil || got.Kind != llm.ErrProtocol || got.Message != row.want {
			t.Errorf("%s: got %v, want %q", name, got, row.want)
		}
		server.Close()
	}
}

func drained(c chan struct{}) {
	for {
		select {
		case <-c:
		default:
			return
		}
	}
}
