//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"agent/cmd/agent/exit"
)

// asked is a way to end the program, and the expected exit code.
type asked struct {
	signals []syscall.Signal
	code    int
}

// waysToAsk are the ways to end the program.
var waysToAsk = []asked{
	{[]syscall.Signal{syscall.SIGINT, syscall.SIGINT}, exit.Interrupted},
	{[]syscall.Signal{syscall.SIGTERM}, exit.Terminated},
	{[]syscall.Signal{syscall.SIGHUP}, exit.Hangup},
}

// ends collects how long programs took to exit.
type ends struct {
	mu    sync.Mutex
	all   int
	worst time.Duration
}

func (e *ends) add(took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all++
	e.worst = max(e.worst, took)
}

// end ends a program and waits for its exit. It sends consecutive signals far
// enough apart to be counted.
func (e *ends) end(t *testing.T, cmd *exec.Cmd, way asked) {
	t.Helper()
	for i, s := range way.signals {
		if i > 0 {
			time.Sleep(100 * time.Millisecond)
		}
		if err := cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
	}
	e.ended(t, cmd, way.code)
}

// ended waits for the exit of a program that was just ended.
func (e *ends) ended(t *testing.T, cmd *exec.Cmd, code int) {
	t.Helper()
	began := time.Now()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_ = cmd.Wait()
	}()
	select {
	case <-waited:
		e.add(time.Since(began))
	case <-time.After(hang):
		_ = cmd.Process.Kill()
		<-waited
		t.Fatal("the program did not end")
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("got exit code %d (%s), want %d", got, cmd.ProcessState, code)
	}
}

// start starts the program under one of its names, without a terminal.
func (h home) start(t *testing.T, stdin io.Reader, stdout io.Writer, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := h.command(args...)
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Args[0] = path, path
	cmd.Stdin, cmd.Stdout = stdin, stdout
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
		}
	})
	return cmd
}

// openPipe returns a pipe that stays open during the test.
func openPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	return r, w
}

// fullPipe returns a full pipe that is never read.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	_, w := openPipe(t)
	var err error
	for err == nil {
		if err = w.SetWriteDeadline(time.Now().Add(10 * time.Millisecond)); err == nil {
			_, err = w.Write(make([]byte, 4096))
		}
	}
	return w
}

// began waits for the file that the stuck tool creates.
func (h home) began(t *testing.T) {
	t.Helper()
	waitFor(t, "the tool to run", func() bool {
		_, err := os.Stat(filepath.Join(h.work, stuckFile))
		return err == nil
	})
}

// silent returns the address of a server that accepts connections and never
// answers.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return "http://" + l.Addr().String()
}

// TestProgramExitsOnSignals ends the program in every state, by two interrupts or
// one other signal.
func TestProgramExitsOnSignals(t *testing.T) {
	t.Parallel()
	e := &ends{}
	t.Run("", func(t *testing.T) { // waits for those that run in parallel
		for _, way := range waysToAsk {
			for name, busy := range busyPrograms(e) {
				t.Run(fmt.Sprintf("%s %v", name, way.signals), func(t *testing.T) {
					t.Parallel()
					busy(t, way)
				})
			}
		}
	})
	t.Attr("promise", fmt.Sprintf("the second interrupt, SIGTERM or a hangup ends the program, in every state (%d cases), in ms at most: %d", e.all, e.worst.Milliseconds()))
}

