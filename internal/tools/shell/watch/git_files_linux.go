//go:build amd64 || arm64

package watch

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"agent/internal/realpath"
)

// manner is how a call changes a place.
type manner int

const (
	written   manner = iota // created, or opened for writing
	remoded                 // its mode changes
	taken                   // removed, or renamed to another path
	put                     // a rename puts something there
	exchanged               // a rename exchanges it with another path
)

// gitFile is a path in a git directory that decides which programs git runs. It knows what may
// happen to the path while a command runs that nobody approved: git directories that existed
// before get no new programs, and those of the command get none before they were checked.
type gitFile struct {
	dir   string // the git directory, absolute
	rest  string // the path in it
	fresh bool   // the command has created the git directory, or the entries that make it one
	runs  bool   // git makes the change, and the text of the command runs git
}

// gitFileAt returns the first git directory on the way to an absolute path in which the path
// decides about programs. Both results are empty if there is none.
func gitFileAt(path string) (dir, rest string) {
	for {
		name, after, more := strings.Cut(path[len(dir)+1:], "/")
		if dir != "" && decidesPrograms(path[len(dir)+1:]) && isGitDirInUse(dir) {
			return dir, path[len(dir)+1:]
		}
		if !more || after == "" {
			return "", ""
		}
		dir += "/" + name
	}
}

// decidesPrograms reports whether a path in a git directory decides which programs git runs.
func decidesPrograms(path string) bool {
	return holdsPrograms(path) || path == rebaseDir || path == rebaseTodo || strings.HasPrefix(path, configCopy)
}

// isGitDirInUse reports whether git may use a directory as a git directory, now or soon: a command
// can create the other entries as sockets, which no held call does. Each directory with the name
// .git counts.
func isGitDirInUse(dir string) bool {
	return strings.EqualFold(filepath.Base(dir), ".git") || hasHead(dir)
}

// hasHead reports whether a directory has a HEAD that git can read. It counts one that cannot be
// looked up.
func hasHead(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, "HEAD"))
	if err != nil {
		return hasEntry(dir, "HEAD")
	}
	return !info.IsDir() && info.Mode()&os.ModeSocket == 0
}

func hasEntry(dir, name string) bool { return !realpath.Missing(filepath.Join(dir, name)) }

// commonDir names another directory that holds the configuration and the hooks.
const commonDir = "commondir"

// linkedCommonDir is the content of commondir in the git directory of a linked worktree.
const linkedCommonDir = "../.."

// rebaseTodo lists what a rebase in progress still has to do, which can be to run programs. Git
// only renames a new file to it.
const (
	rebaseDir  = "rebase-merge"
	rebaseTodo = rebaseDir + "/git-rebase-todo"
)

// isConfig reports whether the path is a configuration file.
func (f gitFile) isConfig() bool { return f.rest == "config" || f.rest == "config.worktree" }

// isLinked reports whether the git directory is where git keeps that of a linked worktree.
func (f gitFile) isLinked() bool { return filepath.Base(filepath.Dir(f.dir)) == "worktrees" }

// allows reports whether the path may be changed. A configuration file that is put there must
// also set no new program: see config.
func (f gitFile) allows(p place, how manner) bool {
	own := f.fresh || f.runs
	top, name, _ := strings.Cut(f.rest, "/")
	switch {
	case top == "info" && name != "" && name != "attributes":
		return own
	case how == exchanged:
		return false
	case top == rebaseDir:
		return f.isFree() || own && !p.link && (how == taken || how == remoded || (how == put) == (name != ""))
	case how == taken:
		return f.fresh || f.runs && f.isLinked() // git worktree remove
	case f.isConfig():
		return own && (how == put || how == remoded)
	case strings.HasPrefix(f.rest, configCopy):
		return false
	case top == commonDir:
		return false
	case p.link || how == put && name == "":
		return false
	case name == "": // the directory hooks or info
		return own
	case top == "hooks": // no sample runs
		return strings.HasSuffix(f.rest, ".sample") && (f.fresh || f.runs && !p.exists)
	}
	return f.fresh // info/attributes
}

// isFree reports whether the command may choose what git does in a rebase: in its own repositories.
func (f gitFile) isFree() bool { return f.fresh && !f.isLinked() }

// protected returns the path that a refusal of the change names.
func (f gitFile) protected() string {
	if top, _, _ := strings.Cut(f.rest, "/"); top == "hooks" {
		return f.dir + "/" + top
	}
	return f.dir + "/" + f.rest
}

// gitFile returns the file that a place is. It reports false if it is none, or if refuseGit decides.
func (c *change) gitFile(p place) (gitFile, bool) {
	dir, rest := gitFileAt(p.path)
	if dir == "" {
		return gitFile{}, false
	}
	kept, inGit := c.keepsGit(p.path)
	if !kept {
		return gitFile{}, false
	}
	f := gitFile{dir: dir, rest: rest, fresh: c.guard.isMade(dir) || c.guard.isSealed(dir), runs: c.runsGit()}
	return f, f.fresh || f.runs || !inGit
}

// keepsGit reports whether the git directories on the way to a path are checked, and whether the
// path is in one that existed before, or has the name .git.
func (c *change) keepsGit(path string) (kept, inGit bool) {
	dir, rest := c.outerGitDir(path)
	inGit = rest != ""
	return inGit && c.git(dir) || !inGit && c.wanted(path), inGit
}

