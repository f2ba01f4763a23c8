//go:build amd64 || arm64

package watch

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"agent/internal/llm/phrase"
	"agent/internal/tools/snapshot"
)

// keep keeps the state of a path before its first change in this turn. If state is nil, it
// stores nothing, and the path is not kept later either. It returns why the change is
// refused; "" if it is not. It waits if another call is keeping the path.
func (c *change) keep(path string, state func() snapshot.State) (why string) {
	c.mu.Lock()
	e, found := c.kept[path]
	if !found {
		e = &entry{done: make(chan struct{})}
		c.kept[path] = e
	}
	e.calls++
	c.uses = append(c.uses, e)
	c.mu.Unlock()
	if found {
		<-e.done
		return e.why
	}
	defer close(e.done)
	if state != nil {
		e.why = c.add(path, state())
	}
	return e.why
}

// release notes that the call is answered: it changes nothing more.
func (c *change) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.uses {
		e.calls--
	}
}

// keepPlace keeps the state of a place. It returns why the change is refused.
func (c *change) keepPlace(p place) (why string) {
	return c.keepChanged(p, written)
}

// keepChanged is keepPlace for a change that may be another than writing.
func (c *change) keepChanged(p place, how manner) (why string) {
	if why = c.refuseProtected(p, how); why != "" {
		return why
	}
	return c.keepAt(p)
}

// keepAt is keepPlace without the check of protected names.
func (c *change) keepAt(p place) (why string) {
	if !c.wanted(p.path) {
		if why = c.refuseGit(p); why != "" || !c.isGitState(p.path) {
			return why
		}
	}
	if c.isForeign(p) {
		return ""
	}
	if !utf8.ValidString(p.path) {
		return c.refuse(p.path, "its name is not valid UTF-8")
	}
	return c.keep(p.path, func() snapshot.State { return c.state(p, c.store) })
}

// keepMoved is keepPlace for a path that is removed or renamed. A git directory is not
// kept, only noted as lost.
func (c *change) keepMoved(p place, how manner) (why string) {
	if why = c.refuseProtected(p, how); why != "" {
		return why
	}
	return c.keepRenamed(p)
}

// keepRenamed is keepMoved without the check of protected names.
func (c *change) keepRenamed(p place) (why string) {
	if !p.dir() || !c.git(p.path) {
		return c.keepAt(p)
	}
	why = c.keep(p.path, func() snapshot.State {
		return snapshot.State{Kind: snapshot.Dir, Mode: p.info.Mode & 0o7777, Lost: lostGit}
	})
	if why == "" && !c.guard.isMade(p.path) { // the command has created another one at this path
		return c.refuse(p.path, lostGit)
	}
	return why
}

// lostGit is why a git directory cannot be restored.
const lostGit = "git directories are not kept"

// refuseGit returns why the change of a place in a git directory is refused; "" if the
// command has created the directory, or the place is in none. In a command that runs git, only
// git may change what holds the history.
func (c *change) refuseGit(p place) (why string) {
	for name := range strings.SplitSeq(p.path, "/") {
		if name != ".git" && strings.EqualFold(name, ".git") { // a git directory where case is ignored
			return c.refuse(p.path, lostGit)
		}
	}
	dir, rest := c.outerGitDir(p.path)
	if dir == "" || !c.git(dir) || dir == p.path && !p.exists {
		return ""
	}
	programs, _ := gitFileAt(p.path)
	if c.order.Strict && p.file() && isObject(rest) && !c.guard.isMade(dir) {
		return c.refuse(p.path, "undo needs the objects of git")
	}
	if c.order.Git && (c.isGit() || programs == "" && (!p.exists || !holdsHistory(rest))) {
		return ""
	}
	c.mu.Lock()
	e := c.kept[dir]
	c.mu.Unlock()
	if e != nil {
		if <-e.done; e.why != "" || c.guard.isMade(dir) {
			return e.why
		}
	}
	if filepath.Base(p.path) == IndexLock {
		return c.refuse(p.path, lostGit)
	}
	return c.refuse(dir, lostGit)
}

// isGitState reports whether a path in a git directory holds state that undo restores. In a git
// directory that the command has created, none does.
func (c *change) isGitState(path string) bool {
	dir, rest := c.keptGitDir(path)
	inner, ok := snapshot.GitState(rest)
	return ok && !c.guard.isMade(filepath.Join(dir, inner))
}

// records reports whether the changes of a path are kept.
func (c *change) records(path string) bool { return c.wanted(path) || c.isGitState(path) }

// isObject reports whether a path in a git directory is a file with objects. Git replaces others
// below objects, such as lists and temporary files.
func isObject(path string) bool {
	if strings.HasPrefix(path, "modules/") { // the git directory of a submodule
		_, path, _ = strings.Cut(path, "/objects/")
		path = "objects/" + path
	}
	path, found := strings.CutPrefix(path, "objects/")
	dir, name, _ := strings.Cut(path, "/")
	switch {
	case !found || strings.Contains(name, "/"):
		return false
	case dir == "pack":
		return strings.HasPrefix(name, "pack-") && (strings.HasSuffix(name, ".pack") || strings.HasSuffix(name, ".idx"))
	}
	return len(dir) == 2 && !strings.HasPrefix(name, "tmp_")
}

// holdsHistory reports whether a path in a git directory is one without which commits,
// branches, what is staged, or an operation of git in progress are lost.
func holdsHistory(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.HasPrefix(first, "sharedindex.") || slices.Contains([]string{
		"HEAD", "config", "index", "logs", "modules", "objects", "packed-refs", "refs", "reftable", "shallow", "worktrees", "lfs", "annex",
		"rebase-merge", "rebase-apply", "sequencer", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG",
	}, first)
}

