//go:build unix

package terminal

import (
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestIncompleteSequences(t *testing.T) {
	for text, want := range map[string]bool{
		"\x1b[": true, "\x1b[<0;": true, "\x1b[1;5": true, "\x1bO": true, "a\x1b[20": true,
		"\x1b": false, "\x1b[A": false, "\x1b[<0;1;1M": false, "a": false, "": false, "\x1bx": false, "\x1b[Ab": false,
	} {
		if got := startsSequence([]byte(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// A sequence whose rest arrives late is read as one.
func TestLateSequence(t *testing.T) {
	keys, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	defer screen.Close()
	if _, err := makeRaw(screen, true); err != nil {
		t.Fatal(err)
	}
	w := &watched{File: screen, tty: &tty{keys: screen, pastes: newPastes(100)}, gone: func() {}}
	if _, err := keys.WriteString("\x1b[1;"); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	time.AfterFunc(60*time.Millisecond, func() {
		_, err := keys.WriteString("5A")
		sent <- err
	})
	got := make([]byte, 100)
	n, err := w.Read(got)
	if err != nil || string(got[:n]) != "\x1b[1;5A" {
		t.Errorf("got %q, %v, want the complete sequence", got[:n], err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// A single ESC byte becomes an unambiguous Escape key. Sequences are unchanged.
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
