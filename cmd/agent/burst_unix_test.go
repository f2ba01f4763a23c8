//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPasteWithoutMarkers pastes several lines on a terminal that does not mark pastes:
// they are one draft, and no line of it runs.
func TestPasteWithoutMarkers(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Noted."), say("Again."), say("Third."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 100, 30)
	a.marks = true
	a.wait("? help")
	a.send("Notes from the wiki:\r!touch PWNED\r/mode all\rend")
	a.wait("Notes from the wiki:", "!touch PWNED", "/mode all", "end")
	a.send(enter)
	a.wait("Noted.", "? help")
	a.send("first line\rsecond line\r") // one Enter at the end sends it
	a.wait("Again.", "? help")
	a.send("!touch PWNED\rzebra\r") // unless it is a command, which needs an Enter of its own
	a.wait("zebra")
	a.send(ctrlC)
	a.gone("zebra")
	a.send("abc\x03\x15!touch PWNED\r") // control characters are text of the paste
	a.wait("Third.", "? help")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if _, err := os.Stat(filepath.Join(h.work, "PWNED")); err == nil {
		t.Error("a line of the paste ran as a command")
	}
	requests := s.seen()
	if len(requests) != 3 || !strings.Contains(requests[0].body, `Notes from the wiki:\n!touch PWNED\n/mode all\nend`) || !strings.Contains(requests[1].body, `first line\nsecond line`) || !strings.Contains(requests[2].body, "!touch PWNED") {
		t.Errorf("got the requests %v", requests)
	}
}
