package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agent/internal/tui/terminal/ptytest"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// hang is the time limit after which a test fails as stuck.
const hang = 60 * time.Second

// terminal runs the program in a real pty and draws its output with an emulator.
type terminal struct {
	t       *testing.T
	cmd     *exec.Cmd
	pty     *os.File
	done    chan struct{} // closed when the program has ended and all was drawn
	replied chan struct{} // closed when no more replies are sent to the program

	// marks is set once the program knows that this terminal marks pastes. Set it before the
	// first keys for a terminal that does not.
	marks bool

	mu      sync.Mutex // guards what follows; vt's own safe emulator is not
	em      *vt.Emulator
	changed chan struct{} // closed and replaced at each piece of output
	raw     []byte        // all that the program wrote
}

// open starts the program in h, in a terminal of the given size.
func (h home) open(t *testing.T, cols, rows int, args ...string) *terminal {
	t.Helper()
	return h.openAs(t, "agent", cols, rows, args...)
}

// openAs starts one of the programs of TestMain.
func (h home) openAs(t *testing.T, name string, cols, rows int, args ...string) *terminal {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = h.work, h.env
	s, err := newTerminal(t, cmd, cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// newTerminal starts cmd in a terminal of the given size. The caller closes it.
func newTerminal(t *testing.T, cmd *exec.Cmd, cols, rows int) (*terminal, error) {
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if errors.Is(err, pty.ErrUnsupported) {
		t.Skip("there are no pseudo-terminals here")
	}
	if err != nil {
		return nil, err
	}
	s := &terminal{t: t, cmd: cmd, pty: f, em: vt.NewEmulator(cols, rows), changed: make(chan struct{}), done: make(chan struct{}), replied: make(chan struct{})}
	go s.draw()
	go s.reply()
	return s, nil
}

// draw feeds the emulator until the program ends.
func (s *terminal) draw() {
	defer close(s.done)
	b := make([]byte, 32<<10)
	for {
		n, err := s.pty.Read(b)
		s.mu.Lock()
		s.raw = append(s.raw, b[:n]...)
		s.feed(b[:n])
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// feed draws what the program has written. The emulator panics if a program scrolls in a region
// that a resize has cut off, as a program may that has not heard of the resize yet. The program
// then draws the whole screen again.
func (s *terminal) feed(b []byte) {
	defer func() { _ = recover() }()
	_, _ = s.em.Write(b)
}

// reply answers the program's terminal queries. After the end of the program it drops the
// answers, for which the emulator would wait.
func (s *terminal) reply() {
	defer close(s.replied)
	_, _ = io.Copy(s.pty, s.em)
	_, _ = io.Copy(io.Discard, s.em)
}

func (s *terminal) close() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	_ = s.pty.Close()
	<-s.done
	// Its Close races with its Read; closing its input does not.
	if in, ok := s.em.InputPipe().(io.Closer); ok {
		_ = in.Close()
	}
	<-s.replied
}

// screen returns the text on the screen, without trailing blanks.
func (s *terminal) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for l := range strings.Lines(s.em.String()) {
		b.WriteString(strings.TrimRight(l, " \n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// wait blocks until all texts are on the screen at the same time.
func (s *terminal) wait(texts ...string) {
	s.t.Helper()
	s.until(strings.Join(texts, ", "), func(screen string) bool {
		for _, want := range texts {
			if !strings.Contains(screen, want) {
				return false
			}
		}
		return true
	})
}

// wrote blocks until the program has written text to its terminal.
func (s *terminal) wrote(text string) {
	s.t.Helper()
	s.until("the bytes "+text, func(string) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return bytes.Contains(s.raw, []byte(text))
	})
}

// asked blocks until a dialog with all of texts accepts keys.
func (s *terminal) asked(texts ...string) {
	s.t.Helper()
	s.until("a question with "+strings.Join(texts, ", "), func(screen string) bool {
		for _, want := range texts {
			if !strings.Contains(screen, want) {
				return false
			}
		}
		return strings.Contains(screen, "esc reject") || strings.Contains(screen, "esc interrupt")
	})
}

// gone blocks until text is no longer on the screen.
func (s *terminal) gone(text string) {
	s.t.Helper()
	s.until("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

func (s *terminal) until(what string, ok func(screen string) bool) {
	s.t.Helper()
	limit := time.After(hang)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if ok(s.screen()) {
			return
		}
		select {
		case <-changed:
		case <-s.done:
			if ok(s.screen()) {
				return
			}
			s.t.Fatalf("the program ended before the screen showed %s:\n%s", what, s.screen())
		case <-limit:
			s.t.Fatalf("the screen never showed %s:\n%s", what, s.screen())
		}
	}
}

// send types keys. Before the first ones it pastes nothing, with markers: without that, the
// program takes text with several line ends, which comes faster than anybody types, as a paste.
func (s *terminal) send(keys string) {
	s.t.Helper()
	s.mu.Lock()
	if !s.marks && bytes.Contains(s.raw, []byte(ansi.SetModeBracketedPaste)) {
		s.marks = true
		keys = ansi.BracketedPasteStart + ansi.BracketedPasteEnd + keys
	}
	s.mu.Unlock()
	if _, err := io.WriteString(s.pty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// The key sequences of special keys.
const (
	enter      = "\r"
	escape     = "\x1b"
	ctrlC      = "\x03"
	ctrlD      = "\x04"
	ctrlJ      = "\n"
	shiftEnter = "\x1b[13;2u"
)

func (s *terminal) resize(cols, rows int) {
	s.t.Helper()
	s.mu.Lock()
	s.em.Resize(cols, rows)
	s.mu.Unlock()
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *terminal) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// exit waits until the program exits without a signal and returns its exit code.
func (s *terminal) exit() int {
	s.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
			s.t.Fatal(err)
		}
	case <-time.After(hang):
		_ = s.cmd.Process.Kill()
		<-ended
		s.t.Fatalf("the program did not end:\n%s", s.screen())
	}
	return s.cmd.ProcessState.ExitCode()
}

// restored returns an error unless the terminal was restored when the program
// exited.
func (s *terminal) restored() error {
	<-s.done
	return s.modesOff()
}

// modesOff returns an error unless all terminal modes are reset and the normal
// screen is shown.
func (s *terminal) modesOff() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on := ptytest.Left(string(s.raw)); on != nil {
		return fmt.Errorf("left on: %q", on)
	}
	if s.em.IsAltScreen() {
		return errors.New("the alternate screen is still on")
	}
	return nil
}
