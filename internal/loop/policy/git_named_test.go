package policy_test

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Files that the git configuration of the workspace includes, and programs that it names, are
// protected like it, whatever the form and whether they exist.
func TestFilesNamedByGitConfigurationAreProtected(t *testing.T) {
	t.Parallel()
	root, err := user.Lookup("root")
	if err != nil {
		t.Skip(err)
	}
	up := strings.Repeat("../", strings.Count(root.HomeDir, "/"))
	for _, c := range []struct{ config, file string }{
		{"[include]\n\tpath = ../inc", "inc"},
		{"[include]\n\tpath = ../inc ; comment", "inc"},
		{"[include]\n\tpath = ../inc # comment", "inc"},
		{"[include]\n\tpath = ../\"inc\"", "inc"},
		{"[include] path = ../inc", "inc"},
		{"[include]\n\tpath = ../missing", "missing"},
		{"[include]\n\tpath = ../nested", "inc"},
		{"[include]\n\tpath = ../link/inc", "real/inc"},
		{"[includeIf \"gitdir:~/\"]\n\tpath = ../missing", "missing"},
		{"[include]\n\tpath = ../in\\\nc", "inc"},
		{"[user]\n\t# note \\\n[include]\n\tpath = ../inc", "inc"},
		{"[user]\n\tx = y ; note \\\n[include]\n\tpath = ../inc", "inc"},
		{"[user]\n\tx = C:\\\\a\\\\\n[include]\n\tpath = ../inc", "inc"},
		{"[user] [include] path = ../inc", "inc"},
		{"[includeIf \"gitdir:]\"] path = ../inc", "inc"},
		{"[include]\n\tpath = \"../a\\tb\"", "a\tb"},
		{"[include]\n\tpath = ../a\tb", "a b"},
		{"[include]\n\tpath = ../a\tb", "a\tb"},
		{"[include]\n\tpath = ../deep/../inc", "far/inc"},
		{"[core \"hookspath\x00\"]\n\tx = tools/hooks", "tools/hooks/pre-commit"},
		{"[include]\n\tpath = ~root/@W/inc", "inc"},
		{"[core]\n\thooksPath = ~root/@W/tools/hooks", "tools/hooks/pre-commit"},
		{"[core]\n\tfsmonitor = tools/watch.sh --fast", "tools/watch.sh"},
		{"[core]\n\tfsmonitor = run", "run"},
		{"[filter \"x\"]\n\tclean = sh ./tools/watch.sh %f", "tools/watch.sh"},
		{"[filter.x]\n\tclean = sh ./tools/watch.sh %f", "tools/watch.sh"},
		{"[diff \"x\"]\n\ttextconv = tools/watch.sh", "tools/watch.sh"},
		{"[alias]\n\tx = \"!cd / && tools/watch.sh\"", "tools/watch.sh"},
		{"[core]\n\thooksPath = tools/hooks", "tools/hooks/pre-commit"},
	} {
		dir := project(t, ".git/HEAD", "inc", "real/inc", "run", "tools/watch.sh", "other")
		write(t, filepath.Join(dir, "nested"), "[include]\n\tpath = inc\n")
		write(t, filepath.Join(dir, "far", "away", "x"), "")
		write(t, filepath.Join(dir, ".git", "config"), strings.ReplaceAll(c.config, "@W", up+dir)+"\n")
		for name, target := range map[string]string{"link": "real", "deep": "far/away"} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Skip(err)
			}
		}
		paths := policy.Paths{Workspace: dir}
		for file, want := range map[string]bool{c.file: true, "other": false} {
			for _, mode := range []event.Mode{event.ModeEdits, event.ModeAll} {
				if got := asks(&policy.Policy{Mode: mode}, paths, to(tools.Write, tools.Path, file)); got.Protected != want {
					t.Errorf("%s: %q: %s: got %+v, want protected %v", mode, c.config, file, got, want)
				}
			}
		}
		if fixed := paths.Fixed(); !slices.ContainsFunc(fixed, func(p string) bool {
			return p == filepath.Join(dir, c.file) || p == filepath.Dir(filepath.Join(dir, c.file)) || c.file == "real/inc"
		}) {
			t.Errorf("%q: %s is not among %q", c.config, c.file, fixed)
		}
	}
}

