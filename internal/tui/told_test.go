package tui

import (
	"strings"
	"testing"
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
