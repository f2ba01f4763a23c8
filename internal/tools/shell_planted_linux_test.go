package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agent/internal/tools"
)

// A command plants settings of git in places that the check could overlook. git then runs
// nothing outside the sandbox.
func TestPlantedSettingsOfGit(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many commands, and runs without -short")
	}
	const evil = `evil() {
	mkdir -p "$1/objects" "$1/refs"; echo 'ref: refs/heads/main' >"$1/HEAD"
	printf '#!/bin/sh\n: >%s/ran\n' "$HOME/src/work" >"$1/run"; chmod +x "$1/run"
	printf '[core]\n\trepositoryformatversion = 0\n\tworktree = %s\n\tfsmonitor = %s\n' "$2" "$1/run" >"$1/config"
}
`
	for name, line := range map[string]string{
		"temporary directory":              evil + `evil "$TMPDIR/evil" "$PWD/sub"; echo "gitdir: $TMPDIR/evil" >sub/.git`,
		"names the worktree":               evil + `evil "$TMPDIR/evil" "$PWD/sub"; echo "$PWD/sub/.git" >"$TMPDIR/evil/gitdir"; echo "gitdir: $TMPDIR/evil" >sub/.git`,
		"cache":                            evil + `mkdir -p ~/.npm; evil ~/.npm/evil "$PWD/sub"; echo "gitdir: $HOME/.npm/evil" >sub/.git`,
		"skipped directory":                evil + `evil "$PWD/node_modules/evil" "$PWD/sub"; echo "gitdir: $PWD/node_modules/evil" >sub/.git`,
		"link":                             evil + `evil "$TMPDIR/evil" "$PWD/sub"; ln -s "$TMPDIR/evil" sub/.git`,
		"common directory":                 evil + `mkdir -p "$TMPDIR/w" sub/.git/objects sub/.git/refs; evil "$TMPDIR/evil" "$PWD/sub"; cp "$TMPDIR/evil/HEAD" sub/.git; echo "$TMPDIR/evil" >sub/.git/commondir`,
		"many directories":                 evil + `for i in $(seq 700); do mkdir "a$i"; done; evil "$PWD/sub/.git" "$PWD/sub"`,
		"many directories, own repository": evil + `git init -q sub && for i in $(seq 700); do mkdir "a$i"; done; evil "$PWD/sub/.git" "$PWD/sub"`,
	} {
		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			c.put("sub/file", "x\n")
			put(t, filepath.Join(c.home, ".npm", "x"), "")
			c.sh("true", tools.Access{})
			r := c.sh(line, tools.Access{})
			cmd := exec.Command("git", "status")
			cmd.Dir = filepath.Join(c.dir, "sub")
			out, _ := cmd.CombinedOutput() // without a repository, it fails
			if _, err := os.Stat(filepath.Join(c.dir, "ran")); err == nil {
				t.Errorf("git ran a program of the command: %s\n%s\n%s", r.Summary, r.Text, out)
			}
		})
	}
	t.Run("existing repository", func(t *testing.T) {
		c := confineCommands(t)
		c.git("init", "-q")
		c.git("commit", "-q", "--allow-empty", "-m", "x")
		c.sh(evil+`evil "$TMPDIR/evil" "$PWD"; for i in $(seq 700); do mkdir "a$i"; done; git config core.fsmonitor "$TMPDIR/evil/run"`, tools.Access{})
		cmd := exec.Command("git", "status")
		cmd.Dir = c.dir
		_ = cmd.Run()
		if c.exists("ran") {
			t.Error("git ran a program of the command")
		}
	})
}
