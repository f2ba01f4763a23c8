package main

import (
	"encoding/binary"
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
	run("run", "--model", "openai/m", "--mode", "auto", "edit it")
	if got := read(t, h, "a.txt"); got != "two\n" {
		t.Fatalf("got %q", got)
	}
	run("undo", "--yes")
	run("run", "--continue", "--mode", "auto", "and more")
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
	if out, code := h.agent(t, "run", "--mode", "auto", "create b.txt with hello"); code != 0 {
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

// A dry run changes no file and no record, also if the session is open in another program
// and if a crash interrupted an undo.
func TestUndoDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "one\n"})
	run := func(want string, args ...string) {
		t.Helper()
		if out, code := h.agent(t, args...); code != 0 || !strings.Contains(out, want) {
			t.Fatalf("%q: exit code %d: %s", args, code, out)
		}
	}
	run("", "run", "--mode", "auto", "create b.txt with hello")
	run("", "run", "--continue", "--mode", "auto", "create c.txt with hello")
	id := h.ids(t)[0]
	pack := h.store().UndoPath(id)
	records := func() string {
		t.Helper()
		var all string
		for _, path := range []string{pack, strings.TrimSuffix(pack, ".undo") + ".jsonl"} {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all += string(b)
		}
		return all
	}
	log, _, err := h.store().ResumeTail(id)
	if err != nil {
		t.Fatal(err)
	}
	before := records()
	run("c.txt", "undo", "--dry-run")
	if records() != before || read(t, h, "c.txt") != "hello\n" {
		t.Error("the dry run changed something")
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	run("1 path restored", "undo", "--yes")
	forgetDone(t, pack)
	if err := os.WriteFile(filepath.Join(h.work, "c.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before = records()
	run("An undo was interrupted when the program exited. The next agent undo finishes it, and undoes nothing else.", "undo", "--dry-run")
	if records() != before || read(t, h, "b.txt")+read(t, h, "c.txt") != "hello\nhello\n" {
		t.Error("the dry run changed something")
	}
	run("It has been finished: 1 path restored", "undo", "--yes")
	if read(t, h, "b.txt") != "hello\n" {
		t.Error("another turn was undone, too")
	}
	run("1 path restored", "undo", "--yes")
	for _, name := range []string{"b.txt", "c.txt"} {
		if _, err := os.Lstat(filepath.Join(h.work, name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// forgetDone removes the last record of a pack, which notes that an undo or a redo was applied.
func forgetDone(t *testing.T, pack string) {
	t.Helper()
	b, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	last := int(binary.LittleEndian.Uint32(b[len(b)-8:])) // the length of the record
	if err := os.Truncate(pack, int64(len(b)-last)); err != nil {
		t.Fatal(err)
	}
}

// agent undo --redo, like agent undo, finishes an undo or redo that was interrupted.
func TestRedoFinishesWhatWasInterrupted(t *testing.T) {
	t.Parallel()
	for _, redo := range []bool{false, true} {
		h := newHome(t, map[string]string{"a.txt": "one\n"})
		run := func(want string, args ...string) {
			t.Helper()
			if out, code := h.agent(t, args...); code != 0 || !strings.Contains(out, want) {
				t.Errorf("%q: exit code %d: %s", args, code, out)
			}
		}
		run("", "run", "--mode", "auto", "create b.txt with hello")
		run("1 path restored", "undo", "--yes")
		if redo {
			run("1 path changed again", "undo", "--redo", "--yes")
		}
		forgetDone(t, h.store().UndoPath(h.ids(t)[0]))
		run("It has been finished: 1 path restored", "undo", "--redo", "--yes")
		if _, err := os.Lstat(filepath.Join(h.work, "b.txt")); (err == nil) != redo {
			t.Errorf("redo %v: b.txt: %v", redo, err)
		}
	}
}

// An undo that an error cut short says how to restore the rest.
func TestUndoThatRestoresAPart(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root can write to read-only directories")
	}
	s := serve(t, call("write", `{"path":"b.txt","content":"new\n"}`), call("write", `{"path":"d/c.txt","content":"new\n"}`), say("Done."))
	h := newHome(t, map[string]string{"d/a.txt": "one\n"}, at(s)...)
	run := func(want string, code int, args ...string) {
		t.Helper()
		if out, got := h.agent(t, args...); got != code || !strings.Contains(out, want) {
			t.Errorf("%q: exit code %d: %s", args, got, out)
		}
	}
	chmod := func(mode os.FileMode) {
		if err := os.Chmod(h.work, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { chmod(0o755) })
	run("", 0, "run", "--model", "openai/m", "--mode", "auto", "create files")
	chmod(0o555)
	run("run agent undo --redo, and then repeat this command.", 1, "undo", "--yes")
	chmod(0o755)
	run("1 path changed again", 0, "undo", "--redo", "--yes")
	run("2 paths restored", 0, "undo", "--yes")
}

// A fork undoes what it has changed itself, and leaves the changes of the original.
func TestUndoInAFork(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "one\n"})
	for _, args := range [][]string{
		{"run", "--mode", "auto", "create b.txt with original"},
		{"run", "--continue", "--fork", "--mode", "auto", "create c.txt with fork"},
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

// A log whose first line is damaged says nothing about its directory: undo and diff name no session.
func TestUndoWithADamagedLog(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(string) string{
		"key":    func(text string) string { return strings.Replace(text, `"dir"`, `"dri"`, 1) },
		"header": func(text string) string { _, rest, _ := strings.Cut(text, "\n"); return rest },
		"zeros": func(text string) string {
			_, rest, _ := strings.Cut(text, "\n")
			return strings.Repeat("\x00", 100) + rest
		},
	} {
		s := serve(t, call("edit", `{"path":"a.txt","old":"one","new":"two"}`), say("Edited."))
		h := newHome(t, map[string]string{"a.txt": "one\n", ".git/HEAD": "ref: refs/heads/main\n"}, at(s)...)
		if out, code := h.agent(t, "run", "--model", "openai/m", "--mode", "auto", "edit it"); code != 0 {
			t.Fatal(out)
		}
		files, _ := filepath.Glob(filepath.Join(h.dir, ".local/state/agent/sessions/*.jsonl"))
		if len(files) != 1 {
			t.Fatalf("there are %d logs", len(files))
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], []byte(damage(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"undo", "--yes"}, {"undo", "--dry-run"}, {"diff"}} {
			if out, code := h.agent(t, args...); code > 2 || strings.Contains(out, "panic") || strings.Contains(out, "internal error") {
				t.Errorf("%s: %q: exit code %d: %s", name, args, code, out)
			}
		}
	}
}
