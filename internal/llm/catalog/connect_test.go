package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

// said summarizes a request and its result.
type said struct {
	Path, Key string // URL path and credentials of the request
	Text, Err string
}

const (
	stream  = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi.\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	message = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[]}}\n\n" +
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi.\"}}\n\n" +
		"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n" +
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	response = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi.\"}\n\n" +
		"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"
	whole = `{"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}`
)

// TestConnections sends a request to every kind of provider on a loopback
// server and checks its path and credentials.
func TestConnections(t *testing.T) {
	for name, row := range map[string]struct {
		model, env, answer string
		want               said
	}{
		"a bearer token":               {"groq/m", "GROQ_API_KEY=k1", stream, said{Path: "/chat/completions", Key: "Authorization: Bearer k1", Text: "Hi."}},
		"no key":                       {"custom/m", "", stream, said{Path: "/chat/completions", Text: "Hi."}},
		"anthropic":                    {"anthropic/any-name", "ANTHROPIC_API_KEY=k4", message, said{Path: "/messages", Key: "X-Api-Key: k4", Text: "Hi."}},
		"anthropic without an API key": {"anthropic/any-name", "", message, said{Path: "/messages", Text: "Hi."}},
		"responses":                    {"openai/gpt-5.4", "OPENAI_API_KEY=k5", response, said{Path: "/responses", Key: "Authorization: Bearer k5", Text: "Hi."}},
		"azure": {"azure/my-gpt", "AZURE_OPENAI_ENDPOINT=URL AZURE_OPENAI_API_KEY=k2", stream,
			said{Path: "/openai/v1/chat/completions", Key: "Api-Key: k2", Text: "Hi."}},
		"databricks": {"databricks/my ep", "DATABRICKS_HOST=URL DATABRICKS_TOKEN=k3", stream,
			said{Path: "/serving-endpoints/my%20ep/invocations", Key: "Authorization: Bearer k3", Text: "Hi."}},
		"databricks with client credentials": {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_CLIENT_ID=id DATABRICKS_CLIENT_SECRET=s3cret", stream,
			said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer t0ken", Text: "Hi."}},
		"databricks with wrong client credentials": {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_CLIENT_ID=id DATABRICKS_CLIENT_SECRET=wr0ng", stream,
			said{Err: "key: databricks answered 401: cannot get a token: Client authentication failed [Check DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET.]"}},
		"databricks, not streamed": {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_TOKEN=k3", whole,
			said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer k3", Text: "Hi."}},
		"databricks with a full URL":        {"databricks/ep", "DATABRICKS_HOST=URL/serving-endpoints DATABRICKS_TOKEN=k3", stream, said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer k3", Text: "Hi."}},
		"databricks, no choices":            {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_TOKEN=k3", `{"predictions":[1]}`, said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer k3", Err: `protocol: databricks: the response has no choices: {"predictions":[1]} []`}},
		"databricks, choices that are null": {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_TOKEN=k3", `{"choices":null}`, said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer k3", Err: `protocol: databricks: the response has no choices: {"choices":null} []`}},
		"databricks, null":                  {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_TOKEN=k3", `null`, said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer k3", Err: "protocol: databricks: the response is not an event stream: null []"}},
		"databricks, null content":          {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_TOKEN=k3", `{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}`, said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer k3"}},
		"databricks, null in the stream":    {"databricks/ep", "DATABRICKS_HOST=URL DATABRICKS_TOKEN=k3", "data: null\n\n" + stream, said{Path: "/serving-endpoints/ep/invocations", Key: "Authorization: Bearer k3", Text: "Hi."}},
	} {
		t.Run(name, func(t *testing.T) {
			got := said{}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/oidc/v1/token" {
					giveToken(w, r)
					return
				}
				got.Path = r.URL.EscapedPath()
				for _, h := range []string{"Authorization", "Api-Key", "X-Api-Key"} {
					if v := r.Header.Get(h); v != "" {
						got.Key += h + ": " + v
					}
				}
				_, _ = io.WriteString(w, row.answer)
			}))
			defer s.Close()
			in := Input{Getenv: env(strings.ReplaceAll(row.env, "URL", s.URL)), Flag: row.model}
			if !strings.Contains(row.env, "URL") {
				in.BaseURL = s.URL + "/"
				row.want.Path = "/v1" + row.want.Path
			}
			c, err := Resolve(in)
			if err != nil {
				t.Fatal(err)
			}
			p, err := c.Connect()
			if err != nil {
				t.Fatal(err)
			}
			for d, err := range p.Stream(t.Context(), llm.Request{Model: c.Model, Messages: []llm.Message{{Kind: llm.User, Text: "Hello"}}}) {
				if text, ok := d.(llm.TextDelta); ok {
					got.Text += text.Text
				}
				if e, ok := errors.AsType[*llm.Error](err); ok {
					got.Err = fmt.Sprintf("%s: %v [%s]", e.Kind, e, e.Hint)
				}
			}
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

