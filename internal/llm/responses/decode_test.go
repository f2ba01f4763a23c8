package responses

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"agent/internal/llm/wire/wiretest"
)

// TestDecodeRetry checks which errors can be retried, and when.
func TestDecodeRetry(t *testing.T) {
	for name, want := range map[string]string{
		"failed.sse": "true 0s", "failed-after-text.sse": "true 1.5s", "failed-too-long.sse": "false 0s", "failed-prompt.sse": "false 0s",
		"error-event.sse": "true 0s", "error-nested.sse": "false 0s", "cut.sse": "true 0s", "other-dialect.sse": "false 0s",
	} {
		e := decode(bytes.NewReader(recording(t, name))).Err
		if got := fmt.Sprint(e.Retry, " ", e.RetryAfter); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestFailureBeforeContentYieldsNothing checks that a response that fails
// before any content yields nothing, so that it can be retried.
func TestFailureBeforeContentYieldsNothing(t *testing.T) {
	body := recording(t, "reasoning.sse")
	body = body[:bytes.Index(body, []byte("event: response.reasoning_summary_text.delta"))]
	if d := decode(bytes.NewReader(body)); d.Err == nil || len(d.Deltas) != 0 {
		t.Errorf("got %v and %v", d.Deltas, d.Err)
	}
}

const sseDir = "../../../testdata/sse/responses"

func recording(t testing.TB, name string) []byte {
	t.Helper()
	return wiretest.Recording(t, filepath.Join(sseDir, name))
}

func decode(r io.Reader) *wiretest.Answer { return wiretest.Collect(Decode(r)) }
