//go:build unix

package tui

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop"
)

// runEnd is what Run returned.
type runEnd struct {
	exit Exit
	err  error
}

// window is a pseudo terminal with a running screen in it.
type window struct {
	t        *testing.T
	ptm, pts *os.File
	output   chan string // closed when the terminal is
	seen     strings.Builder
	events   chan loop.Event
	commands chan loop.Command
	ended    chan runEnd
	before   *term.State
}

func openTerminal(t *testing.T, ctx context.Context) *window {
	t.Helper()
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { ptm.Close(); pts.Close() })
	if err := pty.Setsize(ptm, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(pts.Fd())
	if err != nil {
		t.Fatal(err)
	}
	term := &window{t: t, ptm: ptm, pts: pts, output: make(chan string, 1000), before: before,
		events: make(chan loop.Event), commands: make(chan loop.Command), ended: make(chan runEnd, 1)}
	go func() {
		defer close(term.output)
		b := make([]byte, 4096)
		for {
			n, err := ptm.Read(b)
			if err != nil {
				return
			}
			term.output <- string(b[:n])
		}
	}()
	go func() {
		exit, err := Run(ctx, Options{Events: term.events, Commands: term.commands, Version: "0.1", Mode: "ask", Input: pts, Output: pts})
		term.ended <- runEnd{exit, err}
	}()
	return term
}

// expect waits until the terminal was sent text, and forgets what came before.
func (x *window) expect(text string) {
	x.t.Helper()
	late := time.After(20 * time.Second)
	for !strings.Contains(x.seen.String(), text) {
		select {
		case s, ok := <-x.output:
			if !ok {
				x.t.Fatalf("the terminal closed before %q", text)
			}
			x.seen.WriteString(s)
		case <-late:
			x.t.Fatalf("%q did not come, but %q", text, x.seen.String())
		}
	}
	rest := x.seen.String()[strings.Index(x.seen.String(), text)+len(text):]
	x.seen.Reset()
	x.seen.WriteString(rest)
}

// command waits for a command to the agent that is more than a draft.
func (x *window) command() loop.Command {
	for {
		c := <-x.commands
		if _, draft := c.(loop.SaveDraft); !draft {
			return c
		}
	}
}

func (x *window) keys(s string) {
	x.t.Helper()
	if _, err := x.ptm.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// end waits for the end and sees to it that the terminal is as it was.
func (x *window) end() Exit {
	x.t.Helper()
	end := <-x.ended
	if end.err != nil {
		x.t.Error(end.err)
	}
	for _, reset := range []string{"\x1b[?2004l", "\x1b[?1049l"} {
		if !strings.Contains(x.seen.String(), reset) {
			x.expect(reset)
		}
	}
	after, err := term.GetState(x.pts.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	if diff := cmp.Diff(after, x.before, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		x.t.Errorf("the terminal is not as it was (-got +want):\n%s", diff)
	}
	return end.exit
}

func TestRun(t *testing.T) {
	x := openTerminal(t, t.Context())
	x.expect("agent 0.1")
	x.keys("hello\r")
	if diff := cmp.Diff(x.command(), loop.Command(loop.Prompt{Text: "hello"})); diff != "" {
		t.Errorf("command (-got +want):\n%s", diff)
	}
	x.events <- userSaid("hello")
	x.events <- streamed("r1", "Well met")
	x.expect("Well met")
	x.keys("\x03")
	if diff := cmp.Diff(x.command(), loop.Command(loop.Interrupt{})); diff != "" {
		t.Errorf("command (-got +want):\n%s", diff)
	}
	x.events <- done(llm.Assistant, "r1", "Well met.")
	x.events <- turnEnd(loop.UserInterrupt, time.Second)
	x.expect("stopped")
	x.keys("\x04")
	if diff := cmp.Diff(x.end(), Exit{LastAnswer: "Well met.", Turns: 1}); diff != "" {
		t.Errorf("exit (-got +want):\n%s", diff)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := openTerminal(t, ctx)
	x.expect("agent 0.1")
	x.events <- userSaid("hello")
	cancel()
	x.end()
}

func TestRunEndsWithTheAgent(t *testing.T) {
	x := openTerminal(t, t.Context())
	x.expect("agent 0.1")
	close(x.events)
	x.end()
}

// A terminal that is gone holds nothing up.
func TestRunOutlivesItsTerminal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := openTerminal(t, ctx)
	x.expect("agent 0.1")
	x.ptm.Close()
	cancel()
	<-x.ended
}
