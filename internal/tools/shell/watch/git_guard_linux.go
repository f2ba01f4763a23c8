//go:build amd64 || arm64

package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"agent/internal/tools/snapshot"
)

// gitGuard refuses changes of git directories: those that lose what undo cannot restore, and those
// that add programs which git would run.
type gitGuard struct {
	order    *order
	births   *births
	paths    *protection
	keeper   *keeper
	refusals *refusals

	// mu is held from the check to the end of a call that may make a git directory, or change the
	// programs that one names.
	mu sync.Mutex
}

// hasGitName reports whether a path is one of Order.GitDirs or has the name of a git directory, also of one
// that is in no directory whose changes are kept, such as that of the repository which contains the
// workspace. What only the command sees, such as its temporary directory, does not count.
func (g *gitGuard) hasGitName(c *call, path string) bool {
	return slices.Contains(g.order.GitDirs, path) || strings.EqualFold(filepath.Base(path), ".git") && (g.order.wanted(filepath.Dir(path)+"/git") || !c.isForeign(place{path: path, exists: true}))
}

// lostGit is why a git directory cannot be restored.
const lostGit = "git directories are not kept"

// refuseGit returns why the change of a place in a git directory is refused; "" if the
// command has created the directory, or the place is in none. In a command that runs git, only git
// may change it, and only what undo restores.
func (g *gitGuard) refuseGit(c *call, p place, how manner) (why string) {
	for name := range strings.SplitSeq(p.path, "/") {
		if name != ".git" && strings.EqualFold(name, ".git") { // a git directory where case is ignored
			return g.refusals.refuse(p.path, lostGit)
		}
	}
	dir, rest := g.order.outerGitDir(p.path)
	if dir == "" || !g.hasGitName(c, dir) || dir == p.path && !p.exists {
		return ""
	}
	if g.order.Git {
		switch {
		case g.births.isMade(dir), !c.isGit() && isMessage(rest):
			return ""
		case !c.isGit():
			return g.refusals.refuse(p.path, "only git may change git directories")
		case !g.restores(c, p, how, rest):
			return g.refusals.refuse(p.path, "undo cannot restore it")
		}
		return ""
	}
	if e := g.keeper.find(dir); e != nil && (e.why != "" || g.births.isMade(dir)) {
		return e.why
	}
	if filepath.Base(p.path) == IndexLock {
		return g.refusals.refuse(p.path, lostGit)
	}
	return g.refusals.refuse(dir, lostGit)
}

// isMessage reports whether a path in a git directory is a message that git lets an editor change.
func isMessage(rest string) bool {
	return strings.HasSuffix(rest, "_EDITMSG") || rest == "MERGE_MSG" || rest == "SQUASH_MSG" || rest == "addp-hunk-edit.diff" || rest == "ADD_EDIT.patch"
}

// restores reports whether undo can restore what git changes at a path in a git directory, or does
// not need to. In the repositories that the command has created, it need not.
func (g *gitGuard) restores(c *call, p place, how manner, rest string) bool {
	if rest == "" || g.isInMadeRepository(p.path) {
		return true
	}
	for _, below := range objectPaths(rest) {
		if !allowsObject(below, p, how, c.opens) {
			return false
		}
	}
	_, isState := snapshot.GitState(rest)
	isObject := len(objectPaths(rest)) > 0
	return !p.exists || p.dir() || isState || isObject || snapshot.IsGitScratch(rest) || decidesPrograms(rest)
}

// isInMadeRepository reports whether the command has created a git directory in which a path is, such
// as that of a new submodule.
func (g *gitGuard) isInMadeRepository(path string) bool {
	for dir := filepath.Dir(path); len(dir) > 1; dir = filepath.Dir(dir) {
		if g.births.isMade(dir) && isGitDir(dir) {
			return true
		}
	}
	return false
}

// isKeptFile reports whether a place is a .git file, as of a linked worktree, which undo restores, or
// becomes one.
func (g *gitGuard) isKeptFile(c *call, p place) bool {
	becomes := p.exists || c.opens || p.source != nil && !p.source.dir()
	return becomes && filepath.Base(p.path) == ".git" && !p.dir() && g.order.wanted(filepath.Dir(p.path)+"/git")
}

// isKeptObject reports whether a path is a file with objects that the command has not created.
func (g *gitGuard) isKeptObject(c *call, path string) bool {
	dir, rest := g.order.outerGitDir(path)
	return dir != "" && g.order.Strict && g.hasGitName(c, dir) && !g.births.isMade(dir) && slices.ContainsFunc(objectPaths(rest), isObject)
}

// isGitState reports whether a path in a git directory holds state that undo restores. In a git
// directory that the command has created, none does.
func (g *gitGuard) isGitState(path string) bool {
	dir, ok := g.order.gitState(path)
	return ok && !g.births.isMade(dir)
}

// gitFile returns the file that a place is. It reports false if it is none, or if refuseGit decides.
func (g *gitGuard) gitFile(c *call, p place) (gitFile, bool) {
	dir, rest := gitFileAt(p.path)
	if dir == "" {
		return gitFile{}, false
	}
	kept, inGit := g.keepsGit(c, p.path)
	if !kept {
		return gitFile{}, false
	}
	f := gitFile{dir: dir, rest: rest, fresh: g.births.isMade(dir) || g.births.isSealed(dir), runs: c.runsGit()}
	return f, f.fresh || f.runs || !inGit
}

