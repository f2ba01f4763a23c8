package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const altEnter = "\x1b\r"

// holds reports whether a file below dir contains text.
func holds(dir, text string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !found {
			b, err := os.ReadFile(path)
			found = err == nil && bytes.Contains(b, []byte(text))
		}
		return nil
	})
	return found
}

// TestTypedCommandStory runs shell commands with ! and !!, also during a turn.
// Their output and the queue survive a kill.
func TestTypedCommandStory(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Forty-two."), begin("A long answer that is under "), say("I have seen it all."), say("Reviewed."))
	h := newHome(t, map[string]string{
		"main.go": goFile, ".agent/commands/review.md": "---\ndescription: look again\narguments: FILE\n---\nReview $1 with care.\n",
	}, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("openai/", "? help")

	a.send("!mkdir sub && cd sub && echo typed-$((40+2)) > fresh.txt && cat fresh.txt" + enter)
	a.wait("typed-42", "exit 0")
	a.send("!echo ${PWD#*/src}" + enter) // in the directory in which the previous command ended
	a.wait("/shop/sub")
	a.send("!!echo hidden-$((40+2)); exit 3" + enter)
	a.wait("hidden-42", "exit 3")
	a.send("what was that?" + enter)
	a.wait("Forty-two.", "? help")
	first := s.seen()[0].body
	for _, want := range []string{"The user ran this command:", "typed-42", `\n/shop/sub\n`} {
		if !strings.Contains(first, want) {
			t.Errorf("the request lacks %q: %s", want, first)
		}
	}

	a.send("@fre")
	a.wait("sub/fresh.txt")
	a.send(ctrlC + ctrlC)

	a.send("tell me more" + enter)
	a.wait("A long answer that is under")
	a.send("!echo shown-$((40+2))" + enter)
	a.wait("shown-42")
	a.send("then this" + altEnter)
	a.wait("queued  1", "then this")
	waitFor(t, "what is queued to be kept", func() bool { return holds(h.dir, `"queue":[{"text":"then this"`) })
	a.signal(syscall.SIGKILL)
	a.exit()

	b := h.open(t, 100, 30, "--continue")
	b.wait("held    1", "then this", "unsent", "shown-42")
	b.send(enter)
	b.wait("I have seen it all.", "? help")
	b.send("/review main.go" + enter)
	b.wait("/review comes from this repository", "Review main.go with care.", "Reviewed.", "? help")
	b.send(ctrlD)
	if code := b.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	requests := s.seen()
	if got := requests[2].body; !strings.Contains(got, "shown-42") || !strings.Contains(got, "then this") {
		t.Errorf("the request lacks the command run during the turn, or the queued message: %s", got)
	}
	for i, r := range requests {
		if strings.Contains(r.body, "hidden-42") {
			t.Errorf("request %d holds output that was only to be shown", i)
		}
	}
	out, code := h.agent(t, "sessions", "show", h.ids(t)[0])
	for _, want := range []string{"› !!echo hidden-$((40+2)); exit 3", "hidden-42", "› !echo shown-$((40+2))"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("the session is shown without %q: %s", want, out)
		}
	}
}

// TestHangingTypedCommandStory interrupts a hanging shell command of the user,
// and quits while another runs.
func TestHangingTypedCommandStory(t *testing.T) {
	t.Parallel()
	nap := fmt.Sprintf("sleep 64.%d", os.Getpid()) // unique among all processes
	s := serve(t)
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("!echo begun-$((40+2)); sleep 63" + enter)
	a.wait("begun-42", "esc to interrupt")
	a.send(escape)
	a.wait("interrupted", "? help")
	a.send("!echo again-$((40+2)); sleep 63" + enter)
	a.wait("again-42")
	a.send(ctrlC)
	a.wait("? help")
	a.send("!echo last-$((40+2)); sleep 63" + enter)
	a.wait("last-42")
	a.send("tell me" + enter)
	a.wait("queued  1")
	a.send(escape)
	a.wait("held    1", "? help")
	a.send("!" + nap + enter)
	a.wait("!" + nap)
	waitFor(t, "the command to run", func() bool { return runs(nap) })
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
	waitFor(t, "the command to be gone", func() bool { return !runs(nap) })
	if len(s.seen()) != 0 {
		t.Error("the queued message was sent")
	}
}
