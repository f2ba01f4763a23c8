package headless

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
)

// A request that is sent again at once names no time.
func TestRetryLine(t *testing.T) {
	var out strings.Builder
	p := TextPrinter{Out: &out, Err: &out}
	p.Event(event.Retrying{Attempt: 2, Error: "the model gave an empty answer"})
	p.Event(event.Retrying{Attempt: 3, Error: "busy", In: 2 * time.Second})
	if want := "✗ the model gave an empty answer. Retrying now (attempt 2).\n✗ busy. Retrying in 2 s (attempt 3).\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
