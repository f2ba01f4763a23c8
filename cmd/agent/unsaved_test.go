package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// TestSessionCannotBeSaved sends no request if the session cannot be saved, says what
// to do, and does not offer to resume.
func TestSessionCannotBeSaved(t *testing.T) {
	t.Parallel()
	s := serve(t)
	h := newHome(t, nil, at(s)...)
	if err := os.WriteFile(filepath.Join(h.dir, ".local"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := h.agent(t, "run", "hi")
	if code != exit.Failed || !strings.Contains(out, "the session could not be saved") || !strings.Contains(out, "run without saving the session: --no-session") {
		t.Errorf("got exit code %d and %s", code, out)
	}
	a := h.open(t, 100, 30)
	a.wait("? help")
	a.send("hi" + enter)
	a.wait("the session could not be saved", "Free up disk space or fix the cause.")
	a.send(ctrlD)
	a.exit()
	<-a.done
	if said := string(a.raw); !strings.Contains(said, "could not be saved.") || strings.Contains(said, "To resume this session") {
		t.Errorf("got at the end:\n%s", a.screen())
	}
	if n := len(s.seen()); n > 0 {
		t.Errorf("the model was asked %d times", n)
	}
	if out, code := h.agent(t, "run", "--no-session", "hi"); code != exit.Done {
		t.Errorf("got exit code %d and %s", code, out)
	}
}
