package tools_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
)

// plant is a shell function that makes a directory a git directory whose settings run a program.
const plant = `plant() {
	mkdir -p "$1/objects" "$1/refs"; echo 'ref: refs/heads/main' >"$1/HEAD"
	printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = : >%s/ran; false\n' "$PWD" >"$1/config"
}
`

// gitlink adds a submodule to the index without a repository for it.
func (c *confined) gitlink(path string) {
	c.t.Helper()
	c.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+","+path)
}

// status runs git status in directories of the workspace, as the user. It reports whether git
// ran the planted program.
func (c *confined) status(dirs ...string) bool {
	c.t.Helper()
	for _, dir := range dirs {
		cmd := exec.Command("git", "status")
		cmd.Dir = filepath.Join(c.dir, dir)
		_ = cmd.Run() // without a repository, it fails
	}
	return c.exists("ran")
}

// git enters submodules and the user enters repositories in directories of dependencies, so a
// command can plant no programs there.
func TestRepositoriesInDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	deep := "vendor/" + strings.Repeat("deep/", 8) + "ab"
	for name, row := range map[string]struct {
		before func(c *confined)
		line   string
		dirs   []string // where the user runs git
	}{
		"submodule without a repository": {
			func(c *confined) { c.gitlink("vendor/ab"); c.put("vendor/ab/x", "") },
			`plant vendor/ab/.git`, []string{"."},
		},
		"submodule without a directory": {
			func(c *confined) { c.gitlink(deep) }, `plant ` + deep + `/.git`, []string{"."},
		},
		"split index": {
			func(c *confined) { c.gitlink("vendor/ab"); c.git("update-index", "--split-index") },
			`plant vendor/ab/.git`, []string{"."},
		},
		"index of version 4": {
			func(c *confined) { c.gitlink("vendor/ab"); c.git("update-index", "--index-version", "4") },
			`plant vendor/ab/.git`, []string{"."},
		},
		"submodule of a submodule": {
			func(c *confined) {
				c.git("init", "-q", "vendor/ab")
				c.git("-C", "vendor/ab", "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",target/cd")
				c.gitlink("vendor/ab")
			},
			`plant vendor/ab/target/cd/.git`, []string{"vendor/ab"},
		},
		"submodule that the command adds": {
			func(c *confined) {},
			`plant ` + deep + `/.git; git update-index --add --cacheinfo 160000,` + strings.Repeat("1", 40) + `,` + deep, []string{"."},
		},
		"behind many directories": {
			func(c *confined) {
				c.gitlink(deep)
				for i := range 600 {
					c.put(fmt.Sprintf("node_modules/p%d/x", i), "")
				}
			},
			`plant ` + deep + `/.git`, []string{"."},
		},
		"existing repository of a submodule": {
			func(c *confined) { c.git("init", "-q", "vendor/ab"); c.gitlink("vendor/ab") },
			`git -C vendor/ab config core.fsmonitor ": >$PWD/ran; false"`, []string{".", "vendor/ab"},
		},
		"existing repository": {
			func(c *confined) { c.git("init", "-q", "venv/src/ab") },
			`git -C venv/src/ab config core.fsmonitor ": >$PWD/ran; false"`, []string{"venv/src/ab"},
		},
		"new repository": {
			func(c *confined) { c.put("target/x", "") }, `plant target/ab/.git`, []string{"target/ab"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			c.git("init", "-q")
			c.git("commit", "-q", "--allow-empty", "-m", "x")
			row.before(c)
			c.sh("true", tools.Access{})
			r := c.sh(plant+row.line, tools.Access{})
			if c.status(row.dirs...) {
				t.Errorf("git ran a program of the command: %s\n%s", r.Summary, r.Text)
			}
		})
	}
}

// A program that git runs in a repository in a directory of dependencies is read-only.
func TestHooksOfARepositoryInDependencies(t *testing.T) {
	c := confineCommands(t)
	c.git("init", "-q")
	c.git("init", "-q", "vendor/ab")
	c.put("vendor/ab/tools/hooks/pre-commit", "user\n")
	c.git("-C", "vendor/ab", "config", "core.hooksPath", "tools/hooks")
	if r := c.sh("echo evil >vendor/ab/tools/hooks/pre-commit", tools.Access{}); !r.IsError || c.text("vendor/ab/tools/hooks/pre-commit") != "user\n" {
		t.Errorf("the hook was changed: %s", r.Text)
	}
}

// Commands can clone, build and unpack in directories of dependencies as before: files with
// protected names are not renamed there.
func TestDependenciesStayUsable(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	c := confineCommands(t)
	c.git("init", "-q")
	c.git("commit", "-q", "--allow-empty", "-m", "x")
	c.ok(`mkdir -p $(seq -f node_modules/p%.0f/.github/workflows 700); for i in $(seq 700); do echo x >node_modules/p$i/.envrc; done`)
	c.ok(`git clone -q . vendor/ab && git -C vendor/ab config user.name x && mkdir -p target/debug && echo x >target/debug/.envrc`)
	c.ok(`mkdir -p vendor/cd/.vscode && echo x >vendor/cd/.vscode/tasks.json`)
	for _, name := range []string{"node_modules/p1/.envrc", "node_modules/p700/.github/workflows", "vendor/ab/.git/config", "target/debug/.envrc", "vendor/cd/.vscode/tasks.json"} {
		if _, err := os.Lstat(filepath.Join(c.dir, name)); err != nil {
			t.Error(err)
		}
	}
}