// If the git configuration includes too many files, or cannot be read, every change of
// the workspace needs approval.
func TestUnknownGitConfigurationProtectsTheWorkspace(t *testing.T) {
	t.Parallel()
	chain := func(n int) map[string]string { // each file includes the next one
		files := map[string]string{".git/config": "[include]\n\tpath = ../inc1\n"}
		for i := 1; i <= n; i++ {
			files[fmt.Sprintf("inc%d", i)] = fmt.Sprintf("[include]\n\tpath = inc%d\n", i+1)
		}
		return files
	}
	list := map[string]string{".git/config": ""}
	for i := range 60 {
		list[".git/config"] += fmt.Sprintf("[include]\n\tpath = ../inc%d\n", i)
	}
	large := strings.Repeat("# comment\n", 110_000)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"a few", chain(20), false},
		{"chain", chain(60), true},
		{"list", list, true},
		{"large", map[string]string{".git/config": large + "[core]\n\tfsmonitor = other\n"}, true},
		{"prefix of git", map[string]string{".git/config": "[include]\n\tpath = %(prefix)/inc\n"}, true},
		{"hooks in the prefix of git", map[string]string{".git/config": "[core]\n\thooksPath = %(prefix)/inc\n"}, true},
		{"unknown user", map[string]string{".git/config": "[include]\n\tpath = ~no-such-user/inc\n"}, true},
		{"large include", map[string]string{".git/config": "[include]\n\tpath = ../inc\n", "inc": large}, true},
	} {
		dir := project(t, ".git/HEAD", "other")
		for name, text := range c.files {
			write(t, filepath.Join(dir, name), text)
		}
		paths := policy.Paths{Workspace: dir}
		write(t, filepath.Join(dir, "sub", "other"), "text\n")
		for _, mode := range []event.Mode{event.ModeEdits, event.ModeAll} {
			for _, p := range []policy.Paths{paths, {Workspace: filepath.Join(dir, "sub")}} {
				if got := asks(&policy.Policy{Mode: mode}, p, to(tools.Write, tools.Path, "other")); got.Protected != c.want {
					t.Errorf("%s: %s: %s: got %+v, want protected %v", mode, c.name, p.Workspace, got, c.want)
				}
			}
		}
		if got := slices.Contains(paths.Fixed(), dir); got != c.want {
			t.Errorf("%s: commands cannot change the workspace: %v, want %v", c.name, got, c.want)
		}
	}
}

// What the git configuration of the user includes, and its directory of hooks, are protected
// in every workspace.
func TestFilesNamedByTheGitConfigurationOfTheUser(t *testing.T) {
	t.Parallel()
	home := project(t, "dotfiles/.git/HEAD", "dotfiles/git/config", "dotfiles/git/more", "dotfiles/hk/x", "dotfiles/other")
	write(t, filepath.Join(home, "dotfiles", "git", "config"), "[user] [include] path = more\n")
	write(t, filepath.Join(home, ".gitconfig"), "[include]\n\tpath = ~/dotfiles/git/config\n[core]\n\thooksPath = hk\n")
	paths := policy.Paths{Workspace: filepath.Join(home, "dotfiles"), Home: home}
	for file, want := range map[string]bool{"git/config": true, "git/more": true, "hk/x": true, "other": false} {
		if got := asks(&policy.Policy{Mode: event.ModeEdits}, paths, to(tools.Write, tools.Path, file)); got.Protected != want {
			t.Errorf("%s: got %+v, want protected %v", file, got, want)
		}
	}
	for _, file := range []string{"git/config", "git/more", "hk"} {
		if path := filepath.Join(home, "dotfiles", file); !slices.Contains(paths.Fixed(), path) {
			t.Errorf("%s is not among %q", path, paths.Fixed())
		}
	}
}
