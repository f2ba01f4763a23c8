package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// TestMovedDirectoryAsks opens a session whose directory was renamed: the user can
// resume it in the current directory, fork it there, view it or quit.
func TestMovedDirectoryAsks(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Tulips it is."), say("Two it is."), say("Three it is."), say("Four it is."))
	h := newHome(t, nil, at(s)...)
	if out, code := h.agent(t, "run", "about tulips"); code != 0 {
		t.Fatal(out)
	}
	id := h.ids(t)[0]
	old := h.work
	h.work = filepath.Join(h.dir, "src", "store")
	if err := os.Rename(old, h.work); err != nil {
		t.Fatal(err)
	}
	gone, question := "The directory of session "+id+", ~/src/shop, cannot be opened", "[r/f/v/q]"

	a := h.open(t, 100, 30, "--resume", id)
	a.wait(gone, question)
	a.send("x" + enter)
	a.wait("Type one of the letters r, f, v, q, and press Enter.")
	a.send("v" + enter)
	a.wait("› about tulips", "Tulips it is.")
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d after v, want 0", code)
	}
	a = h.open(t, 100, 30, "--resume", id)
	a.wait(gone, question)
	a.send("f" + enter)
	a.wait("This is a fork of session "+id, "This session now runs in ~/src/store", "? help")
	a.send("again" + enter)
	a.wait("Two it is.", "? help")
	// On the screen, the question comes between two sessions, and q returns to the first.
	for i, answer := range []string{"q", "r"} {
		a.send("/resume" + enter)
		a.wait("tab: all directories")
		a.send("\t")
		a.wait("2 messages", "4 messages")
		a.send("\x1b[B")
		a.wait("Tulips it is.")
		a.send(enter)
		// The questions answered before stay on the screen that the line mode uses.
		a.until("a new question", func(screen string) bool { return strings.Count(screen, question) == i+2 })
		a.send(answer + enter)
		a.wait("? help")
	}
	a.wait("This session now runs in ~/src/store")
	a.send("more" + enter)
	a.wait("Three it is.", "? help")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if out, _ := h.agent(t, "sessions"); strings.Count(out, "~/src/store") != 2 {
		t.Errorf("the directory does not have both sessions: %s", out)
	}
	requests := s.seen()
	if last := requests[len(requests)-1].body; !strings.Contains(last, "Tulips it is.") || strings.Contains(last, "Two it is.") {
		t.Errorf("the model got %s", last)
	}
}

// renamedHome returns a home whose working directory was renamed after a session, and the
// server of its model.
func renamedHome(t *testing.T) (*server, home) {
	t.Helper()
	s := serve(t, say("Tulips it is."), say("Two it is."))
	h := newHome(t, nil, at(s)...)
	if out, code := h.agent(t, "run", "about tulips"); code != 0 {
		t.Fatal(out)
	}
	old := h.work
	h.work = filepath.Join(h.dir, "src", "store")
	if err := os.Rename(old, h.work); err != nil {
		t.Fatal(err)
	}
	return s, h
}

// TestContinueInRenamedDirectory continues the session of a renamed directory.
func TestContinueInRenamedDirectory(t *testing.T) {
	t.Parallel()
	_, h := renamedHome(t)
	a := h.open(t, 100, 30, "--continue")
	a.wait("This directory has no sessions yet. Session "+h.ids(t)[0], "ran in ~/src/shop", "[r/f/v/q]")
	a.send("r" + enter)
	a.wait("Tulips it is.", "This session now runs in ~/src/store", "? help")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if out, code := h.agent(t, "run", "--continue", "more"); code != 0 || !strings.Contains(out, "Two it is.") {
		t.Errorf("got %d, %s", code, out)
	}
}

// TestEditorLoadsMovedSession loads a session whose directory was renamed in the directory
// that the editor names.
func TestEditorLoadsMovedSession(t *testing.T) {
	s, h := renamedHome(t)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{})
	e.session, e.dir = acp.SessionId(h.ids(t)[0]), h.work
	if _, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: e.session, Cwd: h.work, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if got := e.ask("more"); got != acp.StopReasonEndTurn {
		t.Errorf("the turn stopped with %s", got)
	}
	if out, _ := h.agent(t, "sessions"); !strings.Contains(out, "~/src/store") {
		t.Errorf("the directory does not have the session: %s", out)
	}
}

// TestUndoInRenamedDirectoryAsks undoes and shows the changes of a session whose directory
// was renamed, after a question.
func TestUndoInRenamedDirectoryAsks(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	if out, code := h.agent(t, "run", "--mode", "auto", "create made.txt with made"); code != 0 {
		t.Fatal(out)
	}
	old := h.work
	h.work = filepath.Join(h.dir, "src", "store")
	if err := os.Rename(old, h.work); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(h.work, "made.txt")
	question := "~/src/shop, cannot be opened: no such file or directory. Use ~/src/store as the directory of the session? [y/N]"
	a := h.open(t, 200, 30, "undo")
	a.wait("The directory of session "+h.ids(t)[0], question)
	a.send("n" + enter)
	a.wait("nothing was changed")
	if code := a.exit(); code != 1 {
		t.Errorf("got exit code %d, want 1", code)
	}
	a = h.open(t, 200, 30, "undo")
	a.wait(question)
	a.send("y" + enter)
	a.wait("Undo these changes of 1 path? [y/N]")
	if _, err := os.Stat(made); err != nil {
		t.Fatal(err)
	}
	a.send("y" + enter)
	a.wait("1 path restored.")
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the file is still there")
	}
	if out, _ := h.agent(t, "sessions"); !strings.Contains(out, "~/src/store") {
		t.Errorf("the directory does not have the session: %s", out)
	}
}
