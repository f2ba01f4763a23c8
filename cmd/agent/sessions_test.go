package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestSessionHeldElsewhere opens a locked session: the user can fork it, view it or
// quit.
func TestSessionHeldElsewhere(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Apples it is."), say("A fork it is."), say("Once more."))
	h := newHome(t, nil, at(s)...)
	if out, code := h.agent(t, "run", "about apples"); code != 0 {
		t.Fatal(out)
	}
	id := h.ids(t)[0]
	log, _, err := h.store().Resume(id)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	held := fmt.Sprintf("Session %s is open in another program", id)

	out, code := h.agent(t, "run", "--continue", "more")
	if code != 1 || !strings.Contains(out, "is open in another program") || !strings.Contains(out, "--fork") {
		t.Errorf("got %d, %s", code, out)
	}
	if out, code := h.agent(t, "sessions", "rename", id, "x"); code != 1 || !strings.Contains(out, "is open in another program") {
		t.Errorf("got %d, %s", code, out)
	}
	if out, code := h.agent(t, "sessions", "remove", "--yes", id); code != 1 || !strings.Contains(out, "is open in another program") {
		t.Errorf("got %d, %s", code, out)
	}

	a := h.open(t, 100, 30, "--continue")
	a.wait(held, "[f/v/q]")
	a.send("q" + enter)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d after q, want 0", code)
	}
	a = h.open(t, 100, 30, "--resume", id)
	a.wait(held, "[f/v/q]")
	a.send("x" + enter + "v" + enter)
	a.wait("› about apples", "Apples it is.")
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d after v, want 0", code)
	}
	a = h.open(t, 100, 30, "--continue")
	a.wait(held, "[f/v/q]")
	a.send("f" + enter)
	a.wait("This is a fork of session "+id, "Apples it is.", "? help")
	a.send("continue" + enter)
	a.wait("A fork it is.", "? help")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	ids := h.ids(t)
	if len(ids) != 2 || ids[1] != id {
		t.Fatalf("got the sessions %q", ids)
	}
	if out, code := h.agent(t, "run", "--resume="+id, "--fork", "again"); code != 0 || !strings.Contains(out, "Once more.") {
		t.Errorf("got %d, %s", code, out)
	}
}

