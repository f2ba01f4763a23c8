package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/exit"
)

const testKey = "sk-CANARY-0123456789"

const goFile = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n"

// at returns the environment that connects a program to s.
func at(s *server) []string {
	return []string{"OPENAI_BASE_URL=" + s.URL + "/v1", "OPENAI_API_KEY=" + testKey}
}

// TestStory reads, approves and rejects an edit, interrupts an answer and a
// command, quits, and resumes.
func TestStory(t *testing.T) {
	t.Parallel()
	nap := fmt.Sprintf("sleep 60.%d", os.Getpid()) // unique among all processes
	s := serve(t,
		call("read", `{"path":"main.go"}`, "list", `{"path":"."}`),
		call("edit", `{"path":"main.go","old":"hello","new":"goodbye"}`),
		say("It says **goodbye** now."),
		call("edit", `{"path":"main.go","old":"goodbye","new":"nothing"}`),
		say("I leave it as it is."),
		begin("A long answer that is under "),
		call("shell", `{"command":"`+nap+`"}`),
		say("We are all here."),
	)
	h := newHome(t, map[string]string{"main.go": goFile, "README.md": "# shop\n"}, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("openai/", "? help")

	a.send("say goodbye" + enter)
	a.asked("? Edit main.go?", "goodbye")
	a.send("1")
	a.wait("It says goodbye now.", "1 file changed, +1 −1")
	if got := read(t, h, "main.go"); got != strings.Replace(goFile, "hello", "goodbye", 1) {
		t.Errorf("got main.go %q after the approved edit", got)
	}

	a.send("say nothing" + enter)
	a.asked("? Edit main.go?", "nothing")
	a.send("3")
	a.wait("I leave it as it is.", "rejected")
	if got := read(t, h, "main.go"); strings.Contains(got, "nothing") {
		t.Errorf("got main.go %q after the rejected edit", got)
	}

	a.send("tell me more" + enter)
	a.wait("A long answer that is under")
	a.send(ctrlC)
	a.wait("interrupted")
	<-s.dropped
	a.gone("esc to interrupt")

	a.send("take a nap" + enter)
	a.asked("? Run this command in ", nap)
	a.send("y" + enter)
	waitFor(t, "the command to run", func() bool { return runs(nap) })
	a.send(ctrlC)
	waitFor(t, "the command to be gone", func() bool { return !runs(nap) })
	a.wait("? help")

	before := a.screen()
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
	if got := a.screen(); !strings.Contains(got, "agent --resume ") {
		t.Errorf("got this on the normal screen, want the line that resumes:\n%s", got)
	}

	b := h.open(t, 100, 30, "--continue")
	b.wait("? help", "take a nap")
	if d := cmp.Diff(b.screen(), before); d != "" {
		t.Errorf("the resumed screen differs: %s", d)
	}
	b.send("who is here?" + enter)
	b.wait("We are all here.", "? help")
	b.send(ctrlC)
	b.wait("again to quit")
	b.send(ctrlC)
	if code := b.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	checkHistory(t, s)
	checkNoKey(t, h.dir)
}

// checkHistory checks that the last request holds the whole conversation, with one
// result per call.
func checkHistory(t *testing.T, s *server) {
	t.Helper()
	requests := s.seen()
	last := requests[len(requests)-1]
	var roles []string
	open := map[string]bool{}
	for _, m := range last.Messages {
		roles = append(roles, m.Role)
		for _, c := range m.ToolCalls {
			if open[c.ID] {
				t.Errorf("the call %s was sent twice", c.ID)
			}
			open[c.ID] = true
		}
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				t.Errorf("the result %s has no call", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %v", open)
	}
	want := strings.Fields("system user assistant tool tool assistant tool assistant user assistant tool assistant user assistant user assistant tool user")
	if d := cmp.Diff(roles, want); d != "" {
		t.Error(d)
	}
	if last.key != testKey {
		t.Errorf("got the key %q at the server", last.key)
	}
}

// checkNoKey fails the test if a file below dir contains the API key.
func checkNoKey(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(testKey)) {
			t.Errorf("the key stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSignals ends the program with signals: the terminal is restored and the
// session is complete.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sig  syscall.Signal
		code int
	}{{syscall.SIGTERM, exit.Terminated}, {syscall.SIGHUP, exit.Hangup}} {
		t.Run(c.sig.String(), func(t *testing.T) {
			s := serve(t, begin("A long answer that is under "), say("Here again."))
			h := newHome(t, nil, at(s)...)
			a := h.open(t, 80, 24)
			a.wait("? help")
			a.send("tell me" + enter)
			a.wait("A long answer that is under")
			a.signal(c.sig)
			if code := a.exit(); code != c.code {
				t.Errorf("got exit code %d, want %d", code, c.code)
			}
			if err := a.restored(); err != nil {
				t.Error(err)
			}
			<-s.dropped
			b := h.open(t, 80, 24, "--continue")
			b.wait("A long answer that is under", "interrupted", "? help")
			b.send("again" + enter)
			b.wait("Here again.")
		})
	}
}

// TestKill kills the program. The session holds everything that the screen showed
// as finished, the running call is reported as unknown, and nothing runs twice.
func TestKill(t *testing.T) {
	t.Parallel()
	nap := fmt.Sprintf("sleep 61.%d", os.Getpid())
	s := serve(t, say("First answer."), call("shell", `{"command":"touch ran-$RANDOM-$$; `+nap+`"}`), say("Back again."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 80, 24, "--mode", "all")
	a.wait("? help")
	a.send("one" + enter)
	a.wait("First answer.", "? help")
	a.send("two" + enter)
	waitFor(t, "the command to run", func() bool { return runs(nap) })
	a.signal(syscall.SIGKILL)
	a.exit()

	b := h.open(t, 80, 24, "--continue")
	b.wait("First answer.", "two", "? help")
	b.send("three" + enter)
	b.wait("Back again.")
	made, err := filepath.Glob(filepath.Join(h.work, "ran-*"))
	if err != nil || len(made) != 1 {
		t.Errorf("the command left %v, %v, want one file: it ran once", made, err)
	}
	last := s.seen()[2]
	if got := string(last.Messages[len(last.Messages)-2].Content); !strings.Contains(got, "It may or may not have taken effect") {
		t.Errorf("the model got %s", got)
	}
}

// TestEditorInATerminal types, pastes, enters a wrong command, resizes and quits.
func TestEditorInATerminal(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Got it."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("?")
	a.wait("shift+tab")
	a.send(escape)
	a.gone("shift+tab")
	a.send("/nonsense" + enter)
	a.wait("/help")
	a.send(ctrlC)
	a.send("one" + ctrlJ + "two" + shiftEnter + "three\\" + enter + "four")
	a.wait("one", "two", "three", "four")
	a.resize(40, 12)
	a.wait("four")
	a.resize(100, 30)
	a.wait("one", "four")
	a.send(enter)
	a.wait("Got it.", "? help") // while a turn runs, ctrl+c stops it
	if got, want := lastUser(t, s, 0), "one\ntwo\nthree\nfour"; got != want {
		t.Errorf("got the prompt %q, want %q", got, want)
	}
	a.send("\x1b[200~pasted\rtext\x1b[201~")
	a.wait("pasted", "text")
	a.send(ctrlC)
	a.gone("pasted")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
}

// runs reports whether a process with these arguments is alive.
func runs(args string) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	procs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range procs {
		b, _ := os.ReadFile(p)
		if strings.TrimRight(strings.ReplaceAll(string(b), "\x00", " "), " ") == args {
			return true
		}
	}
	return false
}

// waitFor polls ok until it returns true. Its limit is 2 s more than a cancelled
// command may take.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(hang)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
