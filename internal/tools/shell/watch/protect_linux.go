//go:build amd64 || arm64

package watch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	maxNamed   = 20   // protected paths that are reported
	maxPlanted = 5000 // directories that are reported as repositories
)

// refuseProtected returns why a strict command cannot change a place because it is protected,
// or in a protected directory; "" if it can. Two changes are allowed, and reported as Created,
// because failing in the middle would leave a mixture: those of git, such as a checkout, and
// those in directories that the command has created, such as a copy or an archive.
func (c *change) refuseProtected(p place) (why string) {
	if !c.order.Strict || len(c.order.Protected) == 0 {
		return ""
	}
	if !p.exists && mayBeGit(p.path) {
		if why = c.reportRepository(filepath.Dir(p.path)); why != "" {
			return why
		}
	}
	for _, root := range c.order.Roots {
		if !below(p.path, root) {
			continue
		}
		at, _ := c.protected.Within(root, p.path)
		if at == "" {
			at = programsOfGit(root, p.path)
		}
		if at == "" && p.exists && marksGit(filepath.Base(p.path)) && isGitDir(filepath.Dir(p.path)) {
			at = p.path // removing this entry would end the protection of the others
		}
		if at != "" && !c.mayChange(at, p) {
			c.nameProtected(at)
			return "it is protected"
		}
	}
	return ""
}

// programsOfGit returns the first path on the way from root to path that is in a bare
// repository and names programs that git runs; "" if there is none.
func programsOfGit(root, path string) string {
	at := strings.TrimSuffix(root, "/")
	for name := range strings.SplitSeq(strings.TrimPrefix(path[len(at):], "/"), "/") {
		if name == ".git" {
			return ""
		}
		if holdsPrograms(name) && isGitDir(at) {
			return at + "/" + name
		}
		at += "/" + name
	}
	return ""
}

// mayChange reports whether a command may change a place at or below a protected path. It
// allows changes of what is read-only in the sandbox: the kernel rejects them, with an error
// that the user understands.
func (c *change) mayChange(protected string, p place) bool {
	if c.isReadOnly(p) || slices.ContainsFunc(c.order.Approved, func(ok string) bool { return p.path == ok || below(p.path, ok) || below(ok, p.path) }) {
		return true
	}
	if p.exists && c.isLoose(protected) {
		return true
	}
	own := c.inNewRepository(protected)
	if name := filepath.Base(protected); !own && (holdsPrograms(name) || marksGit(name)) {
		return c.isPlanted(filepath.Dir(protected)) || c.runsGit() && c.report(filepath.Dir(protected), false) == ""
	}
	if !own && !c.isMade(filepath.Dir(protected)) && !c.runsGit() {
		return false
	}
	c.mu.Lock()
	created := !p.exists && !c.existed[p.path] && !c.loose[protected] // a checkout first removes what it replaces
	if created {
		c.loose[protected] = true
	}
	c.mu.Unlock()
	if created && !own {
		c.reports.Created(protected)
	}
	return true
}

// isPlanted reports whether a directory was reported as a possible repository. Such a
// directory is checked after the command.
func (c *change) isPlanted(dir string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, is := c.planted[dir]
	return is
}

// runsGit reports whether git makes the call, in a command whose text runs git.
func (c *change) runsGit() bool { return c.order.Git && c.isGit() }

// isReadOnly reports whether a place is on a file system that is read-only for the command.
func (c *change) isReadOnly(p place) bool {
	path := p.path
	if !p.exists {
		path = filepath.Dir(path)
	}
	var s unix.Statfs_t
	return unix.Statfs(c.task().seen(path), &s) == nil && s.Flags&unix.ST_RDONLY != 0
}

// inNewRepository reports whether a path is in a repository that the command has created.
func (c *change) inNewRepository(path string) bool { return c.newRepository(path) != "" }

// newRepository returns the repository, with or without a worktree, that the command has created
// and that contains a path; "" if there is none.
func (c *change) newRepository(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if !c.isMade(dir) || c.wasThere(dir) {
			return "" // an older directory is in no new repository
		}
		if info, err := os.Lstat(filepath.Join(dir, ".git")); isGitDir(dir) || err == nil && (!info.IsDir() || isGitDir(filepath.Join(dir, ".git"))) {
			return dir
		}
	}
	return ""
}

// noteMade records that the command creates a directory. An inode of 0 means unknown.
func (c *change) noteMade(dir string, inode uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[dir] = inode
}

// isMade reports whether the command has created the directory at a path.
func (c *change) isMade(dir string) bool {
	c.mu.Lock()
	inode, made := c.made[dir]
	c.mu.Unlock()
	if !made || inode == 0 {
		return made
	}
	now, err := look(dir)
	return err == nil && now.dir() && now.info.Ino == inode
}