// busyPrograms returns programs without a screen that are stuck, by their
// state.
func busyPrograms(e *ends) map[string]func(*testing.T, asked) {
	stuckCall := call("stuck", `{}`)
	return map[string]func(*testing.T, asked){
		"run, in a tool that ignores the end": func(t *testing.T, way asked) {
			h := newHome(t, nil, at(serve(t, stuckCall))...)
			cmd := h.start(t, nil, io.Discard, "agent-stuck", "run")
			h.began(t)
			e.end(t, cmd, way)
		},
		"tool, which ignores the end": func(t *testing.T, way asked) {
			h := newHome(t, nil)
			cmd := h.start(t, nil, io.Discard, "agent-stuck", "tool")
			h.began(t)
			e.end(t, cmd, way)
		},
		"plain, in a tool that ignores the end": func(t *testing.T, way asked) {
			h := newHome(t, nil, at(serve(t, stuckCall))...)
			in, keep := openPipe(t)
			_, _ = io.WriteString(keep, "begin\n")
			cmd := h.start(t, in, io.Discard, "agent-stuck", "plain")
			h.began(t)
			e.end(t, cmd, way)
		},
		"run, with unread output": func(t *testing.T, way asked) {
			s := serve(t, say("An answer."))
			h := newHome(t, nil, at(s)...)
			cmd := h.start(t, nil, fullPipe(t), "agent", "run", "talk")
			waitFor(t, "the request", func() bool { return len(s.seen()) > 0 })
			e.end(t, cmd, way)
		},
		"demo, with unread output": func(t *testing.T, way asked) {
			h := newHome(t, nil, "TMPDIR="+t.TempDir())
			cmd := h.start(t, nil, fullPipe(t), "agent", "demo", "--plain")
			tmp := strings.TrimPrefix(h.env[len(h.env)-1], "TMPDIR=")
			waitFor(t, "the demo to begin", func() bool {
				made, _ := filepath.Glob(filepath.Join(tmp, "agent-demo-*", "sample", "*"))
				return len(made) > 0
			})
			e.end(t, cmd, way)
		},
		"run, while the server never answers": func(t *testing.T, way asked) {
			h := newHome(t, nil, "OPENAI_BASE_URL="+silent(t)+"/v1", "OPENAI_API_KEY="+testKey)
			notes := newNotes()
			cmd := h.command("run", "--output", "stream-json", "talk")
			cmd.Stdout, cmd.WaitDelay = notes, time.Second
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			notes.wait(t, `"user"`)
			e.end(t, cmd, way)
		},
		"run, reading standard input": func(t *testing.T, way asked) {
			in, _ := openPipe(t)
			notes := newNotes()
			h := newHome(t, nil)
			cmd := h.command("run")
			cmd.Stdin, cmd.Stderr, cmd.WaitDelay = in, notes, time.Second
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			notes.wait(t, "Reading the prompt from standard input")
			e.end(t, cmd, asked{way.signals[:1], way.code}) // one is enough here
		},
		"run, in a command that prints a key": func(t *testing.T, way asked) {
			h := newHome(t, nil)
			pid := filepath.Join(h.dir, "pid")
			h.configure(t, `{"model":"groq/x","providers":{"groq":{"key":{"command":"echo $$ >`+pid+`; exec sleep 600"}}}}`)
			cmd := h.start(t, nil, io.Discard, "agent", "run", "talk")
			var key int
			waitFor(t, "the command to run", func() bool {
				b, _ := os.ReadFile(pid)
				n, _ := fmt.Sscan(string(b), &key)
				return n == 1
			})
			e.end(t, cmd, asked{way.signals[:1], way.code})
			waitFor(t, "the command to be gone", func() bool { return syscall.Kill(key, 0) != nil })
		},
		"run, opening a file that never comes": func(t *testing.T, way asked) {
			h := newHome(t, nil)
			fifo := filepath.Join(h.work, "schema.json")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip(err)
			}
			cmd := h.start(t, nil, io.Discard, "agent", "run", "--schema", fifo, "talk")
			waitFor(t, "the file to be opened", func() bool { // the write end cannot be opened earlier
				fd, err := syscall.Open(fifo, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
				if err == nil {
					t.Cleanup(func() { _ = syscall.Close(fd) })
				}
				return err == nil
			})
			e.end(t, cmd, asked{way.signals[:1], way.code})
		},
		"sessions export, with unread output": func(t *testing.T, way asked) {
			h := newHome(t, nil, at(serve(t, say(numbers(50_000))))...)
			if out, code := h.agent(t, "run", "talk"); code != exit.Done {
				t.Fatalf("got exit code %d: %s", code, out)
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := h.start(t, nil, w, "agent", "sessions", "export", h.ids(t)[0])
			_ = w.Close()
			if _, err := r.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			e.end(t, cmd, asked{way.signals[:1], way.code})
		},
	}
}

// notes records the output of a program.
type notes struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

func newNotes() *notes { return &notes{changed: make(chan struct{}, 1)} }

func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case n.changed <- struct{}{}:
	default:
	}
	return n.text.Write(b)
}

// wait blocks until text was written.
func (n *notes) wait(t *testing.T, text string) {
	t.Helper()
	limit := time.After(hang)
	for {
		n.mu.Lock()
		have := n.text.String()
		n.mu.Unlock()
		if strings.Contains(have, text) {
			return
		}
		select {
		case <-n.changed:
		case <-limit:
			t.Fatalf("the program wrote %q and never %q", have, text)
		}
	}
}

