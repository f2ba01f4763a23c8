package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// mux is a shell in tmux.
type mux struct {
	t   *testing.T
	h   home
	dir string // of its socket
}

// inTmux opens a shell in tmux with the path of the program in $AGENT.
func (h home) inTmux(t *testing.T) *mux {
	t.Helper()
	for _, name := range []string{"tmux", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	agent, err := exec.LookPath("agent")
	if err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "AGENT="+agent, "HISTFILE=/dev/null")
	dir, err := os.MkdirTemp("/tmp", "tmux-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	m := &mux{t: t, h: h, dir: dir}
	m.do("new-session", "-d", "-x", "80", "-y", "24", "env 'PS1=ready> ' bash --norc --noprofile -i")
	t.Cleanup(func() { m.do("kill-server") })
	m.wait("ready>")
	return m
}

// do runs a tmux command.
func (m *mux) do(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-L", "story"}, args...)...)
	cmd.Dir, cmd.Env = m.h.work, append(m.h.env, "TMUX_TMPDIR="+m.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *mux) keys(names ...string) { m.do(append([]string{"send-keys"}, names...)...) }

func (m *mux) screen() string { return m.do("capture-pane", "-p") }

func (m *mux) wait(text string) {
	m.t.Helper()
	waitFor(m.t, text+" on the screen", func() bool { return strings.Contains(m.screen(), text) })
}

// stopped waits until the shell has reported that the program stopped, and reads the
// terminal itself: it discards what is typed before that.
func (m *mux) stopped() {
	m.t.Helper()
	m.wait("Stopped")
	shell := strings.TrimSpace(m.do("display-message", "-p", "#{pane_pid}"))
	waitFor(m.t, "the shell to read the terminal", func() bool {
		stat, err := os.ReadFile("/proc/" + shell + "/stat")
		_, fields, _ := strings.Cut(string(stat), ") ")
		// State, parent, group, session, terminal, group in the foreground: see proc(5).
		f := strings.Fields(fields)
		return err == nil && len(f) > 5 && f[0] == "S" && f[2] == f[5]
	})
}

// kill kills the processes that the shell has started.
func (m *mux) kill() {
	m.t.Helper()
	shell := strings.TrimSpace(m.do("display-message", "-p", "#{pane_pid}"))
	children, err := os.ReadFile("/proc/" + shell + "/task/" + shell + "/children")
	if err != nil {
		m.t.Skip(err)
	}
	for _, child := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(child)
		if err != nil {
			m.t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			m.t.Fatal(err)
		}
	}
}

// TestTmux runs a turn, pastes, suspends, shrinks the window and kills the program,
// after which the terminal is restored.
func TestTmux(t *testing.T) {
	s := serve(t, say("Well met."), say("Back again."))
	m := newHome(t, nil, at(s)...).inTmux(t)
	m.keys("stty -g >before; \"$AGENT\"", "Enter")
	m.wait("? help")
	m.keys("hello", "Enter")
	m.wait("Well met.")
	m.do("set-buffer", "pasted\nlines")
	m.do("paste-buffer", "-p")
	m.wait("lines")
	m.keys("C-c")
	m.keys("C-z")
	m.stopped()
	if strings.Contains(m.screen(), "Well met.") {
		t.Errorf("the screen is not the shell's:\n%s", m.screen())
	}
	m.do("resize-window", "-x", "40", "-y", "12")
	m.keys("fg", "Enter")
	m.wait("? help")
	m.wait("Well met.")
	m.keys("and now", "Enter")
	m.wait("Back again.")
	m.wait("? help")
	lines := strings.Split(strings.TrimRight(m.screen(), "\n"), "\n")
	if last := lines[len(lines)-1]; len(lines) != 12 || !strings.Contains(last, "? help") {
		t.Errorf("the screen is not in its place:\n%s", m.screen())
	}
	m.keys("C-z")
	m.stopped()
	m.do("resize-window", "-x", "80", "-y", "24")
	m.keys("fg", "Enter")
	m.wait("? help")
	m.kill()
	waitFor(t, "the normal screen", func() bool { return m.do("display-message", "-p", "#{alternate_on}") == "0\n" })
	m.keys("stty -g >after; cmp before after && echo the' 'same", "Enter")
	m.wait("the same") // differs from the typed text
	if on := m.do("display-message", "-p", "#{alternate_on}#{mouse_any_flag}#{keypad_flag}#{cursor_flag}"); on != "0001\n" {
		t.Errorf("got %q, want the normal screen, no mouse and a cursor", on)
	}
}
