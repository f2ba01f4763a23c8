// Package ptytest provides a terminal for tests: a pty that records the output of a
// program and reports the modes that it leaves set. It is never part of the program.
// Start reading at Open.
package ptytest

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// hang is how long a test waits before it fails.
const hang = 60 * time.Second

// Terminal is a pty that records all output.
type Terminal struct {
	Ours   *os.File // the side of the user
	Theirs *os.File // the side of the program

	t      testing.TB
	closed chan struct{} // closed when no process has the terminal open
	seen   int           // bytes of the output that Expect consumed

	mu      sync.Mutex // guards the fields below
	output  strings.Builder
	changed chan struct{} // closed and replaced at each piece of output
}

// Open returns a terminal of that size, which is closed at the end of the test. It
// skips the test if there are no ptys.
func Open(t testing.TB, cols, rows int) *Terminal {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	x := &Terminal{Ours: ours, Theirs: theirs, t: t, closed: make(chan struct{}), changed: make(chan struct{})}
	t.Cleanup(func() {
		_ = theirs.Close()
		_ = ours.Close()
	})
	if err := pty.Setsize(ours, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	go x.read()
	return x
}

func (x *Terminal) read() {
	defer close(x.closed)
	b := make([]byte, 4096)
	for {
		n, err := x.Ours.Read(b)
		x.mu.Lock()
		x.output.Write(b[:n])
		close(x.changed)
		x.changed = make(chan struct{})
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Type sends keys as encoded by a terminal.
func (x *Terminal) Type(keys string) {
	x.t.Helper()
	if _, err := x.Ours.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// Expect waits for text after the text of the last Expect, and returns the output
// between them.
func (x *Terminal) Expect(text string) (between string) {
	x.t.Helper()
	from := x.seen
	x.Until(text, func(output string) bool { return strings.Contains(output[from:], text) })
	rest := x.written()[from:]
	at := strings.Index(rest, text)
	x.seen += at + len(text)
	return rest[:at]
}

// Until waits until ok returns true for all output so far.
func (x *Terminal) Until(what string, ok func(output string) bool) {
	x.t.Helper()
	late := time.After(hang)
	for {
		x.mu.Lock()
		output, changed := x.output.String(), x.changed
		x.mu.Unlock()
		if ok(output) {
			return
		}
		select {
		case <-changed:
		case <-x.closed:
			if output == x.written() {
				x.t.Fatalf("the terminal closed before %q, after %q", what, output)
			}
		case <-late:
			x.t.Fatalf("%q did not come, but %q", what, output)
		}
	}
}

func (x *Terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.output.String()
}

// Whole waits until no process has the terminal open and returns all output.
func (x *Terminal) Whole() string {
	x.t.Helper()
	select {
	case <-x.closed:
	case <-time.After(hang):
		x.t.Fatal("a process still has the terminal open")
	}
	return x.written()
}

// Left returns the modes and other settings that are still changed after output.
func Left(output string) (on []string) {
	left := func(what, set, reset string) {
		if strings.LastIndex(output, "\x1b["+set) > strings.LastIndex(output, "\x1b["+reset) {
			on = append(on, what)
		}
	}
	for _, mode := range []string{"?1049", "?1000", "?1002", "?1003", "?1006", "?2004", "?1004", "?2026", "?2027"} {
		left(mode, mode+"h", mode+"l")
	}
	left("hidden cursor", "?25l", "?25h")
	left("no wrap", "?7l", "?7h")
	left("title", "22;2t", "23;2t")
	left("kitty keys", ">1u", "<u")
	left("other keys", ">4;2m", ">4m")
	return on
}
