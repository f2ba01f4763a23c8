package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agent/internal/sampling"
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
	for name, line := range sampling.Rows(map[string]string{
		"temporary directory":               evil + `evil "$TMPDIR/evil" "$PWD/sub"; echo "gitdir: $TMPDIR/evil" >sub/.git`,
		"names the worktree":                evil + `evil "$TMPDIR/evil" "$PWD/sub"; echo "$PWD/sub/.git" >"$TMPDIR/evil/gitdir"; echo "gitdir: $TMPDIR/evil" >sub/.git`,
		"cache":                             evil + `mkdir -p ~/.npm; evil ~/.npm/evil "$PWD/sub"; echo "gitdir: $HOME/.npm/evil" >sub/.git`,
		"skipped directory":                 evil + `evil "$PWD/node_modules/evil" "$PWD/sub"; echo "gitdir: $PWD/node_modules/evil" >sub/.git`,
		"link":                              evil + `evil "$TMPDIR/evil" "$PWD/sub"; ln -s "$TMPDIR/evil" sub/.git`,
		"objects are a link":                evil + `evil "$PWD/sub/.git" "$PWD/sub"; mv sub/.git/objects o; ln -s ../../o sub/.git/objects`,
		"refs are a link":                   evil + `evil "$PWD/sub/.git" "$PWD/sub"; mv sub/.git/refs r; ln -s ../../r sub/.git/refs`,
		"objects are a file":                evil + `evil "$PWD/sub/.git" "$PWD/sub"; rmdir sub/.git/objects; cp /bin/true sub/.git/objects`,
		"file names a part of one":          evil + `evil "$PWD/data" "$PWD/sub"; mv data/objects o; ln -s ../o data/objects; echo "gitdir: ../data" >sub/.git`,
		"before git init":                   evil + `evil "$PWD/sub/.git" "$PWD/sub"; rm -r sub/.git/HEAD sub/.git/objects sub/.git/refs`,
		"bare, objects are a link":          evil + `evil "$PWD/sub" "$PWD/sub"; mv sub/objects o; ln -s ../o sub/objects`,
		"below the entries of one":          evil + `mkdir objects refs; echo 'ref: refs/heads/main' >HEAD; evil "$PWD/sub/.git" "$PWD/sub"`,
		"in the objects of one":             evil + `mkdir sub/refs; echo 'ref: refs/heads/main' >sub/HEAD; mkdir -p sub/objects/src; evil "$PWD/sub/objects/src/.git" "$PWD/sub/objects/src"`,
		"common directory of no repository": evil + `evil "$PWD/sub" "$PWD/sub"; rm sub/HEAD; mkdir -p sub/worktrees/.git; echo 'ref: refs/heads/main' >sub/worktrees/.git/HEAD; echo ../.. >sub/worktrees/.git/commondir; mv sub/worktrees w; mkdir x; mv sub x/a; mkdir x/a/worktrees; mv w/.git x/a/worktrees; mv x sub`,
		"in hexadecimal objects":            evil + `mkdir sub/refs; echo 'ref: refs/heads/main' >sub/HEAD; mkdir -p sub/objects/ab; evil "$PWD/sub/objects/ab/.git" "$PWD/sub/objects/ab"`,
		"replaced directory":                evil + `mv sub old; mkdir sub; evil ~/.npm/evil "$PWD/sub"; echo "gitdir: $HOME/.npm/evil" >sub/.git`,
		"common directory":                  evil + `mkdir -p "$TMPDIR/w" sub/.git/objects sub/.git/refs; evil "$TMPDIR/evil" "$PWD/sub"; cp "$TMPDIR/evil/HEAD" sub/.git; echo "$TMPDIR/evil" >sub/.git/commondir`,
		"many directories":                  evil + `for i in $(seq 700); do mkdir "a$i"; done; evil "$PWD/sub/.git" "$PWD/sub"`,
		"many directories, own repository":  evil + `git init -q sub && for i in $(seq 700); do mkdir "a$i"; done; evil "$PWD/sub/.git" "$PWD/sub"`,
	}) {

		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			c.put("sub/file", "x\n")
			put(t, filepath.Join(c.home, ".npm", "x"), "")
			c.sh("true", tools.Access{})
			r := c.sh(line, tools.Access{})
			cmd := exec.Command("sh", "-c", "git status; git init; git status; (cd objects/src && git status); (cd objects/ab && git status); cd a/worktrees && git status")
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

// A directory with the entries of a git directory is not one: its files are protected like
// those of any other, also if the repository came with the entries.
func TestEntriesOfAGitDirectoryProtectFiles(t *testing.T) {
	files := []string{".envrc", ".github/workflows/ci.yml", "sub/.vscode/tasks.json", "objects/src/.envrc", "logs/.envrc"}
	for _, when := range []string{"before", "in a command"} {
		t.Run(when, func(t *testing.T) {
			c := confineCommands(t)
			c.git("init", "-q")
			for _, name := range files {
				c.put(name, "user\n")
			}
			c.put("refs/x", "")
			if when == "before" {
				c.put("HEAD", "ref: refs/heads/main\n")
			} else {
				c.ok("echo 'ref: refs/heads/main' >HEAD")
			}
			for _, name := range files {
				if r := c.sh("echo evil >"+name, tools.Access{}); !r.IsError || c.text(name) != "user\n" {
					t.Errorf("%s: %s", name, r.Text)
				}
			}
			c.sh("mkdir -p info; echo evil >.vscode; echo evil >info/.envrc; echo evil >.git/hooks/post-checkout", tools.Access{})
			for _, name := range []string{".vscode", "info/.envrc", ".git/hooks/post-checkout"} {
				if c.exists(name) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// A directory that takes the place of another, a .git entry that makes no repository, and
// links are no ways to protected names.
func TestProtectedNamesInNewDirectories(t *testing.T) {
	for name, c := range map[string]struct{ line, file string }{
		"replaced directory":       {"mv sub old; mkdir sub; echo evil >sub/.envrc", "sub/.envrc"},
		"exchanged directory":      {"mkdir n; echo evil >n/.vscode; mv --exchange n sub 2>/dev/null || { mv sub x; mv n sub; }", "sub/.vscode"},
		"replaced by a repository": {"mv sub old; git init -q sub; echo evil >sub/.envrc", "sub/.envrc"},
		"below a replaced one":     {"mv sub old; mkdir -p sub/deep/er; echo evil >sub/deep/er/.envrc", "sub/deep/er/.envrc"},
		"empty .git file":          {"mkdir n; : >n/.git; echo evil >n/.envrc", "n/.envrc"},
		"empty .git directory":     {"mkdir -p n/.git; echo evil >n/.envrc", "n/.envrc"},
		"repository in .github":    {"git init -q .github; mkdir .github/workflows; echo evil >.github/workflows/ci.yml", ".github/workflows/ci.yml"},
		"link":                     {"mkdir -p gh/workflows; echo evil >gh/workflows/ci.yml; ln -s gh .github", ".github/workflows/ci.yml"},
	} {
		t.Run(name, func(t *testing.T) {
			s := confineCommands(t)
			s.put("sub/file", "x\n")
			s.put("sub/deep/file", "x\n")
			s.sh("true", tools.Access{})
			r := s.sh(c.line, tools.Access{})
			if s.exists(c.file) {
				t.Errorf("%s is left: %s", c.file, r.Text)
			}
		})
	}
	t.Run("new repository", func(t *testing.T) { // as one that is cloned
		s := confineCommands(t)
		s.ok("git init -q n; echo x >n/.envrc")
		if !s.exists("n/.envrc") {
			t.Error("a file of the new repository was renamed")
		}
	})
}
