package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// After agent undo, the model reads with its next request what was undone, ahead of the
// prompt, and a stale edit is rejected.
func TestResumeTellsTheModelWhatWasUndone(t *testing.T) {
	t.Parallel()
	s := serve(t,
		call("read", `{"path":"a.txt"}`), call("edit", `{"path":"a.txt","old":"one","new":"two"}`), say("Edited."),
		call("edit", `{"path":"a.txt","old":"two","new":"three"}`), say("It is gone."))
	h := newHome(t, map[string]string{"a.txt": "one\n"}, at(s)...)
	run := func(args ...string) {
		t.Helper()
		if out, code := h.agent(t, args...); code != 0 {
			t.Fatalf("%q: exit code %d: %s", args, code, out)
		}
	}
	run("run", "--model", "openai/m", "--mode", "edits", "edit it")
	if got := read(t, h, "a.txt"); got != "two\n" {
		t.Fatalf("got %q", got)
	}
	run("undo", "--yes")
	run("run", "--continue", "--mode", "edits", "and more")
	if got := read(t, h, "a.txt"); got != "one\n" {
		t.Errorf("got %q", got)
	}
	var texts []string
	all := s.seen()
	for _, m := range all[3].Messages {
		if m.Role == "user" {
			texts = append(texts, string(m.Content))
		}
	}
	note, prompt := -1, -1
	for i, text := range texts {
		if strings.Contains(text, "The user undid the file changes of the last turn that changed files. These paths have their earlier state again: a.txt.") {
			note = i
		}
		if strings.Contains(text, "and more") {
			prompt = i
		}
	}
	if note < 0 || prompt < note {
		t.Errorf("the note is message %d, the prompt %d of %q", note, prompt, texts)
	}
}

// A session that is open in another program is not undone; its process is named.
func TestUndoRefusesAnOpenSession(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "one\n"})
	if out, code := h.agent(t, "run", "--mode", "edits", "create b.txt with hello"); code != 0 {
		t.Fatal(out)
	}
	id := h.ids(t)[0]
	log, _, err := h.store().ResumeTail(id)
	if err != nil {
		t.Fatal(err)
	}
	out, code := h.agent(t, "undo", "--yes")
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if code != 1 || !strings.Contains(out, "(process "+strconv.Itoa(os.Getpid())+")") || read(t, h, "b.txt") != "hello\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A fork undoes what it has changed itself, and leaves the changes of the original.
func TestUndoInAFork(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "one\n"})
	for _, args := range [][]string{
		{"run", "--mode", "edits", "create b.txt with original"},
		{"run", "--continue", "--fork", "--mode", "edits", "create c.txt with fork"},
		{"undo", "--yes"},
	} {
		if out, code := h.agent(t, args...); code != 0 {
			t.Fatalf("%q: exit code %d: %s", args, code, out)
		}
	}
	if _, err := os.Lstat(filepath.Join(h.work, "c.txt")); !os.IsNotExist(err) || read(t, h, "b.txt") == "" {
		t.Errorf("c.txt: %v", err)
	}
}