// holdsPrograms reports whether a path in a git directory names programs that git runs.
func holdsPrograms(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains([]string{"config", "config.worktree", "hooks", "info", commonDir}, first)
}

// isGit reports whether the process that makes the call is git. A program that the command
// could have written is not, and neither is one with code that the command could have written.
func (c *change) isGit() bool {
	exe, err := readlink(string(c.task()) + "/exe")
	if err != nil || c.l.Writable(exe) {
		return false
	}
	name := strings.TrimPrefix(filepath.Base(exe), ".") // wrapped programs are called ".git-wrapped"
	return (name == "git" || strings.HasPrefix(name, "git-")) && !c.loadsOwnCode()
}

// loadsOwnCode reports whether code is mapped into the process that is not in a file which the
// command cannot write, as by LD_PRELOAD.
func (c *change) loadsOwnCode() bool {
	text, err := os.ReadFile(string(c.task()) + "/maps")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) < 2 || !strings.Contains(f[1], "x") {
			continue
		}
		line = strings.TrimSuffix(line, "\n")
		_, path, isFile := strings.Cut(line, "/")
		if isFile && (strings.HasSuffix(line, " (deleted)") || c.l.Writable("/"+path)) ||
			!isFile && !strings.HasSuffix(line, " [vdso]") && !strings.HasSuffix(line, " [vsyscall]") {
			return true
		}
	}
	return false
}

// keepMode is keepPlace for a place whose mode changes. Undo does not restore the modes of
// Order.Roots. A directory that nobody can look into any more is made readable again after the
// command, like a possible repository: otherwise it could not be seen what the command did in it.
func (c *change) keepMode(p place, mode uint32) (why string) {
	if slices.Contains(c.order.Roots, p.path) && (p.info.Mode^mode)&0o7777 != 0 {
		return c.refuse(p.path, "undo does not restore its permissions")
	}
	if p.dir() && mode&0o500 != 0o500 && c.order.Strict {
		c.guard.report(p.path, c.guard.isMade(p.path))
	}
	return c.keepChanged(p, remoded)
}

// refuseRoot returns why a path cannot be renamed; "" if it can. Under another name, changes
// in a directory whose changes are kept would not be.
func (w *Watcher) refuseRoot(path string) string {
	for _, root := range w.order.Roots {
		if path == root || below(root, path) {
			return w.refuse(path, "the workspace is in it")
		}
	}
	return ""
}

// git reports whether a path is one of Order.GitDirs or has the name of a git directory, also of one
// that is in no directory whose changes are kept, such as that of the repository which contains the
// workspace. What only the command sees, such as its temporary directory, does not count.
func (c *change) git(path string) bool {
	return slices.Contains(c.order.GitDirs, path) || strings.EqualFold(filepath.Base(path), ".git") && (c.wanted(filepath.Dir(path)+"/git") || !c.isForeign(place{path: path, exists: true}))
}

// state returns the state of a place, and puts the content of a file into contents.
func (w *Watcher) state(p place, contents snapshot.Contents) snapshot.State {
	if !p.exists {
		return snapshot.State{Kind: snapshot.Absent}
	}
	s := snapshot.OfStat(&p.info)
	switch s.Kind {
	case snapshot.Dir:
		if fd, err := unix.Open(p.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			s.Denied = snapshot.DeniedOf(fd)
			_ = unix.Close(fd)
		}
	case snapshot.File:
		why := s.Lost
		s.Lost = ""
		w.putContent(p, &s, contents)
		if s.Lost == "" {
			s.Lost = why
		} else {
			s.Stamp = snapshot.StampOf(&p.info)
		}
	case snapshot.Link:
		target, err := readlink(p.path)
		if err != nil {
			s.Lost = "it cannot be read: " + err.Error()
		}
		if s.Target = target; !utf8.ValidString(target) {
			s.Lost = "its target is not valid UTF-8"
		}
	}
	return s
}

// putContent puts the content of a regular file into contents. It sets Hash and Size, or
// Lost.
func (w *Watcher) putContent(p place, s *snapshot.State, contents snapshot.Contents) {
	if s.Size > w.order.MaxFile {
		s.Lost = snapshot.LostSize
		if w.order.MaxFile != snapshot.MaxFile {
			s.Lost = "it is larger than " + strings.Replace(phrase.Bytes(w.order.MaxFile), ".0 ", " ", 1)
		}
		return
	}
	// If something else is at the path by now, opening it must not wait.
	fd, err := unix.Open(p.path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		s.Lost = "it cannot be read: " + err.Error()
		return
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err = unix.Fstat(fd, &info); err != nil || info.Ino != p.info.Ino || info.Dev != p.info.Dev {
		s.Lost = Raced
		return
	}
	s.Denied = snapshot.DeniedOf(fd)
	hash, size, err := contents.Put(&io.LimitedReader{R: descriptor(fd), N: w.order.MaxFile + 1})
	if err == nil && size > w.order.MaxFile {
		err = errors.New("it grew while it was copied")
	}
	if err != nil {
		s.Lost = err.Error()
		return
	}
	s.Hash, s.Size = hash, size
}

// descriptor reads from a descriptor. Unlike an os.File it needs no finalizer.
type descriptor int

func (d descriptor) Read(b []byte) (int, error) {
	n, err := unix.Read(int(d), b)
	switch {
	case err == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}
