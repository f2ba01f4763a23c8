package main

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"agent/cmd/agent/exit"
)

// TestLoginOnTerminal asks before it stores an API key in a file, reads the key without echo
// and restores the terminal.
func TestLoginOnTerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	none := h.open(t, 100, 24, "login", "groq")
	none.wait(`To store it there, type "file". To cancel, press Enter:`)
	none.send("yes" + enter)
	none.wait("cancelled: the API key was not stored")
	if code := none.exit(); code != exit.Failed || !strings.Contains(none.screen(), "~/.local/state/agent/credentials/secrets.json") || !strings.Contains(none.screen(), "not encrypted") {
		t.Errorf("got exit code %d and\n%s", code, none.screen())
	}
	a := h.open(t, 100, 24, "login", "groq")
	a.wait("To cancel, press Enter:")
	a.send("file" + enter)
	a.wait("API key for groq (not echoed):")
	waitFor(t, "the terminal to hide the input", func() bool { return !shows(t, a) })
	a.send("sk-typed" + enter)
	a.wait("Stored the API key for groq in the file ~/.local/state/agent/credentials/secrets.json.")
	if code := a.exit(); code != exit.Done || strings.Contains(a.screen(), "sk-typed") {
		t.Errorf("got exit code %d and\n%s", code, a.screen())
	}
	b := h.open(t, 100, 24, "login", "groq")
	b.wait("To cancel, press Enter:")
	b.send("file" + enter)
	b.wait("API key for groq (not echoed):")
	waitFor(t, "the terminal to hide the input", func() bool { return !shows(t, b) })
	b.send("\x03")
	if code := b.exit(); code != exit.Interrupted {
		t.Errorf("got exit code %d after Ctrl+C", code)
	}
	if !shows(t, b) {
		t.Error("the terminal no longer echoes input")
	}
}

// shows reports whether the terminal echoes input.
func shows(t *testing.T, a *terminal) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(a.pty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}
