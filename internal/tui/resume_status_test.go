package tui

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// What is told of a session that goes on stands where the screen begins, which
// is at its end.
func TestNoticesOfResumed(t *testing.T) {
	const notice = "This session works in ~/src/blog, where it began."
	d := newDriver(t, 80, 24, screen.Options{Notices: []string{notice}, Session: screen.Session{History: long(60)}})
	if got := d.screen(); !strings.Contains(got, notice) {
		t.Errorf("it is out of sight:\n%s", got)
	}
	d.press("ctrl+home")
	if got := d.screen(); strings.Contains(got, notice) {
		t.Errorf("it stands at the beginning:\n%s", got)
	}
}

// Whoever reads further up and types a command sees what it says.
func TestCommandsShowTheEnd(t *testing.T) {
	for _, typed := range []string{"/model acme/large", "/compact", "/rename it", "/jobs stop 9", "/jobs", "/effort high"} {
		d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{Name: "acme/small"}, Session: screen.Session{History: long(60)}})
		d.press("ctrl+home")
		d.typeText(typed)
		d.press("enter")
		d.events(event.Notice{Text: "this is the answer"})
		if got := d.screen(); !strings.Contains(got, "this is the answer") {
			t.Errorf("%s: the answer is out of sight:\n%s", typed, got)
		}
	}
}

// A session that goes on with another model or in another mode than it had says
// so at once: what it had is past.
func TestResumedOtherwise(t *testing.T) {
	past := append([]event.Event{&event.ModelSet{Model: "acme/large", Effort: "high"}, &event.ModeSet{Mode: "all"}}, long(5)...)
	d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{Name: "acme/small", Why: "you said so"}, Session: screen.Session{Mode: "ask", History: past}})
	d.events(event.Opened{Events: len(past), Bounds: []int{0}, Model: "acme/large", Mode: "all"})
	lines := strings.Split(strings.TrimSpace(d.screen()), "\n")
	if got := lines[len(lines)-1]; !strings.HasPrefix(got, "acme/small · ") || !strings.HasSuffix(got, "   ask") {
		t.Errorf("the last line says %q", got)
	}
}
