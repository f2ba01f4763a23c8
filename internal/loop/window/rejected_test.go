package window_test

import (
	"testing"

	"agent/internal/loop/window"
)

func TestRejectedLimit(t *testing.T) {
	for err, want := range map[string]int{
		"prompt is too long: 200251 tokens > 160200 maximum":                                                                   71_999,
		"This model's maximum context length is 8,192 tokens. However, your messages resulted in 16,384 tokens.":               45_000,
		"maximum context length is 6000 tokens, you requested 8000 tokens (7000 in the messages, 1000 in the completion)":      78_750,
		"input length and max_tokens exceed context limit: 190000 + 10000 > 150000, decrease input length or max_tokens":       71_052,
		"the request exceeds the available context size (request: 12001 tokens, available: 12001 tokens), error 400 at line 3": 75_000,
		"too long":                        75_000,
		"error 4000, request 99999999":    75_000,
		"413 Request Entity Too Large":    75_000,
		"limit 123456789123456789 tokens": 75_000,
	} {
		if got := window.RejectedLimit(err, 100_000); got != want {
			t.Errorf("%s: got %d, want %d", err, got, want)
		}
	}
}
