package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/gitconfig"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/tempdir"
)

// prepare resolves the paths of the area, finds installed programs and creates missing
// caches, once.
func (a *Area) prepare() {
	if a.prepared {
		return
	}
	a.prepared = true
	a.workspace = realpath.Of(a.Options.Workspace)
	tops := []string{a.workspace}
	for _, dir := range a.Added {
		tops = append(tops, realpath.Of(dir))
	}
	a.tree = tree{dirs: map[string]*directory{}, protected: a.Protected, gitDirs: a.scannedGitDirs, modules: a.submodules, open: a.open}
	for _, top := range tops {
		a.around = append(a.around, worktreesAround(top)...)
	}
	slices.Sort(a.around)
	a.around = slices.Compact(a.around)
	a.tree.around = a.around
	for _, dir := range a.repositoryAbove() {
		if !inAny(dir, tops) {
			tops = append(tops, dir)
			a.above = append(a.above, dir)
		}
	}
	a.tree.tops = tops
	hidden := slices.Concat(a.UserPaths.Private(), a.Private, a.Secret)
	a.linked = slices.DeleteFunc(a.UserPaths.Linked(a.passesTops), func(path string) bool { return inAny(path, hidden) })
}

// passesTops reports whether a path is in a directory that commands can change, or leads there
// through links.
func (a *Area) passesTops(path string) bool {
	return slices.ContainsFunc(realpath.Steps(path), func(step string) bool { return inAny(step, a.tree.tops) })
}

// dropStrays removes the paths of a profile that lead through a directory which commands can
// change to a place outside: a command or the repository may have made the link, to read or
// change what it names. Only the user can change where other paths lead, so each is looked at
// once.
func (a *Area) dropStrays(p *sandbox.Profile) {
	strays := func(path string) bool {
		passes, known := a.passing[path]
		if !known {
			passes = a.passesTops(path)
			a.passing[path] = passes
		}
		return passes && !inAny(realpath.Of(path), a.tree.tops)
	}
	p.Show, p.Write = slices.DeleteFunc(p.Show, strays), slices.DeleteFunc(p.Write, strays)
}

// makeCaches creates missing caches of the toolchains of the workspace and of the repositories around
// it. A command can make a project of a toolchain, so each command looks again.
func (a *Area) makeCaches(network bool) {
	projects := append([]string{a.workspace}, a.around...)
	for _, dir := range a.UserPaths.MissingCaches(projects, network) {
		_ = os.MkdirAll(dir, 0o700) // a build reports a cache that it cannot write
	}
}

// profile returns the sandbox of an approved command, without protected paths.
func (a *Area) profile(s *sandbox.Session, network, systemTemp bool) *sandbox.Profile {
	if network {
		a.makeCaches(true)
	}
	p := &sandbox.Profile{
		Session: s, Home: a.UserPaths.Home, Network: network,
		Write:    slices.Concat(a.tree.tops, a.buildCaches()),
		ReadOnly: slices.Concat(a.UserPaths.Programs(), a.pathInCaches()),
		Hide:     slices.Concat(a.UserPaths.Private(), a.Secret),
	}
	a.addTemp(p, systemTemp)
	for _, path := range a.Readable() {
		if inAny(path, a.Secret) { // outputs of earlier calls
			p.Show = append(p.Show, path)
		}
	}
	p.Downloads = a.UserPaths.Downloads()
	if network {
		p.Write = append(p.Write, p.Downloads...)
		remote := a.UserPaths.Remote()
		p.Show = append(p.Show, remote...)
		p.Hide = slices.DeleteFunc(p.Hide, func(path string) bool { return slices.Contains(remote, path) })
	}
	return p
}

// addTemp makes the temporary directory writable: that of the session if there is one, and
// system is not set. Then the command sees that of the system only where a path in it is needed.
// It sees those of other sessions in no case.
func (a *Area) addTemp(p *sandbox.Profile, system bool) {
	p.Hide = append(p.Hide, a.Temp.Parents()...)
	if system || !a.Temp.Mounted() {
		p.Write = append(p.Write, os.TempDir())
		return
	}
	if p.Temp = a.Temp.Prepare(); p.Temp == "" { // then it cannot write there at all
		p.Hide = append(p.Hide, tempdir.Mounts[:]...)
	}
	dir := realpath.Of(os.TempDir())
	holds := func(path string) bool { return realpath.Inside(path, dir) }
	if !a.Temp.Covers(dir) && !inAny(dir, a.tree.tops) && !slices.ContainsFunc(a.tree.tops, holds) && !holds(realpath.Of(a.UserPaths.Home)) {
		p.Hide = append(p.Hide, dir)
	}
	for _, path := range a.needed() {
		if a.Temp.Covers(realpath.Of(path)) {
			p.Show = append(p.Show, path)
		}
	}
}

