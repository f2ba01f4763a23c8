package anthropic

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// serveOnce sends a response through a server and the provider.
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

// TestFailures checks the classification of the provider's own errors.
// Transport errors are the same for all dialects.
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
			continue // a stream has no status, so only the words count
		}
		stream := "event: error\ndata: " + row.body + "\n\n"
		got = serveOnce(t, http.StatusOK, "text/event-stream", []byte(stream)).Err
		if diff := cmp.Diff(fault{got.Kind, got.Message, got.Retry}, row.want); diff != "" {
			t.Errorf("%d in a stream: got, want:\n%s", row.status, diff)
		}
	}
}
