package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Files that the git configuration of the workspace includes, and programs that it names, are
// protected like it, whatever the form and whether they exist.
func TestFilesNamedByGitConfigurationAreProtected(t *testing.T) {
	t.Parallel()
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
		write(t, filepath.Join(dir, ".git", "config"), c.config+"\n")
		if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
			t.Skip(err)
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
