package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// downloads returns a home with a script that changes files and then connects to a server outside the
// sandbox, and the address of that server. The model runs line.
func downloads(t *testing.T, line string, handle http.HandlerFunc, answers ...answer) (h home, address string) {
	t.Helper()
	watched(t)
	outside := httptest.NewServer(handle)
	t.Cleanup(outside.Close)
	s := serve(t, append([]answer{call("shell", shellCall(line))}, answers...)...)
	h = newHome(t, map[string]string{
		"get.sh":  "echo line >>log.txt && mkdir out && echo x >out/a.txt && rm old.txt && curl -sS " + outside.URL + " >>log.txt\n",
		"log.txt": "first\n", "old.txt": "old\n",
	}, at(s)...)
	return h, strings.TrimPrefix(outside.URL, "http://")
}

// Before a command runs again, its first attempt is undone. Both runs are one turn for undo and redo.
func TestSecondRunsBeginAgain(t *testing.T) {
	t.Parallel()
	h, address := downloads(t, "sh get.sh", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "downloaded\n") }, say("Fetched it."))
	before := h.tree(t)
	a := h.open(t, 300, 40, "--mode", "all")
	a.wait("? help")
	a.send("fetch it" + enter)
	a.asked("it tried to connect to "+address, "the changes of the first run are undone: log.txt, old.txt, out/a.txt.", "❯ 1  Yes")
	if d := cmp.Diff(before, h.tree(t)); d == "" {
		t.Error("the first run changed nothing, or was undone before the answer")
	}
	a.send("1")
	a.wait("Fetched it.", "? help")
	after := h.tree(t)
	if got := read(t, h, "log.txt"); got != "first\nline\ndownloaded\n" {
		t.Errorf("after two runs: %q", got)
	}
	a.send("\x03\x03")
	a.exit()
	out, code := h.agent(t, "undo", "--yes")
	if d := cmp.Diff(before, h.tree(t)); d != "" || code != 0 || !strings.Contains(out, "3 files, +3 −1, 1 command") {
		t.Errorf("after undo: exit code %d: %s\n%s", code, out, d)
	}
	out, code = h.agent(t, "undo", "--redo", "--yes")
	if d := cmp.Diff(after, h.tree(t)); d != "" || code != 0 {
		t.Errorf("after redo: exit code %d: %s\n%s", code, out, d)
	}
}

// If somebody changes a file while the question waits, nothing is undone and the command does not run
// again.
func TestNoSecondRunAfterAConflict(t *testing.T) {
	t.Parallel()
	h, _ := downloads(t, "sh get.sh", func(http.ResponseWriter, *http.Request) { t.Error("it connected") }, say("Then not."))
	a := h.open(t, 300, 40, "--mode", "all")
	a.wait("? help")
	a.send("fetch it" + enter)
	a.asked("the changes of the first run are undone", "❯ 1  Yes")
	h.put(t, "log.txt", "mine\n")
	left := h.tree(t)
	a.send("1")
	a.wait("log.txt was changed since", "Then not.", "? help")
	if d := cmp.Diff(left, h.tree(t)); d != "" {
		t.Errorf("something was undone:\n%s", d)
	}
}

// A program that is killed after the first attempt was undone can undo the turn exactly.
func TestKilledSecondRun(t *testing.T) {
	t.Parallel()
	connected := make(chan bool, 1)
	h, _ := downloads(t, "sh get.sh", func(_ http.ResponseWriter, r *http.Request) { connected <- true; <-r.Context().Done() }, say("Undone."))
	before := h.tree(t)
	a := h.open(t, 300, 40, "--mode", "all")
	a.wait("? help")
	a.send("fetch it" + enter)
	a.asked("the changes of the first run are undone", "❯ 1  Yes")
	a.send("1")
	select {
	case <-connected:
	case <-time.After(hang):
		t.Fatal("the second run did not connect:\n" + a.screen())
	}
	a.signal(syscall.SIGKILL)
	a.exit()
	if out, code := h.agent(t, "run", "--continue", "what happened?"); code != 0 {
		t.Errorf("resume: exit code %d: %s", code, out)
	}
	out, code := h.agent(t, "undo", "--yes")
	if d := cmp.Diff(before, h.tree(t)); d != "" || code != 0 {
		t.Errorf("after undo: exit code %d: %s\n%s", code, out, d)
	}
}

// Changes of the state of git are not undone before a second run: the question says so and marks No.
func TestFirstRunsThatStay(t *testing.T) {
	t.Parallel()
	h, _ := downloads(t, "git add log.txt && sh get.sh", func(http.ResponseWriter, *http.Request) { t.Error("it connected") }, say("Then not."))
	for _, args := range [][]string{{"init", "-q"}, {"add", "old.txt"}} {
		h.git(t, args...)
	}
	a := h.open(t, 300, 40, "--mode", "all")
	a.wait("? help")
	a.send("fetch it" + enter)
	a.asked("The changes of the first run stay: .git, log.txt, old.txt, out/a.txt. They cannot be undone: the state of git in .git was changed.", "❯ 3  No")
	a.send(enter)
	a.wait("Then not.")
}

// What the first run changed outside the workspace, with the user's approval, is not undone before
// the second one: the question says so and marks No.
func TestFirstRunChangesFilesOutside(t *testing.T) {
	t.Parallel()
	watched(t)
	s := serve(t, call("shell", `{"command":"sh note.sh","access":"~/notes/a.txt: add a note"}`), say("Then not."))
	h := newHome(t, map[string]string{"note.sh": "echo noted > ~/notes/a.txt; echo y > made.txt; echo z > ~/other.txt\n"}, at(s)...)
	if err := os.Mkdir(filepath.Join(h.dir, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	a := h.open(t, 300, 40, "--mode", "all")
	a.wait("? help")
	a.send("note it" + enter)
	a.asked("sh note.sh", "1  Yes")
	a.send("1")
	a.asked("the changes of the first run are undone: made.txt.", "The changes of the first run stay: those in ", "notes", "❯ 3  No")
	a.send(enter)
	a.wait("Then not.")
}