// needed returns what commands need to read, wherever it is.
func (a *Area) needed() []string {
	paths := slices.Concat(a.Readable(), a.linked, a.UserPaths.Downloads())
	for _, dir := range filepath.SplitList(a.UserPaths.Env("PATH")) {
		if filepath.Base(dir) == "bin" { // of a virtual environment or an installation
			dir = filepath.Dir(dir)
		}
		paths = append(paths, dir)
	}
	if a.Temp.Covers(realpath.Of(a.UserPaths.Home)) {
		paths = append(append(paths, a.UserPaths.Home), a.UserPaths.Toolchains()...)
	}
	return paths
}

// buildCaches returns the caches that builds without the network write to.
func (a *Area) buildCaches() []string {
	downloads := a.UserPaths.Downloads()
	return slices.DeleteFunc(a.UserPaths.Caches(), func(path string) bool { return slices.Contains(downloads, path) })
}

// realCaches returns the caches that builds write to, without links. It leaves out those to which a
// command could have made the link.
func (a *Area) realCaches() (caches []string) {
	for _, cache := range slices.DeleteFunc(a.buildCaches(), a.passesTops) {
		caches = append(caches, realpath.Of(cache))
	}
	slices.Sort(caches)
	return slices.Compact(caches)
}

// overlays returns the overlays of caches for a command that nobody approved, and the caches that it
// must not change. A cache that contains something else that the command may change, or is in it, is
// in neither.
func (a *Area) overlays(s *sandbox.Session) (overlays []sandbox.Overlay, locked []string) {
	if a.Caches == nil {
		return nil, nil
	}
	others := append(slices.Clone(a.tree.tops), realpath.Of(os.TempDir()))
	shared := func(cache string) bool {
		info, err := os.Stat(cache)
		return err != nil || !info.IsDir() || realpath.Inside(realpath.Of(a.UserPaths.Home), cache) || inAny(cache, a.tree.tops) ||
			slices.ContainsFunc(others, func(other string) bool { return realpath.Inside(other, cache) })
	}
	return a.Caches.Overlays(s, a.workspace, slices.DeleteFunc(a.realCaches(), shared))
}

// pathInCaches returns the directories of the user's PATH in the caches that builds write to, and
// the directories there with links that lead to one.
func (a *Area) pathInCaches() (dirs []string) {
	caches := a.realCaches()
	for _, dir := range a.Search.Outside {
		links, real := realpath.Links(dir)
		dirs = append(dirs, real)
		for _, link := range links {
			dirs = append(dirs, filepath.Dir(link.Path))
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !inAny(dir, caches) })
}

// privateProfile returns the sandbox of a command that nobody approved.
func (a *Area) privateProfile(s *sandbox.Session) *sandbox.Profile {
	p := &sandbox.Profile{
		Session: s, Home: a.UserPaths.Home,
		Write:    a.buildCaches(),
		ReadOnly: slices.Concat(a.UserPaths.Programs(), a.pathInCaches()),
		Hide:     slices.Concat(a.UserPaths.Private(), a.Secret),
	}
	a.addTemp(p, false)
	a.hideHome(p)
	hidden := p.Hide
	if p.NoHome {
		hidden = append(hidden, realpath.Of(a.UserPaths.Home))
	}
	for _, top := range a.tree.tops {
		if inAny(top, hidden) {
			p.Show = append(p.Show, top)
		} else {
			p.ReadOnly = append(p.ReadOnly, top)
		}
	}
	return p
}

