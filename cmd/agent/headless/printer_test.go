package headless

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
)

// A result counts the changed files whose names it leaves out.
func TestOmittedPaths(t *testing.T) {
	var c *changedFiles
	for _, e := range []*event.FilesChanged{{Files: 25, Paths: make([]string, 20)}, {Files: 2, Paths: []string{"a", "b"}}} {
		c = c.add(e)
	}
	if c.Files != 27 || c.Omitted != 5 {
		t.Errorf("got %d files, %d omitted", c.Files, c.Omitted)
	}
}

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
