package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// fault is an error without provider and cause.
type fault struct {
	Kind       llm.ErrorKind
	Status     int
	Message    string
	Retry      bool
	RetryAfter time.Duration
	Hint       string
}

func TestErrorResponses(t *testing.T) {
	const tooLong = "The conversation is too long for the model. Start a new session, or choose a model with a larger context window."
	for name, row := range map[string]struct {
		status int
		header string
		body   string
		want   fault
	}{
		"400": {400, "", `{"error":{"message":"messages: \u001b[31mno","type":"invalid_request_error"}}`,
			fault{Kind: llm.ErrInvalid, Message: "messages: [31mno"}},
		"400 too long": {400, "", `{"error":{"message":"maximum context length is 10","code":"context_length_exceeded"}}`,
			fault{Kind: llm.ErrTooLong, Message: "maximum context length is 10", Hint: tooLong}},
		"400 API key": {400, "", `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`,
			fault{Kind: llm.ErrKey, Message: "API key not valid", Hint: "test rejected the API key in TEST_KEY. Set another one."}},
		"401": {401, "", `{"error":{"message":"no"}}`,
			fault{Kind: llm.ErrKey, Message: "no", Hint: "test rejected the API key in TEST_KEY. Set another one."}},
		"402": {402, "", `{"error":{"message":"Insufficient Balance"}}`,
			fault{Kind: llm.ErrQuota, Message: "Insufficient Balance", Hint: "Check your account and its limits at test, or choose another model."}},
		"403": {403, "", `{"detail":"not in your region"}`,
			fault{Kind: llm.ErrKey, Message: "not in your region", Hint: "test does not allow this API key to use the model. Check the permissions of the account, and whether the model is available in your region."}},
		"404": {404, "", `{"error":"model not found"}`,
			fault{Kind: llm.ErrNotFound, Message: "model not found", Hint: `The model is "m" at BASE. Choose another one with /model or --model.`}},
		"407":          {407, "", ``, fault{Kind: llm.ErrNetwork, Message: "proxy authentication required", Hint: "The proxy requires a login. Check HTTPS_PROXY."}},
		"408":          {408, "", ``, fault{Kind: llm.ErrOverloaded, Message: "request timeout", Retry: true}},
		"413":          {413, "", `too big`, fault{Kind: llm.ErrTooLong, Message: "too big", Hint: tooLong}},
		"422":          {422, "", `{"detail":[{"msg":"field required"}]}`, fault{Kind: llm.ErrInvalid, Message: "field required"}},
		"429":          {429, "", `{"error":{"message":"slow down"}}`, fault{Kind: llm.ErrRate, Message: "slow down", Retry: true}},
		"429 seconds":  {429, "Retry-After: 2", `{}`, fault{Kind: llm.ErrRate, Message: "{}", Retry: true, RetryAfter: 2 * time.Second}},
		"429 fraction": {429, "Retry-After: 0.5", ``, fault{Kind: llm.ErrRate, Message: "too many requests", Retry: true, RetryAfter: time.Second / 2}},
		"429 millis":   {429, "Retry-After-Ms: 250", ``, fault{Kind: llm.ErrRate, Message: "too many requests", Retry: true, RetryAfter: 250 * time.Millisecond}},
		"429 one week": {429, "Retry-After: 561635", ``, fault{Kind: llm.ErrRate, Message: "too many requests", Retry: true, RetryAfter: 561635 * time.Second}},
		"429 quota": {429, "", `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`,
			fault{Kind: llm.ErrQuota, Message: "You exceeded your current quota", Hint: "Check your account and its limits at test, or choose another model."}},
		"429 wait in the message": {429, "", `{"error":{"message":"Rate limit reached. Please try again in 1m2.5s. Add billing.","code":"rate_limit_exceeded"}}`,
			fault{Kind: llm.ErrRate, Message: "Rate limit reached. Please try again in 1m2.5s. Add billing.", Retry: true, RetryAfter: 62500 * time.Millisecond}},
		"429 too large": {429, "", `{"error":{"message":"Request too large for m on tokens per min"}}`,
			fault{Kind: llm.ErrRate, Message: "Request too large for m on tokens per min", Hint: "The request alone is larger than this rate limit. Send less, choose another model, or have the limit raised."}},
		"500": {500, "", `{"error":{"message":"oops","type":"server_error"}}`, fault{Kind: llm.ErrOverloaded, Message: "oops", Retry: true}},
		"500 of a template": {500, "", `{"error":{"code":500,"message":"Error: Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}`,
			fault{Kind: llm.ErrInvalid, Message: "Error: Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...",
				Hint: "The chat template of the model cannot render this conversation. Turn native tool calls off: set catalog.test/m.tools: false in the configuration. Or start the server with another template (llama.cpp: --chat-template), or choose another model."}},
		"503 HTML": {503, "", "<html><h1>Bad\ngateway", fault{Kind: llm.ErrOverloaded,
			Message: "service unavailable", Retry: true}},
		"529": {529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			fault{Kind: llm.ErrOverloaded, Message: "Overloaded", Retry: true}},
		"routed": {502, "", `{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"busy\"}}"}}}`,
			fault{Kind: llm.ErrOverloaded, Message: "Provider returned error: busy", Retry: true}},
		"wants responses": {400, "", `{"error":{"message":"Function tools are not supported. Please use /v1/responses instead."}}`,
			fault{Kind: llm.ErrInvalid, Message: "Function tools are not supported. Please use /v1/responses instead.",
				Hint: "This model supports tools only in the Responses API. Set \"dialect\": \"responses\" for its provider in the configuration, or choose another model."}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if k, v, ok := strings.Cut(row.header, ": "); ok {
					w.Header().Set(k, v)
				}
				w.WriteHeader(row.status)
				_, _ = w.Write([]byte(row.body))
			}))
			defer server.Close()
			row.want.Status = row.status
			row.want.Hint = strings.ReplaceAll(row.want.Hint, "BASE", server.URL+"/v1")
			if diff := cmp.Diff(ask(t, wire.Endpoint{Base: server.URL}), row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

func TestMisbehavingServer(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		limits wire.Limits
		want   fault
	}{
		"204": {answer: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) },
			want: fault{Kind: llm.ErrProtocol, Message: "empty answer", Retry: true}},
		"closes before headers": {answer: func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
			want: fault{Kind: llm.ErrNetwork, Message: "HOST closed the connection without responding", Retry: true}},
		"never answers": {answer: func(w http.ResponseWriter, r *http.Request) { drain(r); <-r.Context().Done() },
			limits: wire.Limits{Headers: 20 * time.Millisecond},
			want:   fault{Kind: llm.ErrTimeout, Message: "no response from HOST within 20ms", Retry: true}},
		"headers, then silence": {answer: func(w http.ResponseWriter, r *http.Request) {
			drain(r)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, limits: wire.Limits{Idle: 20 * time.Millisecond},
			want: fault{Kind: llm.ErrTimeout, Message: "the response stalled: no data for 20ms", Retry: true}},
		"closes in the middle of the text": {answer: func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, want: fault{Kind: llm.ErrCut, Message: "the server cut the answer off", Retry: true}},
		"redirect to another host": {answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.invalid/v1?x=1", http.StatusTemporaryRedirect)
		}, want: fault{Kind: llm.ErrProtocol, Message: "did not follow the redirect to http://elsewhere.invalid/v1",
			Hint: "If that is the right address, use it as the base URL."}},
		"broken gzip": {answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(append(zipped("data: {}\n\n")[:14], "garbage"...))
		}, want: fault{Kind: llm.ErrCut, Message: "the server cut the answer off", Retry: true}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(row.answer)
			defer server.Close()
			host := strings.TrimPrefix(server.URL, "http://")
			row.want.Message = strings.ReplaceAll(row.want.Message, "HOST", host)
			if diff := cmp.Diff(ask(t, wire.Endpoint{Base: server.URL, Limits: row.limits}), row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

func TestUnreachableServer(t *testing.T) {
	dial := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, _, _ string) (net.Conn, error) {
			if err == nil {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, err
		}
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	port := strings.TrimPrefix(closed.URL, "http://")
	for name, row := range map[string]struct {
		at   wire.Endpoint
		want fault
	}{
		"refused": {wire.Endpoint{Base: closed.URL, Local: true},
			fault{Kind: llm.ErrNetwork, Message: "nothing is listening on " + port, Hint: "Start test, or choose another model."}},
		"no such host": {wire.Endpoint{AllowHTTP: true, Base: "http://x.invalid/v1", Dial: dial(&net.DNSError{Name: "x.invalid", Err: "no such host", IsNotFound: true})},
			fault{Kind: llm.ErrNetwork, Message: "cannot resolve host x.invalid", Retry: true, Hint: "Check the network and the base URL http://x.invalid/v1."}},
		"black hole": {wire.Endpoint{AllowHTTP: true, Base: "http://x.invalid/v1", Dial: dial(nil), Limits: wire.Limits{Connect: 10 * time.Millisecond}},
			fault{Kind: llm.ErrTimeout, Message: "timed out connecting to x.invalid:80", Retry: true}},
		"no route": {wire.Endpoint{AllowHTTP: true, Base: "http://x.invalid/v1", Dial: dial(errors.New("no route to host"))},
			fault{Kind: llm.ErrNetwork, Message: "cannot reach x.invalid: no route to host", Retry: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(ask(t, row.at), row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	got := ask(t, wire.Endpoint{Base: server.URL})
	want := fault{Kind: llm.ErrNetwork, Message: "is signed by an unknown authority: O=Acme Co"}
	if got.Kind != want.Kind || got.Retry || !strings.HasSuffix(got.Message, want.Message) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	got = ask(t, wire.Endpoint{Base: strings.Replace(plain.URL, "http:", "https:", 1)})
	if got.Kind != llm.ErrNetwork || !strings.HasSuffix(got.Message, "uses plain HTTP") {
		t.Errorf("plain HTTP on a TLS port: got %+v", got)
	}
}

func TestRedirectWithinTheHost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			http.Redirect(w, r, "/v2/chat/completions", http.StatusPermanentRedirect)
			return
		}
		_, _ = w.Write(recording(t, "text.sse"))
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	defer p.Close()
	if d := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})); d.Err != nil {
		t.Error(d.Err)
	}
}

func TestGzip(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zipped(string(recording(t, "text.sse"))))
	}))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	defer p.Close()
	want := wiretest.Content{Messages: []string{"text Grüße, 世界! It works."}, Reason: llm.Stop, Usage: llm.Usage{Input: 20, Output: 6}}
	if diff := cmp.Diff(wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Content(true), want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

func zipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.Bytes()
}

// drain reads the request, so that the server notices when its client
// disconnects.
func drain(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }

// ask returns the error of one request.
func ask(t *testing.T, at wire.Endpoint) fault {
	t.Helper()
	at.Name, at.Authorize, at.KeyName = "test", wire.Bearer("sk-1"), "TEST_KEY"
	p := New(Options{Endpoint: at})
	defer p.Close()
	e := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"})).Err
	if e == nil {
		t.Fatal("no error")
	}
	if e.Provider != "test" {
		t.Errorf("got provider %q", e.Provider)
	}
	return fault{e.Kind, e.Status, e.Message, e.Retry, e.RetryAfter, e.Hint}
}