// giveToken responds like /oidc/v1/token.
func giveToken(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if id != "id" || secret != "s3cret" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "all-apis" {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"Client authentication failed"}`)
		return
	}
	_, _ = io.WriteString(w, `{"access_token":"t0ken","token_type":"Bearer","expires_in":3600}`)
}

// One token serves all requests until shortly before its expiry, and concurrent
// requests fetch it once.
func TestTokens(t *testing.T) {
	asked := 0
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		_, _ = fmt.Fprintf(w, `{"access_token":"t%d","expires_in":3600}`, asked)
	}))
	defer s.Close()
	row, _ := Find("databricks")
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tokens := newTokens(Choice{Provider: row, BaseURL: s.URL, Login: &Login{ID: "id", Secret: "s"}})
	tokens.now = func() time.Time { return clock }
	for _, step := range []struct {
		pass time.Duration
		want string
	}{{0, "Bearer t1"}, {58 * time.Minute, "Bearer t1"}, {90 * time.Second, "Bearer t2"}, {0, "Bearer t2"}} {
		clock = clock.Add(step.pass)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				h := http.Header{}
				if err := tokens.authorize(t.Context(), h); err != nil || h.Get("Authorization") != step.want {
					t.Errorf("got %q, %v, want %s", h.Get("Authorization"), err, step.want)
				}
			})
		}
		all.Wait()
	}
}

// Errors of the token endpoint are reported without secrets.
func TestTokenFailures(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"refused":      {403, `{"error":"forbidden"}`, "key: databricks answered 403: cannot get a token: forbidden"},
		"not found":    {404, `<html>`, "key: databricks answered 404: cannot get a token: no reason given"},
		"busy":         {503, ``, "overloaded: databricks answered 503: cannot get a token: no reason given"},
		"invalid JSON": {200, `<html>login</html>`, "protocol: databricks: cannot get a token: the response contains no token"},
		"empty object": {200, `{}`, "protocol: databricks: cannot get a token: the response contains no token"},
		"redirect":     {302, ``, "key: databricks answered 302: cannot get a token: no reason given"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(row.status)
			_, _ = io.WriteString(w, row.body)
		}))
		db, _ := Find("databricks")
		tokens := newTokens(Choice{Provider: db, BaseURL: s.URL, Login: &Login{ID: "id", Secret: "s3cret"}})
		err := tokens.authorize(t.Context(), http.Header{})
		e, ok := errors.AsType[*llm.Error](err)
		if !ok || fmt.Sprintf("%s: %v", e.Kind, e) != row.want || strings.Contains(fmt.Sprintf("%+v", e), "s3cret") {
			t.Errorf("%s: got %v, want %s", name, err, row.want)
		}
		s.Close()
	}
}

// A request that waits for another one's token can be canceled.
func TestTokenCanceled(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-answer
		_, _ = io.WriteString(w, `{"access_token":"t"}`)
	}))
	defer s.Close()
	row, _ := Find("databricks")
	tokens := newTokens(Choice{Provider: row, BaseURL: s.URL, Login: &Login{ID: "id", Secret: "s"}})
	first := make(chan error, 1)
	go func() { first <- tokens.authorize(t.Context(), http.Header{}) }()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tokens.authorize(ctx, http.Header{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(answer)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// The dialect is the provider's, except for models of OpenAI that need another
// one.
func TestDialect(t *testing.T) {
	for model, want := range map[string]Dialect{
		"openai/gpt-5.1": OpenAI, "openai/gpt-5.4": Responses, "openai/gpt-5.1-codex": Responses, "azure/gpt-5.4": Responses,
		"openrouter/openai/gpt-5.4": OpenAI, "custom/gpt-5.4": OpenAI, "openai/any": OpenAI,
	} {
		c, err := Resolve(Input{Flag: model, BaseURL: local})
		if err != nil || c.Dialect() != want {
			t.Errorf("%s: got %s, %v, want %s", model, c.Dialect(), err, want)
		}
		if _, err := c.Connect(); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
}

// An internal error of a server on this machine is retried a few times, one of its chat
// template not at all.
func TestErrorsOfALocalServer(t *testing.T) {
	for body, want := range map[string]struct {
		retry bool
		tries int
		hint  string
	}{
		`{"error":{"code":500,"message":"out of memory","type":"server_error"}}`:                                           {true, 3, ""},
		`{"error":{"code":500,"message":"While executing CallExpression at line 1, column 2 in source:\n...\nError: no"}}`: {false, 0, "catalog.llamacpp/x.tools: false"},
		`{"error":{"message":"got exception: unknown filter"}}`:                                                            {false, 0, "catalog.llamacpp/x.tools: false"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, body)
		}))
		c, err := Resolve(Input{Flag: "llamacpp/x", BaseURL: s.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.Connect()
		if err != nil {
			t.Fatal(err)
		}
		for _, failure := range p.Stream(t.Context(), llm.Request{Model: c.Model}) {
			e, ok := errors.AsType[*llm.Error](failure)
			if !ok || e.Retry != want.retry || e.Tries != want.tries || !strings.Contains(e.Hint, want.hint) {
				t.Errorf("%s: got %+v", body, e)
			}
		}
		s.Close()
	}
}
