package plain

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// The outcome of a call is printed once, in words for the user.
func TestOutcomes(t *testing.T) {
	for _, tc := range []struct {
		end  event.ToolEnd
		want string
	}{
		{event.ToolEnd{Outcome: event.Interrupted, Summary: "interrupted · 20 lines", Duration: time.Second}, "tool: shell make (interrupted · 20 lines, 1.0 s)\n"},
		{event.ToolEnd{Outcome: event.Interrupted}, "tool: shell make (interrupted)\n"},
		{event.ToolEnd{Outcome: event.Refused, Error: "rejected"}, "tool: shell make (not run)\n    rejected\n"},
		{event.ToolEnd{Outcome: event.Failed, Summary: "exit 2", Duration: time.Second}, "tool: shell make (failed, exit 2, 1.0 s)\n"},
	} {
		var out bytes.Buffer
		p := newFront(screen.Options{Output: &out}, time.Now, func(event.Command) {}, Lines{})
		p.begin()
		tc.end.Title, tc.end.Result = "shell make", llm.Message{Kind: llm.ToolResult, Text: "x"}
		p.handle(t.Context(), &tc.end)
		if got := out.String(); !strings.Contains(got, tc.want) {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