// moveMade updates the paths of the directories that the command has created when a path is
// renamed. If something exists at the new path, the call may fail: then it forgets them.
func (c *change) moveMade(from, to place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	moved := map[string]uint64{}
	for dir, inode := range c.made {
		switch {
		case dir == from.path || below(dir, from.path):
			if !to.exists {
				moved[to.path+dir[len(from.path):]] = inode
			}
			delete(c.made, dir)
		case dir == to.path || below(dir, to.path):
			delete(c.made, dir)
		}
	}
	maps.Copy(c.made, moved)
}

// isGitDir reports whether git recognizes a directory as a git directory.
func isGitDir(dir string) bool {
	return !slices.ContainsFunc(gitEntries, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err != nil
	})
}

// refuseMoved returns why a strict command cannot rename a directory, because that moves a file
// in it; "" if it can. Neither the old nor the new path of the file may be protected, unless the
// command has created it: then the new path is reported. The sandbox prevents the same where the
// protected path is read-only.
func (c *change) refuseMoved(from, to string) (why string) {
	if !c.order.Strict || len(c.order.Protected) == 0 {
		return ""
	}
	at := c.protectedAt(to)
	if at == "" {
		at = c.protectedAt(from)
	}
	if repository := filepath.Dir(from); at == "" && filepath.Base(from) == "HEAD" && filepath.Base(repository) != ".git" && isGitDir(repository) && !c.isPlanted(repository) {
		at = repository
	} else if at == "" || c.isLoose(from) || c.runsGit() {
		return ""
	}
	c.nameProtected(at)
	return "it is protected"
}

// isLoose reports whether a path is in Watcher.loose, or below a path in it.
func (c *change) isLoose(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.loose {
		if path == at || below(path, at) {
			return true
		}
	}
	return false
}

// protectedAt returns the first protected path on the way from one of Order.Roots to path; "" if
// there is none.
func (c *change) protectedAt(path string) string {
	for _, root := range c.order.Roots {
		if below(path, root) {
			if at, _ := c.protected.Within(root, path); at != "" {
				return at
			}
		}
	}
	return ""
}

// marksGit reports whether git recognizes git directories by an entry of that name.
func marksGit(name string) bool { return slices.Contains(gitEntries, name) }

var gitEntries = []string{"HEAD", "objects", "refs"}

// mayBeGit reports whether creating path may turn its directory into a repository or a git
// directory.
func mayBeGit(path string) bool {
	switch filepath.Base(path) {
	case ".git", "HEAD", "commondir":
		return true
	case "objects", "refs":
		_, err := os.Lstat(filepath.Join(filepath.Dir(path), "HEAD"))
		return err == nil
	}
	return false
}

// moveReported reports the new paths of repositories, and of protected paths that the command
// has created, when a path is renamed. A path in a repository of the command that moves as a
// whole to a new place needs no report, and neither do the paths in done, to which it adds.
func (c *change) moveReported(from, to string, done map[string]bool) (why string) {
	planted, created := map[string]bool{}, map[string]string{}
	c.mu.Lock()
	for dir, made := range c.planted {
		if dir == from || below(dir, from) {
			planted[to+dir[len(from):]] = made
		}
	}
	for path := range c.loose {
		if (path == from || below(path, from)) && !done[path] {
			created[path] = to + path[len(from):]
		}
	}
	for old, path := range created {
		c.loose[path], done[old] = true, true
	}
	c.mu.Unlock()
	for old, path := range created {
		r := c.newRepository(old)
		if within := r == from || r != "" && below(r, from); !within || c.wasThere(to+r[len(from):]) {
			c.reports.Created(path)
		}
	}
	for dir, made := range planted {
		if why = c.report(dir, made); why != "" {
			return why
		}
	}
	return ""
}

// wasThere reports whether something was at a path before the command changed it.
func (c *change) wasThere(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.existed[path]
}

// reportRepository reports that a directory may become a repository. It returns why the
// command cannot do that; "" if it can.
func (c *change) reportRepository(dir string) (why string) {
	if !c.wanted(dir) && !slices.Contains(c.order.Roots, dir) { // such as below .git
		return ""
	}
	return c.report(dir, c.isMade(dir))
}

// report is reportRepository for any directory. Made is set if the command has created it.
func (c *change) report(dir string, made bool) (why string) {
	c.mu.Lock()
	_, known := c.planted[dir]
	full := len(c.planted) >= maxPlanted
	if !known && !full {
		c.planted[dir] = made
	}
	c.mu.Unlock()
	switch {
	case known:
		return ""
	case full:
		return c.refuse(dir, "the command creates too many repositories")
	}
	c.reports.Repository(dir, made)
	return ""
}

// nameProtected reports a protected path that the command could not change, at most once.
func (c *change) nameProtected(path string) {
	c.mu.Lock()
	first := len(c.named) < maxNamed && !slices.Contains(c.named, path)
	if first {
		c.named = append(c.named, path)
	}
	c.mu.Unlock()
	if first {
		c.reports.Protected(path)
	}
}
