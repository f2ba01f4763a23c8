package wire

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterDate(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	h := http.Header{"Retry-After": {now.Add(90 * time.Second).Format(http.TimeFormat)}}
	if got := retryAfter(h, now); got != 90*time.Second {
		t.Errorf("got %s, want 1m30s", got)
	}
	if got := retryAfter(h, now.Add(time.Hour)); got != 0 {
		t.Errorf("a date that has passed: got %s, want 0", got)
	}
}