// hideHome hides the home directory except for toolchains, and the files of this program
// that only approved commands can read. It replaces the user's caches.
func (a *Area) hideHome(p *sandbox.Profile) {
	if p.NoHome = a.hidesHome(); p.NoHome {
		p.Show = slices.DeleteFunc(p.Show, func(path string) bool { return path == a.UserPaths.Home })
	}
	p.Show = slices.Concat(p.Show, a.Readable(), a.UserPaths.Toolchains(), a.linked)
	var locked []string
	if p.Overlays, locked = a.overlays(p.Session); locked != nil {
		p.Write = slices.DeleteFunc(p.Write, func(path string) bool { return slices.Contains(locked, realpath.Of(path)) })
		p.Show = append(p.Show, locked...)
	}
	for _, path := range a.Private {
		if !slices.Contains(a.tree.tops, path) {
			p.Hide = append(p.Hide, path)
		}
	}
}

// hidesHome reports whether the home directory can be hidden: the workspace must not
// contain it.
func (a *Area) hidesHome() bool {
	home := realpath.Of(a.UserPaths.Home)
	return home != "" && filepath.Dir(home) != home && !slices.ContainsFunc(a.tree.tops, func(top string) bool { return realpath.Inside(home, top) })
}

// writable reports whether commands may write to the directory of a path.
func (a *Area) writable(path string) bool {
	return inAny(path, a.tree.tops)
}

// repositoryAbove returns the git directories of the repository that contains the
// workspace, if they are outside it.
func (a *Area) repositoryAbove() []string {
	worktrees := worktreesAround(a.workspace)
	if len(worktrees) == 0 {
		return nil
	}
	git := filepath.Join(worktrees[0], ".git")
	if info, err := os.Lstat(git); err == nil && info.IsDir() {
		return []string{git}
	}
	return a.gitDirs(worktrees[0])
}

// worktreesAround returns the directories with .git among dir and those that contain it, the
// innermost first.
func worktreesAround(dir string) (worktrees []string) {
	for ; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			worktrees = append(worktrees, dir)
		}
		if dir == filepath.Dir(dir) {
			return worktrees
		}
	}
}

// gitDirs returns the git directory that the .git file of a worktree or a submodule
// names, or the one that worktrees share. A directory outside the workspace counts
// only if its own files name the worktree: otherwise a .git file in a repository could
// make any directory writable.
func (a *Area) gitDirs(worktree string) []string {
	file := readContent(filepath.Join(worktree, ".git"), content{})
	dir, ok := gitDirIn(file, worktree)
	if !ok {
		return nil
	}
	if !realpath.Inside(dir, a.workspace) && !namesWorktree(dir, worktree) {
		return nil
	}
	shared := filepath.Dir(filepath.Dir(dir)) // .git/worktrees/NAME in .git
	if common := readContent(filepath.Join(dir, "commondir"), content{}); !linkedWorktree(dir, common) || realpath.Inside(dir, a.workspace) && !realpath.Inside(shared, a.workspace) {
		return []string{dir}
	}
	return []string{shared}
}

// checked reports whether the .git file of a worktree names a git directory that every
// scan covers.
func (a *Area) checked(worktree string) bool {
	file := readContent(filepath.Join(worktree, ".git"), content{})
	to, ok := strings.CutPrefix(strings.TrimSuffix(file.text, "\n"), "gitdir: ")
	if !file.plain || !ok || strings.TrimSpace(to) != to { // git does not trim it
		return false
	}
	dirs := a.gitDirs(worktree)
	return len(dirs) > 0 && !slices.ContainsFunc(dirs, func(dir string) bool { return !a.writable(dir) })
}

// scannedGitDirs returns those of gitDirs that commands can write to.
func (a *Area) scannedGitDirs(worktree string) []string {
	return slices.DeleteFunc(a.gitDirs(worktree), func(dir string) bool { return !a.writable(dir) })
}

// namesWorktree reports whether a git directory is that of a worktree, by its own
// files.
func namesWorktree(dir, worktree string) bool {
	if back := readContent(filepath.Join(dir, "gitdir"), content{}); back.plain {
		return realpath.Of(from(dir, strings.TrimSpace(back.text))) == filepath.Join(worktree, ".git")
	}
	variables, _ := gitconfig.Parse(readContent(filepath.Join(dir, "config"), content{}).text)
	return slices.ContainsFunc(variables, func(v gitconfig.Variable) bool { // of a submodule
		return v.Name() == "core.worktree" && realpath.Of(from(dir, v.Value)) == worktree
	})
}

// from returns path, which is relative to dir unless it is absolute.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// inAny reports whether path is one of the directories or in one of them.
func inAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return realpath.Inside(path, dir) })
}