// keepsGit reports whether the git directories on the way to a path are checked, and whether the
// path is in one that existed before, or has the name .git.
func (g *gitGuard) keepsGit(c *call, path string) (kept, inGit bool) {
	dir, rest := g.order.outerGitDir(path)
	inGit = rest != ""
	return inGit && g.hasGitName(c, dir) || !inGit && g.order.wanted(path), inGit
}

// refusePrograms returns why a strict command cannot change a place, because git would then run
// other programs; "" if it can. It lets act check what it can check only when the change is made.
func (g *gitGuard) refusePrograms(c *call, p place, how manner) (why string) {
	g.lock(c, p.path)
	f, found := g.gitFile(c, p)
	switch {
	case !found:
		return g.refuseNewGitDir(c, p, how)
	case g.order.isApproved(p.path):
		return ""
	case c.isReadOnly(p):
		c.failReadOnly()
		return ""
	case f.rest == commonDir && isNewCommonDir(c, p, how):
		return g.writeCommonDir(c, p)
	case !f.allows(p, how):
		return g.paths.nameProtected(f.protected())
	case how == put && (f.isConfig() || !f.isFree() && (f.rest == rebaseTodo || f.rest == sequencerOptions)):
		return g.checkConfig(c, p)
	}
	return ""
}

// refuseNewGitDir is refusePrograms for a place that is in no git directory. If the call can make
// one, act first checks which programs it names.
func (g *gitGuard) refuseNewGitDir(c *call, p place, how manner) (why string) {
	if kept, _ := g.keepsGit(c, p.path); !kept || how == taken || how == remoded {
		return ""
	}
	dir, name := filepath.Dir(p.path), filepath.Base(p.path)
	switch isGit := strings.EqualFold(name, ".git"); {
	case isGit && p.link:
		return g.paths.nameProtected(p.path)
	case isGit || strings.EqualFold(filepath.Base(dir), ".git"):
		return ""
	case name == commonDir && isNewCommonDir(c, p, how):
		return g.writeCommonDir(c, p)
	case name == "HEAD" && !hasHead(dir):
		if hasEntry(dir, commonDir) && !(gitFile{dir: dir}.isLinked() && c.isGit()) {
			return g.paths.nameProtected(p.path)
		}
		return g.sealFirst(c, dir)
	case marksGit(name) && !p.exists && !lacksEntry(dir, name):
		return g.sealFirst(c, dir)
	}
	return ""
}

// isNewCommonDir reports whether git creates the file commondir of a linked worktree.
func isNewCommonDir(c *call, p place, how manner) bool {
	linked := gitFile{dir: filepath.Dir(p.path)}.isLinked()
	return linked && how == written && c.opens && !p.exists && c.isGit()
}

// writeCommonDir lets act write the file commondir of a linked worktree. What git writes is dropped:
// with options such as --output, git writes any text to any file.
func (g *gitGuard) writeCommonDir(c *call, p place) (why string) {
	if !c.acts {
		return ""
	}
	c.act = func() error {
		dir, name, err := c.parent(&p)
		if err != nil {
			return err
		}
		defer unix.Close(dir)
		if err = putCopy(dir, name, config{linkedCommonDir + "\n", 0o644}); err != nil {
			return err
		}
		g.paths.reportElsewhere(c, dir, p.path)
		fd, err := unix.Open(os.DevNull, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return c.install(fd, c.flags)
	}
	return ""
}

// lock locks the guard until the call is answered, if the path can be one of an entry of
// a git directory that matters. Otherwise a directory could become a git directory after a change
// in it was allowed.
func (g *gitGuard) lock(c *call, path string) {
	name := filepath.Base(path)
	if c.locked || !decidesPrograms(name) && !marksGit(name) && filepath.Base(filepath.Dir(path)) != "hooks" {
		return
	}
	g.mu.Lock()
	c.locked = true
}

func (g *gitGuard) unlock(c *call) {
	if c.locked {
		g.mu.Unlock()
	}
}

// sealFirst checks the programs that a directory names as a git directory. If act makes the call,
// it does so then.
func (g *gitGuard) sealFirst(c *call, dir string) (why string) {
	check := func() (why string) {
		if why = g.seal(c, dir); why == "" {
			g.births.noteSealed(dir)
		}
		return why
	}
	if !c.acts {
		return check()
	}
	act := c.act
	c.act = func() error {
		if check() != "" {
			return unix.EPERM
		}
		return act()
	}
	return ""
}

// seal returns why a directory cannot become a git directory, because it names programs; "" if it
// can. It replaces the configuration by a copy, which no process has open.
func (g *gitGuard) seal(c *call, dir string) (why string) {
	at, err := c.openInside(dir, unix.O_DIRECTORY)
	if err != nil {
		return "" // then it does not become one
	}
	defer unix.Close(at)
	if why = g.sealCommonDir(c, at, dir); why != "" {
		return why
	}
	for _, name := range []string{"config", "config.worktree"} {
		if why = g.sealConfig(c, at, dir, name); why != "" {
			return why
		}
	}
	hooks := filepath.Join(dir, "hooks")
	info, err := os.Lstat(c.task.seen(hooks))
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(c.task.seen(hooks))
	runs := info.Mode()&os.ModeSymlink != 0 || info.IsDir() && err != nil
	for _, e := range entries {
		runs = runs || !strings.HasSuffix(e.Name(), ".sample")
	}
	if runs {
		return g.paths.nameProtected(hooks)
	}
	return ""
}