// TestScreenExitsOnInterrupts interrupts a stuck turn twice with keys.
func TestScreenExitsOnInterrupts(t *testing.T) {
	t.Parallel()
	e := &ends{}
	t.Run("", func(t *testing.T) {
		for name, c := range map[string]struct {
			ask  func(*terminal)
			code int
		}{
			"ctrl+c twice":      {func(s *terminal) { s.send(ctrlC); s.wait("interrupting"); s.send(ctrlC) }, exit.Interrupted},
			"SIGTERM":           {func(s *terminal) { s.signal(syscall.SIGTERM) }, exit.Terminated},
			"SIGHUP":            {func(s *terminal) { s.signal(syscall.SIGHUP) }, exit.Hangup},
			"leaving":           {func(s *terminal) { s.send(ctrlD) }, exit.Failed}, // in order it would be exit.Done
			"ctrl+c and SIGINT": {func(s *terminal) { s.send(ctrlC); s.wait("interrupting"); s.signal(syscall.SIGINT) }, exit.Interrupted},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := newHome(t, nil, at(serve(t, call("stuck", `{}`), say("Here again.")))...)
				s := h.openAs(t, "agent-stuck", 100, 24, "screen")
				s.wait("? help")
				s.send("begin" + enter)
				h.began(t)
				s.wait("stuck")
				c.ask(s)
				e.ended(t, s.cmd, c.code)
				if err := s.restored(); err != nil {
					t.Error(err)
				}
				again := h.open(t, 100, 24, "--continue")
				again.wait("begin", "? help")
				again.send("again" + enter)
				again.wait("Here again.")
			})
		}
	})
	t.Attr("promise", fmt.Sprintf("the second ctrl+c, a signal or leaving ends a turn that cannot be stopped, with the terminal restored: cases tried: %d", e.all))
}

// TestSecondInterruptEndsTheTurn ends a turn after the second interrupt, which
// must not end the program.
func TestSecondInterruptEndsTheTurn(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil, at(serve(t, call("shell", `{"command":"trap '' TERM; echo begun-$((40+2)); while :; do sleep 1; done"}`), say("Here again.")))...)
	s := h.open(t, 100, 24, "--mode", "all")
	s.wait("? help")
	s.send("begin" + enter)
	s.wait("begun-42")
	s.send(ctrlC)
	s.wait("interrupting")
	s.send(ctrlC)
	s.wait("interrupted", "? help")
	s.stays(exit.TimeLimit + 500*time.Millisecond)
	s.send("again" + enter)
	s.wait("Here again.")
	s.send(ctrlD)
	if code := s.exit(); code != exit.Done {
		t.Errorf("got exit code %d, want %d", code, exit.Done)
	}
}

// stays fails the test if the program exits before d is over.
func (s *terminal) stays(d time.Duration) {
	s.t.Helper()
	select {
	case <-s.done:
		s.t.Fatal("the program ended")
	case <-time.After(d):
	}
}

// TestNothingIsPrintedOverAnEditor ends the program while the user's editor has the
// terminal. The editor keeps running and the program prints nothing.
func TestNothingIsPrintedOverAnEditor(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil, append(at(serve(t, say("An answer."))), "EDITOR=trap '' HUP; printf 'EDI''TING'; until test -e closed; do sleep 0.02; done; printf 'CLO''SED'; true")...)
	s := h.open(t, 100, 24)
	s.wait("? help")
	s.send("talk" + enter)
	s.wait("An answer.", "? help")
	s.send("\x18\x05")
	s.wait("EDITING")
	s.signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	if err := os.WriteFile(filepath.Join(h.work, "closed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-s.done
	_, after, _ := strings.Cut(string(s.raw), "EDITING")
	if after != "CLOSED" {
		t.Errorf("the program wrote %q over the editor", after)
	}
}

// TestBlockedScreenExitsOnSignals ends the program by signals while an editor has the
// terminal, or the terminal is blocked.
func TestBlockedScreenExitsOnSignals(t *testing.T) {
	t.Parallel()
	e := &ends{}
	for _, way := range waysToAsk[1:] {
		h := newHome(t, nil, append(at(serve(t)), "EDITOR=sleep 600; true")...)
		s := h.open(t, 100, 24)
		s.wait("? help")
		s.send("\x18\x05")
		s.wait("The draft is open in your editor")
		e.end(t, s.cmd, way)

		s2 := serve(t, say(numbers(4000)))
		blocked := newHome(t, nil, at(s2)...).command("talk to me")
		f, err := pty.StartWithSize(blocked, &pty.Winsize{Cols: 100, Rows: 24})
		if err != nil {
			t.Skip(err)
		}
		waitFor(t, "the request", func() bool { return len(s2.seen()) > 0 })
		e.end(t, blocked, way)
		_ = f.Close()
	}
	t.Attr("promise", fmt.Sprintf("a screen that is held up by an editor or its terminal ends (%d cases), in ms at most: %d", e.all, e.worst.Milliseconds()))
}
