package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"agent/cmd/agent/exit"
)

const ctrlZ = "\x1a"

// TestInterruptSignal sends SIGINT, which acts like ctrl+c: it interrupts the turn,
// and twice on an empty prompt it quits.
func TestInterruptSignal(t *testing.T) {
	t.Parallel()
	s := serve(t, begin("A long answer that is under "))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("tell me" + enter)
	a.wait("A long answer that is under")
	a.signal(syscall.SIGINT)
	a.wait("interrupted", "? help")
	<-s.dropped
	a.signal(syscall.SIGINT)
	a.wait("again to quit")
	a.signal(syscall.SIGINT)
	if code := a.exit(); code != exit.Done {
		t.Errorf("got exit code %d, want %d", code, exit.Done)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
}

// TestQuitSignal writes the goroutine stacks to a file on SIGQUIT, restores the
// terminal, and the session can be resumed.
func TestQuitSignal(t *testing.T) {
	t.Parallel()
	s := serve(t, begin("A long answer that is under "), say("Here again."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 120, 24)
	a.wait("? help")
	a.send("tell me" + enter)
	a.wait("A long answer that is under")
	a.signal(syscall.SIGQUIT)
	if code := a.exit(); code != exit.Quit {
		t.Errorf("got exit code %d, want %d", code, exit.Quit)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
	report := onlyFault(t, h)
	if !strings.Contains(report, "goroutine ") || !strings.Contains(report, "turn.(*Turn).Run") {
		t.Errorf("got %q, want the stacks of all goroutines", report)
	}
	if got := a.screen(); !strings.Contains(strings.Join(strings.Fields(got), ""), filepath.Join(h.dir, ".local/state/agent/faults")) {
		t.Errorf("got this on the normal screen, want where that is:\n%s", got)
	}
	b := h.open(t, 80, 24, "--continue")
	b.wait("A long answer that is under", "interrupted", "? help")
	b.send("again" + enter)
	b.wait("Here again.")
}

// onlyFault returns the content of the only crash report.
func onlyFault(t *testing.T, h home) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(h.dir, ".local/state/agent/faults/*"))
	if len(files) != 1 {
		t.Fatalf("got %q, want one crash report", files)
	}
	report, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(report)
}

// TestCrashInATurn crashes during a turn: the terminal is restored and the session
// can be resumed.
func TestCrashInATurn(t *testing.T) {
	t.Parallel()
	s := serve(t, begin("A long answer that is under "), say("Here again."))
	h := newHome(t, nil, at(s)...)
	a := h.openAs(t, "agent-with-a-fault", 120, 24)
	a.wait("? help")
	a.send("tell me" + enter)
	a.wait("A long answer that is under")
	a.signal(syscall.SIGUSR1)
	if code := a.exit(); code != 2 {
		t.Errorf("got exit code %d, want 2", code)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
	if report := onlyFault(t, h); !strings.Contains(report, "panic: a fault on purpose") {
		t.Errorf("got %q, want the fault", report)
	}
	if got := a.screen(); !strings.Contains(got, "agent --continue") || strings.Contains(got, "goroutine") {
		t.Errorf("got this on the normal screen, want how to resume and no stack trace:\n%s", got)
	}
	b := h.open(t, 80, 24, "--continue")
	b.wait("the program exited during this turn", "enter to continue")
	b.send(enter)
	b.wait("Here again.")
}

// shell is a shell with job control in a terminal.
func (h home) shell(t *testing.T, cols, rows int) *terminal {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	agent, err := exec.LookPath("agent")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--norc", "--noprofile", "--noediting", "-i")
	cmd.Dir, cmd.Env = h.work, append(h.env, "PS1=ready> ", "HISTFILE=/dev/null", "AGENT="+agent)
	s, err := newTerminal(t, cmd, cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	s.wait("ready>")
	return s
}

// quietFor fails the test if anything is written during d.
func (s *terminal) quietFor(d time.Duration) {
	s.t.Helper()
	s.mu.Lock()
	before := len(s.raw)
	s.mu.Unlock()
	time.Sleep(d) // no event reports that there is no output
	s.mu.Lock()
	defer s.mu.Unlock()
	if after := s.raw[before:]; len(after) > 0 {
		s.t.Errorf("%q was written", after)
	}
}

// TestSuspendInAShell suspends with ctrl+z: the terminal is restored, the turn
// continues in the background without output, and fg redraws the screen.
func TestSuspendInAShell(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	s := serve(t, answer{text: "The first half", then: more, more: " and the second."}, say("Still here."))
	h := newHome(t, nil, at(s)...)
	a := h.shell(t, 80, 24)
	a.send("stty -g >before; \"$AGENT\"\n")
	a.wait("? help")
	a.send("tell me" + enter)
	a.wait("The first half")
	a.send(ctrlZ)
	a.wait("Stopped", "ready>")
	a.gone("The first half")
	a.send("stty -g >after; cmp before after && echo the' 'same\n")
	a.wait("the same") // differs from the typed text
	if err := a.modesOff(); err != nil {
		t.Error(err)
	}
	a.send("bg; clear\n")
	a.gone("the same")
	a.wait("ready>")
	close(more)
	a.quietFor(300 * time.Millisecond)
	a.send("echo typed' 'in the shell\n")
	a.wait("typed in the shell")
	a.resize(100, 30)
	a.send("fg\n")
	a.wait("The first half and the second.", "? help")
	a.gone("typed in the shell")
	a.until("all of its 30 lines", func(screen string) bool { return strings.Count(screen, "\n") == 30 })
	a.send("and now" + enter)
	a.wait("Still here.", "? help")
	a.send(ctrlD)
	a.wait("agent --resume")
	a.send("stty -g >after; cmp before after; echo all' 'done\n")
	a.wait("all done")
	if err := a.modesOff(); err != nil {
		t.Error(err)
	}
}

// TestStopAndContinue suspends without a shell that does job control; SIGCONT
// continues the program. A SIGSTOP behaves the same.
func TestStopAndContinue(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil, at(serve(t))...)
	a := h.open(t, 80, 24)
	for what, stop := range map[string]func(){
		"ctrl+z":  func() { a.send(ctrlZ) },
		"SIGTSTP": func() { a.signal(syscall.SIGTSTP) },
		"SIGSTOP": func() { a.signal(syscall.SIGSTOP) },
	} {
		a.wait("? help")
		stop()
		waitFor(t, what+" to stop the program", func() bool { return a.stopped() })
		if what != "SIGSTOP" {
			// Earlier output can still arrive.
			waitFor(t, "the terminal to be restored after "+what, func() bool { return a.modesOff() == nil })
		}
		a.mu.Lock()
		_, _ = a.em.Write([]byte("\x1b[2J")) // another program has drawn there
		a.mu.Unlock()
		a.signal(syscall.SIGCONT)
		a.wait("agent "+version, "? help")
		a.send("x")
		a.wait("› x")
		a.send("\x15")
		a.gone("› x")
	}
	a.send(ctrlD)
	if code := a.exit(); code != exit.Done {
		t.Errorf("got exit code %d, want %d", code, exit.Done)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
}

// stopped reports whether the process is stopped.
func (s *terminal) stopped() bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	return bytes.Contains(stat, []byte(") T "))
}

// TestResizeStorm resizes the window many times while an answer streams, and checks
// the final screen.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	s := serve(t, answer{text: strings.Repeat("Words that stream along. ", 40), hold: true}, say("All is well."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("tell me" + enter)
	a.wait("Words that stream")
	sizes := [][2]int{{1, 1}, {500, 200}, {0, 0}, {40, 12}, {3, 50}, {200, 2}, {80, 24}}
	for i := range 1000 {
		size := sizes[i%len(sizes)]
		if err := pty.Setsize(a.pty, &pty.Winsize{Cols: uint16(size[0]), Rows: uint16(size[1])}); err != nil {
			t.Fatal(err)
		}
	}
	a.resize(80, 24)
	a.wait("Words that stream along.", "esc to interrupt")
	a.send(escape)
	a.wait("interrupted", "? help")
	a.send("and now" + enter)
	a.wait("All is well.", "? help")
	lines := strings.Split(strings.TrimRight(a.screen(), "\n"), "\n")
	if len(lines) != 24 || !strings.Contains(lines[23], "? help") || !strings.HasPrefix(lines[21], "›") {
		t.Errorf("the screen is not in its place:\n%s", a.screen())
	}
	a.send(ctrlD)
	if code := a.exit(); code != exit.Done {
		t.Errorf("got exit code %d, want %d", code, exit.Done)
	}
}

// TestOutputGoesAway closes the output of a headless run, which must exit and not
// spin.
func TestOutputGoesAway(t *testing.T) {
	t.Parallel()
	s := serve(t, say(numbers(30_000)))
	h := newHome(t, nil, at(s)...)
	cmd := h.command("run", "talk")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(hang):
		_ = cmd.Process.Kill()
		t.Error("the program keeps running without a reader")
	}
}
