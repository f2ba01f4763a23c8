package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/sampling"
)

// habit is a command as models write it.
type habit struct {
	command string
	asks    string // the modes in which it needs approval: "", "auto" or "auto all"
}

// habits reads testdata/habits.txt.
func habits(t *testing.T) (all []habit) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/habits.txt")
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]string{"$ ": "", "? ": "auto", "! ": "auto all"}
	for line := range strings.Lines(string(text)) {
		modes, begins := "", false
		if len(line) > 2 {
			modes, begins = asks[line[:2]]
		}
		switch {
		case strings.HasPrefix(line, "#") && len(all) == 0:
		case begins:
			all = append(all, habit{line[2:], modes})
		default:
			all[len(all)-1].command += line
		}
	}
	for i := range all {
		all[i].command = strings.TrimSuffix(all[i].command, "\n")
	}
	return all
}

// newShop returns a home whose working directory is a small repository of a Go program, with
// stand-ins for programs that take long.
func newShop(t *testing.T) home {
	t.Helper()
	h := newHome(t, map[string]string{
		"go.mod": "module example.org/shop\n", "README.md": "# Shop\n", "notes.txt": "notes\n", "app.log": "started\n", "fix.patch": "",
		"shop/order.go": "package shop\n\n// TODO: name\nvar OldName = 1\n\nfunc foo() int { return OldName }\n\nfunc Total() int { return foo() }\n",
		"shop/cart.go":  "package shop\n", "shop/old.go": "package shop\n", "shop/order_test.go": "package shop\n", "cmd/server/main.go": "package main\n",
		"src/index.js": "const a = 1 // TODO\n", "src/a.c": "int main(void) { return 0; }\n", "data/list.txt": "b:1\na:2\n", "data/b64.txt": "aGk=\n",
		"package.json":   `{"name": "shop", "version": "1.0.0", "scripts": {"test": "echo ok", "build": "echo ok", "lint": "echo ok"}}` + "\n",
		"Makefile":       "all: build\nbuild:\n\tmkdir -p build && touch build/shop\ntest:\n\t@echo ok\nclean:\n\trm -rf build\n",
		"scripts/run.sh": "#!/bin/sh\necho run\n", ".gitignore": "build\n.venv\n",
	})
	bin := filepath.Join(h.dir, "bin")
	for name, text := range map[string]string{"go": "#!/bin/sh\necho \"ok $*\"\n", "npm": "#!/bin/sh\necho \"passed $*\"\n", "gofmt": "#!/bin/sh\n"} {
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.env = append(h.env, "PATH="+bin+":"+os.Getenv("PATH"))
	h.git(t, "init", "-q", "-b", "main")
	h.git(t, "config", "user.name", "x")
	h.git(t, "config", "user.email", "x@example.org")
	for _, subject := range []string{"First", "Second"} {
		h.git(t, "add", "-A")
		h.git(t, "commit", "-q", "-m", subject)
		h.put(t, "notes.txt", subject+"\n")
	}
	return h
}

// In an unattended run, only commands that use the network are denied in mode all, and those that
// change the history of git also in mode auto. Undo restores all that the others did.
func TestHabitsOfModels(t *testing.T) {
	watched(t)
	all := habits(t)
	if len(all) != 200 {
		t.Fatalf("there are %d commands, want 200", len(all))
	}
	tried := all[:0]
	for i := 0; i < len(all); i += sampling.Step() {
		tried = append(tried, all[i])
	}
	all = tried
	for _, mode := range []string{"auto", "all"} {
		t.Run(mode, func(t *testing.T) {
			h := newShop(t)
			before, files := h.gitState(t), h.worktree(t)
			var want []string // titles
			var replies []answer
			for _, c := range all {
				if strings.Contains(c.asks, mode) {
					line, _, _ := strings.Cut(c.command, "\n")
					want = append(want, "shell "+line)
				}
				replies = append(replies, call("shell", shellCall(c.command)))
			}
			s := serve(t, append(replies, say("done"))...)
			out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", mode, "--max-steps", "300", "-o", "json", "go")
			var result struct {
				Denied []struct{ Title string }
			}
			if err := json.Unmarshal([]byte(out), &result); err != nil {
				t.Fatalf("exit code %d: %v\n%s", code, err, out)
			}
			var got []string
			for _, d := range result.Denied {
				line, _, _ := strings.Cut(d.Title, " (+")
				got = append(got, line)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("the denied commands (-want +got):\n%s", d)
			}
			shown, code := h.agent(t, "undo", "--yes", "--ignored")
			if d := cmp.Diff(before, h.gitState(t)); d != "" || code != 0 {
				t.Errorf("exit code %d: the state of git (-before +after undo):\n%s\n%s", code, d, shown)
			}
			if d := cmp.Diff(files, h.worktree(t)); d != "" {
				t.Errorf("the files (-before +after undo):\n%s\n%s", d, shown)
			}
			t.Attr("promise", fmt.Sprintf("calls that need approval of %d commands as models write them, in mode %s: %d; differences after undo: 0", len(all), mode, len(got)))
		})
	}
}
