package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/cmd/agent/exit"
)

// TestToolAsks shows the change and asks for approval on a terminal.
func TestToolAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer, after string
		code          int
	}{
		{"y", "new\n", exit.Done},
		{"yes", "new\n", exit.Done},
		{"", "old\n", exit.Failed},
		{"n", "old\n", exit.Failed},
	} {
		h := newHome(t, map[string]string{"a.txt": "old\n"})
		s := h.open(t, 100, 30, "tool", "edit", `{"path":"a.txt","old":"old","new":"new"}`)
		s.wait("edit a.txt", "-old", "+new", "Run it? [y/N]")
		s.send(c.answer + enter)
		if code := s.exit(); code != c.code {
			t.Errorf("%q: got exit code %d, want %d", c.answer, code, c.code)
		}
		got, err := os.ReadFile(filepath.Join(h.work, "a.txt"))
		if err != nil || string(got) != c.after {
			t.Errorf("%q: the file holds %q, %v, want %q", c.answer, got, err, c.after)
		}
	}
}

func TestToolIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, exit.Interrupted}, {syscall.SIGTERM, exit.Terminated}} {
		s := newHome(t, nil).open(t, 100, 30, "tool", "--yes", "shell", `{"command":"echo begun; sleep 600"}`)
		s.wait("begun")
		s.signal(c.signal)
		s.wait("[interrupted after")
		if code := s.exit(); code != c.code {
			t.Errorf("%s: got exit code %d, want %d", c.signal, code, c.code)
		}
	}
}

// TestToolSanitizesOutput sanitizes output on a terminal.
func TestToolSanitizesOutput(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "one\x1b]0;evil\x07\x1b[31mred\n"})
	s := h.open(t, 100, 30, "tool", "read", `{"path":"a.txt"}`)
	s.wait("one", "red")
	if code := s.exit(); code != exit.Done {
		t.Errorf("got exit code %d", code)
	}
	s = h.open(t, 100, 30, "tool", "shell", `{"command":"cat a.txt # \u001b[31m\n# more"}`)
	s.wait("# more", "Run it?")
	s.send("y" + enter)
	s.wait("[exit 0")
	<-s.done
	if raw := string(s.raw); strings.Contains(raw, "\x1b]0") || strings.Contains(raw, "\x1b[31m") {
		t.Errorf("an escape reached the terminal: %q", raw)
	}
}
