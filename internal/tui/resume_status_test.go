package tui

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// The notices of a resumed session are shown at the end of the transcript.
func TestNoticesOfResumedSession(t *testing.T) {
	const notice = "This session works in ~/src/blog, where it began."
	d := newDriver(t, 80, 24, screen.Options{Notices: []string{notice}, Session: screen.Session{History: long(60)}})
	if got := d.screen(); !strings.Contains(got, notice) {
		t.Errorf("the notice is not visible:\n%s", got)
	}
	d.press("ctrl+home")
	if got := d.screen(); strings.Contains(got, notice) {
		t.Errorf("the notice is at the beginning:\n%s", got)
	}
}

// A command scrolls to the end, so that its output is visible.
func TestCommandsScrollToTheEnd(t *testing.T) {
	for _, typed := range []string{"/model acme/large", "/compact", "/rename it", "/jobs stop 9", "/jobs", "/effort high"} {
		d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{Name: "acme/small"}, Session: screen.Session{History: long(60)}})
		d.press("ctrl+home")
		d.typeText(typed)
		d.press("enter")
		d.events(event.Notice{Text: "this is the answer"})
		if got := d.screen(); !strings.Contains(got, "this is the answer") {
			t.Errorf("%s: the output is not visible:\n%s", typed, got)
		}
	}
}

// After resuming with another model or permission mode, the status line shows the
// current ones, not those of the history.
func TestResumedWithOtherSettings(t *testing.T) {
	past := append([]event.Event{&event.ModelSet{Model: "acme/large", Effort: "high"}, &event.ModeSet{Mode: "all"}}, long(5)...)
	d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{Name: "acme/small", Why: "you said so"}, Session: screen.Session{Mode: "ask", History: past}})
	d.events(event.Opened{Events: len(past), Bounds: []int{0}, Model: "acme/large", Mode: "all"})
	lines := strings.Split(strings.TrimSpace(d.screen()), "\n")
	if got := lines[len(lines)-1]; !strings.HasPrefix(got, "acme/small · ") || !strings.HasSuffix(got, "   ask") {
		t.Errorf("the status line is %q", got)
	}
}
