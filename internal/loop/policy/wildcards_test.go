package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// A command whose wildcards match more files than can be looked at needs approval, and rules
// for files may apply to it.
func TestWildcardsWithoutEnd(t *testing.T) {
	dir := project(t, "l/x")
	for i := range 10 {
		if err := os.Symlink(".", filepath.Join(dir, "l", fmt.Sprint("l", i))); err != nil {
			t.Skip(err)
		}
	}
	at := policy.Paths{Workspace: dir, Home: dir, Sandbox: policy.SandboxFull, Room: room(1 << 30)}
	for _, c := range []struct{ rules, command string }{
		{"", "ls l/*/*/*/*/*/*"},
		{"", "x 'l/*/*/*/*/*/*'"},
		{"", "x 'l/*/" + "./././././././././././" + "*/*/*/*/./././././'"},
		{"", "x 'l/*/*/*/'; x 'l/*/*/*/*/'; x 'l/*/*/*/*/*/'"},
		{"deny read: secret.txt; allow command: x", "x 'l/*/*/*/*/*/*'"},
	} {
		for _, mode := range []event.Mode{event.ModeAsk, event.ModeAuto, event.ModeAll} {
			p := policy.Policy{Mode: mode, Rules: rules(t, c.rules)}
			if v := asks(&p, at, run(dir, c.command)); !v.Ask {
				t.Errorf("mode %s, rules %q: %q: got %+v, want a question", mode, c.rules, c.command, v)
			}
		}
	}
}
