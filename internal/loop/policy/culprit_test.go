package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// The verdict on a line of several commands names the first one that needs approval.
func TestPartThatNeedsApproval(t *testing.T) {
	dir, home := project(t, "main.go"), project(t, "notes.txt")
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := policy.Paths{Workspace: dir, Home: home, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	for _, c := range []struct {
		mode              event.Mode
		rules, line, want string
	}{
		{event.ModeAuto, "", "make && git commit -qam x && ls", "git commit -qam x"},
		{event.ModeAuto, "", "git add . && git push origin main", "git push origin main"},
		{event.ModeAll, "", "make; curl -s https://example.org | head", "curl -s https://example.org"},
		{event.ModeAll, "", "cd " + os.TempDir() + "; rm -rf " + home + "/x", "rm -rf " + home + "/x"},
		{event.ModeAuto, "", "make && cp " + home + "/notes.txt .", "cp " + home + "/notes.txt ."},
		{event.ModeAsk, "", "ls && make | tail", "make"},
		{event.ModeAsk, "allow command: make", "make && touch x", "touch x"},
		{event.ModeAsk, "", "make", ""},
		{event.ModeAll, "", "make && ls", ""},
	} {
		v := asks(&policy.Policy{Mode: c.mode, Rules: rules(t, c.rules)}, at, run(dir, c.line))
		if v.Part != c.want {
			t.Errorf("%s in %s: %q, want %q (%s)", c.line, c.mode, v.Part, c.want, v.Rule)
		}
	}
}