// TestSessionsInOneProgram switches between a new session, a fork and an existing
// session.
func TestSessionsInOneProgram(t *testing.T) {
	t.Parallel()
	s := serve(t, say("One it is."), say("Two it is."), say("Three it is."), say("Four it is."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("? help")
	a.send("say one" + enter)
	a.wait("One it is.", "? help")
	a.send("/new" + enter)
	a.gone("One it is.")
	a.wait("? help")
	a.send("say two" + enter)
	a.wait("Two it is.", "? help")
	a.send("say three" + enter)
	a.wait("Three it is.", "? help")
	a.send("/rename counting" + enter)
	a.wait("counting")
	a.send("/fork 1" + enter)
	a.gone("Three it is.")
	a.wait("This is a fork of session", "Two it is.", "say three", "enter to send")
	a.send(" or four" + enter)
	a.wait("Four it is.", "? help")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
	ids := h.ids(t)
	if len(ids) != 3 {
		t.Fatalf("got %d sessions, want 3", len(ids))
	}
	fork, _ := h.agent(t, "sessions", "show", ids[0])
	if !strings.Contains(fork, "› say three or four") || strings.Contains(fork, "Three it is.") || !strings.Contains(fork, "Two it is.") {
		t.Errorf("got the fork %s", fork)
	}
	parent, _ := h.agent(t, "sessions", "show", ids[1])
	if !strings.Contains(parent, "Three it is.") || strings.Contains(parent, "four") {
		t.Errorf("got its parent %s", parent)
	}
	requests := s.seen()
	if last := requests[len(requests)-1].body; strings.Contains(last, "Three it is.") || !strings.Contains(last, "Two it is.") {
		t.Errorf("the model of the fork got %s", last)
	}
}

// TestSwitchSession switches to another session. If that cannot be opened,
// the current one stays open.
func TestSwitchSession(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Apples it is."), say("Pears it is."))
	h := newHome(t, nil, at(s)...)
	for _, prompt := range []string{"about apples", "about pears"} {
		if out, code := h.agent(t, "run", prompt); code != 0 {
			t.Fatal(out)
		}
	}
	a := h.open(t, 100, 30, "--continue")
	a.wait("Pears it is.", "? help")
	a.send("/resume" + enter)
	a.wait("about apples")
	a.send("appl")
	a.wait("Apples it is.") // in the preview
	a.send(enter)
	a.gone("about pears")
	a.wait("Apples it is.", "? help")
	a.send("/export json" + enter)
	a.wait("Exported to")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	out, code := h.agent(t, "sessions", "import", "session-"+h.ids(t)[1]+".json")
	if code != 0 {
		t.Errorf("the export cannot be imported: %s", out)
	}
}

// TestOldSessionsAreRemoved deletes old sessions at startup and reports it.
func TestOldSessionsAreRemoved(t *testing.T) {
	t.Parallel()
	s := serve(t, say("One it is."), say("Two it is."))
	h := newHome(t, nil, at(s)...)
	for _, prompt := range []string{"say one", "say two"} {
		if out, code := h.agent(t, "run", prompt); code != 0 {
			t.Fatal(out)
		}
	}
	h.configure(t, `{"sessions":{"keep_days":30}}`)
	infos, err := h.store().List("")
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().AddDate(0, 0, -31)
	for _, i := range infos {
		if err := os.Chtimes(i.Path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	a := h.open(t, 100, 30, "--resume", infos[0].ID)
	a.wait("Deleted 1 session not used for 30 days", "? help")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if ids := h.ids(t); len(ids) != 1 || ids[0] != infos[0].ID {
		t.Errorf("got the sessions %q, want only %q", ids, infos[0].ID)
	}
}

// TestDeleteAsksForConfirmation asks for confirmation on a terminal.
func TestDeleteAsksForConfirmation(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	if out, code := h.agent(t, "run", "hello"); code != 0 {
		t.Fatal(out)
	}
	id := h.ids(t)[0]
	for _, c := range []struct {
		answer string
		code   int
		left   int
	}{{"n", 1, 1}, {"y", 0, 0}} {
		a := h.open(t, 100, 30, "sessions", "remove", id[:8])
		a.wait(id, "hello", "Delete 1 session permanently? [y/N]")
		a.send(c.answer + enter)
		if code := a.exit(); code != c.code {
			t.Errorf("%s: got exit code %d, want %d", c.answer, code, c.code)
		}
		if got := len(h.ids(t)); got != c.left {
			t.Errorf("%s: got %d sessions, want %d", c.answer, got, c.left)
		}
	}
}

// TestSessionsOnATerminal sanitizes the text of sessions on a terminal and prints
// matches in bold.
func TestSessionsOnATerminal(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Be \x1b[31mred\x1b]0;title\x07 and be gone."))
	h := newHome(t, nil, at(s)...)
	if out, code := h.agent(t, "run", "what is \x1b[2Jthis?"); code != 0 {
		t.Fatal(out)
	}
	id := h.ids(t)[0]
	for _, args := range [][]string{
		{"sessions"}, {"sessions", "show", id}, {"sessions", "search", "what"}, {"sessions", "search", "gone"},
		{"sessions", "export", id}, {"sessions", "export", id, "--format", "json"}, {"sessions", "tree"},
	} {
		a := h.open(t, 100, 30, args...)
		if code := a.exit(); code != 0 {
			t.Errorf("%q: got exit code %d", args, code)
		}
		<-a.done
		a.mu.Lock()
		raw := string(a.raw)
		a.mu.Unlock()
		for _, evil := range []string{"\x1b[31m", "\x1b[2J", "\x1b]0;", "\x07"} {
			if strings.Contains(raw, evil) {
				t.Errorf("%q lets %q through:\n%q", args, evil, raw)
			}
		}
		if len(args) == 3 && args[1] == "search" && !strings.Contains(raw, "\x1b[1m"+args[2]+"\x1b[22m") {
			t.Errorf("%q does not highlight the match: %q", args, raw)
		}
	}
}
