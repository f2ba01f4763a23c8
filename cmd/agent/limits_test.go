package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
	"agent/internal/loop/situation"
)

func TestRunAtTheStepLimitAnswersAndExitsWith4(t *testing.T) {
	t.Parallel()
	read := func(n string) answer { return call("read", `{"path":"a.txt","offset":`+n+`}`) }
	s := serve(t, read("1"), read("2"), say("Two lines are read, the third is not."))
	h := newHome(t, map[string]string{"a.txt": "1\n2\n3\n"}, at(s)...)
	out, code := h.agent(t, "run", "--max-steps", "2", "--output", "json", "read a.txt line by line")
	if code != exit.Limit || !strings.Contains(out, `"answer":"Two lines are read, the third is not.","reason":"max_steps","error":"stopped after 2 steps`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	requests := s.seen()
	if len(requests) != 3 || !strings.Contains(requests[2].body, `"tool_choice":"none"`) || strings.Contains(requests[1].body, `"tool_choice"`) {
		t.Errorf("%d requests, the last one: %s", len(requests), lastBody(t, s))
	}
}

func TestRunRemindsToTestOnce(t *testing.T) {
	t.Parallel()
	for mode, requests := range map[string]int{"all": 4, "edits": 2} {
		s := serve(t, call("write", `{"path":"b.txt","content":"b\n"}`), say("Done."), call("shell", `{"command":"make test"}`), say("Tested."))
		h := newHome(t, map[string]string{"Makefile": "test:\n\t@echo fine\n"}, at(s)...)
		if out, code := h.agent(t, "run", "--mode", mode, "write b.txt"); code != exit.Done || len(s.seen()) != requests {
			t.Errorf("mode %s: exit code %d after %d requests: %s", mode, code, len(s.seen()), out)
		}
		if body := lastBody(t, s); (strings.Count(body, "have run nothing since. Check the changes: run `make test`.") == 1) != (mode == "all") {
			t.Errorf("mode %s: %s", mode, body)
		}
	}
}

func TestTestCommand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"a make target":        {"Makefile", "all: build\n\ntest: all\n\tgo test\n", "make test"},
		"no such target":       {"Makefile", "all: test-files\n", ""},
		"a Go module":          {"go.mod", "module m\n", "go test ./..."},
		"a crate":              {"Cargo.toml", "[package]\n", "cargo test"},
		"a package with tests": {"package.json", `{"scripts":{"test":"node --test"}}`, "npm test"},
		"a package without":    {"package.json", `{"scripts":{"build":"tsc"}}`, ""},
		"a broken package":     {"package.json", `{`, ""},
		"Python with pytest":   {"pyproject.toml", "[tool.pytest.ini_options]\n", "python3 -m pytest"},
		"Python without":       {"pyproject.toml", "[project]\n", ""},
		"nothing":              {"README.md", "test:\n", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := situation.TestCommand(dir); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	dir := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "Makefile")); err != nil {
		t.Skip(err)
	}
	if got := situation.TestCommand(dir); got != "" {
		t.Errorf("a link to a device: got %q", got)
	}
}
