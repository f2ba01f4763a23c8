package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// Failed, rejected and interrupted calls show the error text for the user, the rejected
// diff, and the output until the interrupt.
func TestFailedCallsStayReadable(t *testing.T) {
	failed := result("1", "read ../up.go", "read", event.Failed, "", "../up.go is outside. Ask the user", 0)
	failed.Error = "../up.go is outside"
	rejected := result("2", "edit main.go", "write", event.Refused, "", "rejected", 0)
	rejected.Proposed = []event.Diff{{Path: "main.go", Unified: "@@ -1 +1 @@\n-old line\n+new line\n", Added: 1, Removed: 1}}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "read"), call("r1", "2", "edit"), call("r1", "3", "shell"), failed, rejected,
		start("3", "shell make", "execute"), result("3", "shell make", "execute", event.Interrupted, "interrupted · 1 line", "interrupted by the user; until then:\ncompiled half\n", time.Second))
	for _, want := range []string{"read  ../up.go", "../up.go is outside", "new line", "compiled half"} {
		if !strings.Contains(d.screen(), want) {
			t.Errorf("%q is missing on the screen:\n%s", want, d.screen())
		}
	}
	if strings.Contains(d.screen(), "Ask the user") {
		t.Errorf("the screen shows text for the model:\n%s", d.screen())
	}
}