// outerGitDir returns the first directory on the way to a path, or the path itself, that has the
// name .git or is one of Order.GitDirs, and the rest of the path. Both are empty if there is none.
func (w *Watcher) outerGitDir(path string) (dir, rest string) {
	for _, dir := range w.order.GitDirs {
		if path == dir || below(path, dir) {
			return dir, strings.TrimPrefix(path[len(dir):], "/")
		}
	}
	worktree, rest, found := strings.Cut(path+"/", "/.git/")
	if !found {
		return "", ""
	}
	return worktree + "/.git", strings.TrimSuffix(rest, "/")
}

// refusePrograms returns why a strict command cannot change a place, because git would then run
// other programs; "" if it can. It lets act check what it can check only when the change is made.
func (c *change) refusePrograms(p place, how manner) (why string) {
	c.lockGitDirs(p.path)
	f, found := c.gitFile(p)
	switch {
	case !found:
		return c.refuseNewGitDir(p, how)
	case c.isApproved(p.path):
		return ""
	case c.isReadOnly(p):
		c.failReadOnly()
		return ""
	case f.rest == commonDir && c.isNewCommonDir(p, how):
		return c.writeCommonDir(p)
	case !f.allows(p, how):
		c.guard.nameProtected(f.protected())
		return "it is protected"
	case how == put && (f.isConfig() || f.rest == rebaseTodo && !f.isFree()):
		return c.checkConfig(p)
	}
	return ""
}

// refuseNewGitDir is refusePrograms for a place that is in no git directory. If the call can make
// one, act first checks which programs it names.
func (c *change) refuseNewGitDir(p place, how manner) (why string) {
	if kept, _ := c.keepsGit(p.path); !kept || how == taken || how == remoded {
		return ""
	}
	dir, name := filepath.Dir(p.path), filepath.Base(p.path)
	switch isGit := strings.EqualFold(name, ".git"); {
	case isGit && p.link:
		c.guard.nameProtected(p.path)
		return "it is protected"
	case isGit || strings.EqualFold(filepath.Base(dir), ".git"):
		return ""
	case name == commonDir && c.isNewCommonDir(p, how):
		return c.writeCommonDir(p)
	case name == "HEAD" && !hasHead(dir):
		if hasEntry(dir, commonDir) && !(gitFile{dir: dir}.isLinked() && c.isGit()) {
			c.guard.nameProtected(p.path)
			return "it is protected"
		}
		return c.sealFirst(dir)
	case marksGit(name) && !p.exists:
		for _, other := range gitEntries {
			if other != name && !hasEntry(dir, other) {
				return ""
			}
		}
		return c.sealFirst(dir)
	}
	return ""
}

// isNewCommonDir reports whether git creates the file commondir of a linked worktree.
func (c *change) isNewCommonDir(p place, how manner) bool {
	linked := gitFile{dir: filepath.Dir(p.path)}.isLinked()
	return linked && how == written && c.opens && !p.exists && c.isGit()
}

// writeCommonDir lets act write the file commondir of a linked worktree. What git writes is dropped:
// with options such as --output, git writes any text to any file.
func (c *change) writeCommonDir(p place) (why string) {
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
		c.reportElsewhere(dir, p.path)
		fd, err := unix.Open(os.DevNull, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return c.install(fd, c.flags)
	}
	return ""
}

// lockGitDirs locks Watcher.gitDirs until the call is answered, if the path can be one of an entry of
// a git directory that matters. Otherwise a directory could become a git directory after a change
// in it was allowed.
func (c *change) lockGitDirs(path string) {
	name := filepath.Base(path)
	if c.locked || !decidesPrograms(name) && !marksGit(name) && filepath.Base(filepath.Dir(path)) != "hooks" {
		return
	}
	c.gitDirs.Lock()
	c.locked = true
}

func (c *change) unlockGitDirs() {
	if c.locked {
		c.gitDirs.Unlock()
	}
}

// failReadOnly lets act fail as a change on a read-only file system does. It reports whether act
// makes the call.
func (c *change) failReadOnly() bool {
	if c.acts { // another directory may be there by then
		c.act = func() error { return unix.EROFS }
	}
	return c.acts
}

// sealFirst checks the programs that a directory names as a git directory. If act makes the call,
// it does so then.
func (c *change) sealFirst(dir string) (why string) {
	check := func() (why string) {
		if why = c.seal(dir); why == "" {
			c.guard.noteSealed(dir)
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
func (c *change) seal(dir string) (why string) {
	at, err := c.inside(dir)
	if err != nil {
		return "" // then it does not become one
	}
	defer unix.Close(at)
	if why = c.sealCommonDir(at, dir); why != "" {
		return why
	}
	for _, name := range []string{"config", "config.worktree"} {
		if why = c.sealConfig(at, dir, name); why != "" {
			return why
		}
	}
	hooks := filepath.Join(dir, "hooks")
	info, err := os.Lstat(c.task().seen(hooks))
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(c.task().seen(hooks))
	runs := info.Mode()&os.ModeSymlink != 0 || info.IsDir() && err != nil
	for _, e := range entries {
		runs = runs || !strings.HasSuffix(e.Name(), ".sample")
	}
	if runs {
		c.guard.nameProtected(hooks)
		return "it is protected"
	}
	return ""
}
