package wire

import (
	"net/http"
	"testing"
	"time"

	"agent/internal/llm"
)

// Errors about an image have a kind of their own, so that the image can be removed.
func TestRejectedImages(t *testing.T) {
	for body, want := range map[string]llm.ErrorKind{
		`{"error":{"type":"invalid_request_error","message":"messages.3.content.1.image.source.base64: image exceeds 5 MB maximum"}}`: llm.ErrImage,
		`{"error":{"type":"invalid_request_error","message":"Could not process image"}}`:                                              llm.ErrImage,
		`{"error":{"message":"Invalid image data.","code":"invalid_image_url"}}`:                                                      llm.ErrImage,
		`{"error":{"message":"This model does not support image input"}}`:                                                             llm.ErrImage,
		`{"error":{"message":"the tool draws an image"}}`:                                                                             llm.ErrInvalid,
		`{"error":{"message":"prompt is too long: 9 tokens > 8 maximum, with 3 images"}}`:                                             llm.ErrTooLong,
	} {
		f, ok := ParseFailure([]byte(body))
		if err := f.Err(http.StatusBadRequest); !ok || err.Kind != want || err.Retry {
			t.Errorf("%s: got %s, retry %v, want %s", body, err.Kind, err.Retry, want)
		}
	}
}

// A wait is never negative and never overflows.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		header, value string
		want          time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second},
		{"Retry-After", " 0.5 ", time.Second / 2},
		{"Retry-After", "0", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "-Inf", 0},
		{"Retry-After", "+Inf", longestWait},
		{"Retry-After", "1e400", longestWait},
		{"Retry-After", "9223372037", longestWait},
		{"Retry-After", "99999999999999999999999", longestWait},
		{"Retry-After", "561635", 561635 * time.Second},
		{"Retry-After", "soon", 0},
		{"Retry-After", date(90 * time.Second), 90 * time.Second},
		{"Retry-After", date(-time.Hour), 0},
		{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT", longestWait},
		{"Retry-After", "Mon, 01 Jan 0001 00:00:00 GMT", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Retry-After-Ms", "-1", 0},
		{"Retry-After-Ms", "1e300", longestWait},
		{"X-Ratelimit-Reset-Requests", "6m0s", 6 * time.Minute},
		{"X-Ratelimit-Reset-Tokens", "-6m0s", 0},
		{"X-Ratelimit-Reset-Tokens", "2500000h", longestWait},
		{"X-Ratelimit-Reset", "1793534410", 10 * time.Second},
		{"X-Ratelimit-Reset", "1793534410000", 10 * time.Second},
		{"X-Ratelimit-Reset", "30", 30 * time.Second},
		{"X-Ratelimit-Reset", "1e300", longestWait},
		{"Anthropic-Ratelimit-Requests-Reset", "2026-11-01T12:00:07Z", 7 * time.Second},
		{"Anthropic-Ratelimit-Input-Tokens-Reset", "9999-01-01T00:00:00Z", longestWait},
		{"Anthropic-Ratelimit-Output-Tokens-Reset", "0001-01-01T00:00:00Z", 0},
	} {
		h := http.Header{}
		h.Set(c.header, c.value)
		for _, limit := range []string{"X-Ratelimit-Remaining", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Remaining-Tokens",
			"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Remaining"} {
			h.Set(limit, "0")
		}
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%s: %s: got %s, want %s", c.header, c.value, got, c.want)
		}
	}
	if got := retryAfter(http.Header{"X-Ratelimit-Reset-Requests": {"6m0s"}, "X-Ratelimit-Remaining-Requests": {"7"}}, now); got != 0 {
		t.Errorf("a limit that is not used up: got %s, want 0", got)
	}
	for message, want := range map[string]time.Duration{
		"Please try again in 1m2.5s. Add billing.":   62500 * time.Millisecond,
		"Please retry after 20 seconds.":             20 * time.Second,
		"retry in 3 minutes":                         3 * time.Minute,
		"retry in 99999999999999999999 hours":        longestWait,
		"retry in 3 steps":                           0,
		"try again in 2562047h":                      longestWait,
		"try again in -5s":                           0,
		"The server is overloaded. Try again later.": 0,
	} {
		if got := waitIn(message); got != want {
			t.Errorf("%q: got %s, want %s", message, got, want)
		}
	}
}
