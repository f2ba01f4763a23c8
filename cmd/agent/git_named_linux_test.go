package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// A command in the sandbox cannot change or create what the git configuration of the
// workspace includes, nor programs that it names.
func TestCommandsCannotChangeWhatGitRuns(t *testing.T) {
	t.Parallel()
	for config, file := range sampling.Rows(map[string]string{
		"[alias]\n\tx = !$(git rev-parse --show-toplevel)/tools/watch.sh\n": "tools/watch.sh",
		"[filter \"x\"]\n\tclean = cd tools && sh watch.sh\n":               "tools/watch.sh",
		"[lfs \"customtransfer.x\"]\n\tpath = tools/watch.sh\n":             "tools/watch.sh",

		"[filter \"x\"]\n\tclean = \"cat tools/{x,y}.sh | sh\"\n":           "tools/x.sh",
		"[filter \"x\"]\n\tclean = \"find tools -exec sh {} \\\\;\"\n":      "tools/watch.sh",
		"[filter \"x\"]\n\tclean = run-parts tools\n":                       "tools/watch.sh",
		"[filter \"x\"]\n\tclean = \"ls tools/* | xargs -n1 sh\"\n":         "tools/watch.sh",
		"[filter \"x\"]\n\tclean = \"ls *.sh | xargs -n1 sh\"\n":            "other.sh",
		"[filter \"x\"]\n\tclean = \"cat tools/*.sh | sh\"\n":               "tools/watch.sh",
		"[filter \"x\"]\n\tclean = make -sC tools x\n":                      "tools/Makefile",
		"[filter \"x\"]\n\tclean = make -s x\n":                             "GNUmakefile",
		"[filter \"x\"]\n\tclean = npm run -s x\n":                          "package.json",
		"[filter \"x\"]\n\tclean = npx x\n":                                 "node_modules/.bin/x",
		"[filter \"x\"]\n\tclean = node tools/x\n":                          "tools/x.js",
		"[filter \"x\"]\n\tclean = node tools\n":                            "tools/index.js",
		"[filter \"x\"]\n\tclean = python3 tools\n":                         "tools/__main__.py",
		"[filter \"x\"]\n\tclean = go run ./tools/x\n":                      "tools/x/main.go",
		"[filter \"x\"]\n\tclean = ruby -Itools -rx -e 1\n":                 "tools/x.rb",
		"[core]\n\tsshCommand = \"GIT_TOOLS=tools; $GIT_TOOLS/watch.sh\"\n": "tools/watch.sh",
		"[filter \"x\"]\n\tclean = sh hook.sh\n":                            "hook.sh",

		"[include]\n\tpath = ../inc ; comment\n":     "inc",
		"[include]\n\tpath = ../\"inc\"\n":           "inc",
		"[include]\n\tpath = ../missing\n":           "missing",
		"[include]\n\tpath = ../link/inc\n":          "real/inc",
		"[include]\n\tpath = ../nested\n":            "inc",
		"[user] [include] path = ../inc\n":           "inc",
		"# note \\\n[include]\n\tpath = ../inc\n":    "inc",
		"[core]\n\tfsmonitor = tools/watch.sh\n":     "tools/watch.sh",
		"[filter \"x\"]\n\tclean = ./tools/watch.sh": "tools/watch.sh",
	}) {
		t.Run(config, func(t *testing.T) {
			t.Parallel()
			h := repository(t)
			h.put(t, "inc", "")
			h.put(t, "real/inc", "")
			h.put(t, "nested", "[include]\n\tpath = inc\n")
			h.put(t, "tools/watch.sh", "#!/bin/sh\n")
			if strings.Contains(file, "/") {
				h.put(t, file, "#!/bin/sh\n")
			}
			h.put(t, "write.py", "open('"+file+"', 'w').write('[core]\\n\\tfsmonitor = touch OWNED #')\n")
			if err := os.Symlink("real", filepath.Join(h.work, "link")); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(filepath.Join(h.work, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = f.WriteString(config)
			f.Close()
			s := serve(t, call("shell", shellCall("python3 write.py")), say("done"))
			out, _ := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput()
			if len(s.seen()) != 2 {
				t.Fatalf("%d requests\n%s", len(s.seen()), out)
			}
			if body := s.seen()[1].body; !strings.Contains(body, "Read-only file system") && !strings.Contains(body, "it was renamed to ") {
				t.Errorf("the command was not stopped: %s", body)
			}
			got, err := os.ReadFile(filepath.Join(h.work, file))
			if string(got) != "" && string(got) != "#!/bin/sh\n" {
				t.Errorf("%s is %q (%v)\n%s", file, got, err, out)
			}
			git := exec.Command("git", "status")
			git.Dir = h.work
			_ = git.Run()
			if _, err := os.Stat(filepath.Join(h.work, "OWNED")); err == nil {
				t.Error("git status ran the program")
			}
		})
	}
}

// A command cannot change the programs that the git configuration of a repository below the
// workspace names.
func TestCommandsCannotChangeWhatGitRunsBelow(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, "sub/tools/watch.sh", "#!/bin/sh\n")
	init := exec.Command("git", "init", "-q", "sub")
	init.Dir = h.work
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.put(t, "sub/.git/config", "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = tools/watch.sh\n")
	h.put(t, "write.sh", "cd sub && echo x >new && echo touch OWNED >tools/watch.sh\n")
	s := serve(t, call("shell", shellCall("sh write.sh")), say("done"))
	out, _ := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput()
	if got, _ := os.ReadFile(filepath.Join(h.work, "sub/tools/watch.sh")); string(got) != "#!/bin/sh\n" {
		t.Errorf("the command wrote %q\n%s", got, out)
	}
	if _, err := os.Stat(filepath.Join(h.work, "sub/new")); err != nil {
		t.Errorf("the command did not run: %v\n%s", err, out)
	}
}
