package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/gitconfig"
)

// gitDir is the part of a git directory that can make git run programs.
type gitDir struct {
	config   content
	worktree content // config.worktree
	common   content // commondir, which names the directory with the configuration
	hooks    []string
}

// readGitDir reads the git directory at path. It takes the content of unchanged files
// from before.
func readGitDir(path string, before gitDir) gitDir {
	return gitDir{
		config:   readContent(filepath.Join(path, "config"), before.config),
		worktree: readContent(filepath.Join(path, "config.worktree"), before.worktree),
		common:   readContent(filepath.Join(path, "commondir"), before.common),
		hooks:    hooksIn(filepath.Join(path, "hooks")),
	}
}

// hooksIn returns the names of the hooks in a directory, without git's examples.
func hooksIn(dir string) (names []string) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil
	}
	entries, err := entriesOf(dir, anyEntry)
	if info.Mode()&fs.ModeSymlink != 0 || info.IsDir() && (err != nil || !readable(dir, info)) {
		return []string{"."} // the directory itself
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") {
			names = append(names, e.Name())
		}
	}
	return names
}

// fixed returns the paths of a git directory that commands must not change.
func (g gitDir) fixed(path, home string) []string {
	paths := []string{filepath.Join(path, "hooks")}
	if g.common.exists {
		paths = append(paths, filepath.Join(path, "commondir"))
	}
	files := map[string]content{filepath.Join(path, "config"): g.config, filepath.Join(path, "config.worktree"): g.worktree}
	reader := gitconfig.Reader{Home: home, File: func(path string) (string, bool) {
		c, known := files[path]
		if !known {
			c = readContent(path, content{})
		}
		return c.text, c.plain || !c.exists
	}}
	c := reader.Read(filepath.Join(path, "config"), filepath.Join(path, "config.worktree"))
	paths = append(paths, c.Included...)
	if worktree, name := filepath.Split(path); name == ".git" {
		worktree = filepath.Clean(worktree)
		named, _ := reader.Named(c, worktree, false)
		paths = append(paths, slices.DeleteFunc(named, func(path string) bool { return realpath.Inside(worktree, path) })...)
	}
	return paths
}

// restoreGitDir undoes those changes to a git directory since before that can make git
// run programs.
func (g *Guard) restoreGitDir(path string) (notices []Notice) {
	a, before := g.area, g.gitDirs[path]
	now := readGitDir(path, before)
	for _, f := range []struct {
		name        string
		before, now content
	}{{"config", before.config, now.config}, {"config.worktree", before.worktree, now.worktree}} {
		file := filepath.Join(path, f.name)
		if g.approved(file) {
			continue
		}
		if n, changed := a.restoreConfig(file, f.before, f.now); changed {
			notices = append(notices, n)
		}
	}
	if now.common.exists && !before.common.exists && !(linkedWorktree(path, now.common) && g.area.tree.isGit(filepath.Dir(filepath.Dir(path)))) {
		notices = append(notices, g.undo(filepath.Join(path, "commondir"), "it names the directory of git's configuration")...)
	}
	hooks := filepath.Join(path, "hooks")
	if _, ok := g.opened[hooks]; ok { // End checks all of its entries
		return notices
	}
	for _, name := range now.hooks {
		if !slices.Contains(before.hooks, name) {
			notices = append(notices, g.undo(filepath.Join(hooks, name), "git runs it")...)
		}
	}
	return notices
}

// linkedWorktree reports whether a commondir file looks like that of a worktree that git
// made: .git/worktrees/NAME/commondir names .git.
func linkedWorktree(path string, common content) bool {
	return filepath.Base(filepath.Dir(path)) == "worktrees" && strings.TrimSpace(common.text) == "../.."
}

// restoreConfig reverts the variables of a configuration file that can run programs.
func (a *Area) restoreConfig(path string, before, now content) (n Notice, changed bool) {
	if !now.exists || before.exists && before.stamp == now.stamp && before.text == now.text {
		return n, false
	}
	text, names, ok := before.text, []string(nil), false
	if now.plain {
		text, names, ok = revert(before.text, now.text)
	}
	if ok && len(names) == 0 {
		return n, false
	}
	show := a.show(path)
	n = Notice{
		Short: "reverted " + show,
		Text:  "the command changed settings in " + show + " that can make git run programs; they were reverted: " + strings.Join(names, ", "),
	}
	if !ok {
		n.Text = "the command changed " + show + " in a way that cannot be checked for programs that git would run; the file was reverted"
	}
	kept, err := a.replace(path, text)
	if err != nil {
		return Notice{Short: "could not revert " + show, Text: n.Text + ". Reverting failed: " + err.Error()}, true
	}
	n.Text += "; the file of the command is now " + kept
	return n, true
}
