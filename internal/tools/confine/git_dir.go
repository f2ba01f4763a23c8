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

// gitDir is the part of a git directory that can make git run programs or work elsewhere.
type gitDir struct {
	config   content
	worktree content // config.worktree
	common   content // commondir, which names the directory with the configuration
	linked   content // gitdir, which names the .git file of a linked worktree
	hooks    []string
	remotes  []string // files that describe remotes, relative: remotes/NAME, branches/NAME
}

// readGitDir reads the git directory at path. It takes the content of unchanged files
// from before.
func readGitDir(path string, before gitDir) gitDir {
	return gitDir{
		config:   readContent(filepath.Join(path, "config"), before.config),
		worktree: readContent(filepath.Join(path, "config.worktree"), before.worktree),
		common:   readContent(filepath.Join(path, "commondir"), before.common),
		linked:   readContent(filepath.Join(path, "gitdir"), before.linked),
		hooks:    hooksIn(filepath.Join(path, "hooks")),
		remotes:  remotesIn(path),
	}
}

// remotesIn returns the files in a git directory that describe remotes as git did before it had
// settings for them. Git still reads them, and they may name a repository with hooks.
func remotesIn(path string) (names []string) {
	for _, dir := range []string{"remotes", "branches"} {
		info, err := os.Lstat(filepath.Join(path, dir))
		if err != nil {
			continue
		}
		entries, err := entriesOf(filepath.Join(path, dir), anyEntry)
		if info.Mode()&fs.ModeSymlink != 0 || err != nil {
			names = append(names, dir)
			continue
		}
		for _, e := range entries {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names
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

// gitWorktrees returns the git directories that the last scan found, and those of the worktrees
// around the writable directories and in them, each with worktrees whose .git is a file or a
// link that names it.
func (g *Guard) gitWorktrees() map[string][]string {
	a := g.area
	worktrees := map[string][]string{}
	add := func(worktree string) {
		if git := g.gitDirOf(worktree); git != "" {
			worktrees[git] = append(worktrees[git], worktree)
		}
	}
	for dir, d := range a.tree.dirs {
		if d.git && worktrees[dir] == nil {
			worktrees[dir] = []string{}
		}
		if d.pointer > 0 {
			add(dir)
		}
	}
	for _, dir := range a.around {
		if a.tree.dirs[dir] == nil {
			add(dir)
		}
	}
	return worktrees
}

// gitDirOf returns the git directory that git uses in a worktree, without links; "" if there is
// none.
func (g *Guard) gitDirOf(worktree string) string {
	dir, file := g.area.last.gitDirOf(worktree)
	g.gitFiles[filepath.Join(worktree, ".git")] = file
	return dir
}

// gitDirOf returns the git directory of a worktree, as Guard.gitDirOf, and its .git file.
func (r *lastRead) gitDirOf(worktree string) (dir string, file content) {
	path := filepath.Join(worktree, ".git")
	file = readContent(path, r.gitFiles[path])
	named := file
	if file.exists && !file.plain {
		path = realpath.Of(path)
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return path, file
		}
		named = readContent(path, content{})
	}
	dir, _ = gitDirIn(named, worktree)
	return dir, file
}

// gitDirIn returns the git directory that the .git file of a worktree names, without links.
func gitDirIn(file content, worktree string) (dir string, ok bool) {
	to, ok := strings.CutPrefix(strings.TrimSpace(file.text), "gitdir:")
	if !file.plain || !ok {
		return "", false
	}
	return realpath.Of(from(worktree, strings.TrimSpace(to))), true
}

// readGitDir reads the git directory at path, once.
func (g *Guard) readGitDir(path string) gitDir {
	d, ok := g.gitDirs[path]
	if !ok {
		d = readGitDir(path, g.area.last.gitDirs[path])
		g.gitDirs[path] = d
	}
	return d
}

// gitPaths returns the paths that commands must not change because of the git directory at
// path and the worktrees that use it: those that it is given, and those that its files name.
// In the worktrees whole, git may run every file.
func (g *Guard) gitPaths(path string, worktrees []string) (paths, whole []string) {
	d := g.readGitDir(path)
	paths = []string{filepath.Join(path, "hooks")}
	common := path
	if d.common.exists {
		paths = append(paths, filepath.Join(path, "commondir"))
		if d.common.plain {
			common = from(path, strings.TrimSpace(d.common.text))
			paths = append(paths, filepath.Join(common, "hooks"))
		}
	}
	config, own := filepath.Join(common, "config"), filepath.Join(path, "config.worktree")
	files := map[string]content{config: g.readGitDir(common).config, own: d.worktree}
	reader := gitconfig.Reader{Home: g.area.UserPaths.Home, Workspace: g.area.workspace, Conditions: true, File: func(path string) (string, bool) {
		c, known := files[path]
		if !known {
			c = readContent(path, content{})
		}
		return c.text, c.plain || !c.exists
	}}
	c := reader.Read(config, own)
	paths = append(paths, c.Included...)
	if filepath.Base(path) == ".git" {
		worktrees = append(worktrees, filepath.Dir(path))
	}
	if d.linked.plain {
		worktrees = append(worktrees, filepath.Dir(from(path, strings.TrimSpace(d.linked.text))))
	}
	for _, v := range c.Variables {
		if v.Name() == "core.worktree" && v.Value != "" {
			worktrees = append(worktrees, from(path, v.Value))
		}
	}
	slices.Sort(worktrees)
	for _, worktree := range slices.Compact(worktrees) {
		named, known := reader.Named(c, worktree, false)
		paths = append(paths, slices.DeleteFunc(named, func(path string) bool { return realpath.Inside(worktree, path) })...)
		if c.Unknown || !known {
			whole = append(whole, realpath.Of(worktree))
		}
	}
	return paths, whole
}

// restoreGitDir undoes those changes to a git directory since before that can make git
// run programs.
func (g *Guard) restoreGitDir(path string) (notices []Notice) {
	a := g.area
	before, known := g.gitDirs[path]
	repository := gitconfig.Repository{Dir: path, New: !known, Roots: a.tree.tops}
	now := readGitDir(path, before)
	for _, f := range []struct {
		name        string
		before, now content
	}{{"config", before.config, now.config}, {"config.worktree", before.worktree, now.worktree}} {
		file := filepath.Join(path, f.name)
		if g.approved(file) {
			continue
		}
		if n, changed := a.restoreConfig(repository, file, f.before, f.now); changed {
			notices = append(notices, n)
		}
	}
	if now.common.exists && !before.common.exists && !(linkedWorktree(path, now.common) && g.area.tree.isGit(filepath.Dir(filepath.Dir(path)))) {
		notices = append(notices, g.undo(filepath.Join(path, "commondir"), "it names the directory of git's configuration")...)
	}
	for _, name := range now.remotes {
		if !slices.Contains(before.remotes, name) {
			notices = append(notices, g.undo(filepath.Join(path, name), "it names a remote, whose hooks git may run")...)
		}
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

// restoreConfig reverts the variables of a configuration file that need approval.
func (a *Area) restoreConfig(r gitconfig.Repository, path string, before, now content) (n Notice, changed bool) {
	if !now.exists || before.exists && before.stamp == now.stamp && before.text == now.text {
		return n, false
	}
	text, names, ok := before.text, []string(nil), false
	if now.plain {
		text, names, ok = r.Revert(before.text, now.text)
	}
	if ok && len(names) == 0 {
		return n, false
	}
	show := a.show(path)
	n = Notice{
		Short: "reverted " + show,
		Text:  "the command changed settings in " + show + " that are not known to be harmless; they were reverted: " + strings.Join(names, ", "),
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
