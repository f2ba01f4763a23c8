//go:build unix

package terminal

import (
	"testing"

	"github.com/creack/pty"
)

// A lone Escape byte becomes the complete Escape key. One that begins a sequence
// stays as it is.
func TestEscapeKey(t *testing.T) {
	for typed, want := range map[string]string{
		"\x1b":      "\x1b[27u",
		"\x1b[A":    "\x1b[A",
		"\x1b\x1b":  "\x1b\x1b",
		"a":         "a",
		"\x1b[27u":  "\x1b[27u",
		"\x1b[200~": "\x1b[200~",
	} {
		keys, screen, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer keys.Close()
		defer screen.Close()
		term := &tty{keys: screen, pastes: newPastes(100)}
		if _, err := makeRaw(screen, true); err != nil {
			t.Fatal(err)
		}
		if _, err := keys.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 100)
		n, err := (&watched{File: screen, tty: term, gone: func() {}}).Read(got)
		if err != nil || string(got[:n]) != want {
			t.Errorf("%q: got %q, %v, want %q", typed, got[:n], err, want)
		}
	}
}
