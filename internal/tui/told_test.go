package tui

import (
	"strings"
	"testing"

	"agent/internal/loop"
)

// What is told of a session that goes on stands where the screen begins, which
// is at its end.
func TestNoticesOfResumed(t *testing.T) {
	const notice = "This session works in ~/src/blog, where it began."
	d := newDriver(t, 80, 24, Options{History: long(60), Notices: []string{notice}})
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
		d := newDriver(t, 80, 24, Options{Model: "acme/small", History: long(60)})
		d.press("ctrl+home")
		d.enter(typed)
		d.press("enter")
		d.events(loop.Notice{Text: "this is the answer"})
		if got := d.screen(); !strings.Contains(got, "this is the answer") {
			t.Errorf("%s: the answer is out of sight:\n%s", typed, got)
		}
	}
}
