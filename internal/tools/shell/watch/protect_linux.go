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
	maxNamed   = 5   // protected paths that are reported
	maxPlanted = 500 // directories that are reported as repositories
)

// refuseProtected returns why a strict command cannot change a protected place, or one in a
// protected directory; "" if it can. Git may: a checkout that fails in the middle would leave
// the files of two commits.
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
		if at != "" && !c.mayChange(at, p) {
			c.nameProtected(at)
			return "it is protected"
		}
	}
	return ""
}

// programsOfGit returns the path on the way from root to path that names programs which git
// runs in a repository without a worktree; "" if there is none.
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

// mayChange reports whether a command may change a place at or below a protected path. The
// kernel refuses what is read-only in the sandbox, with an error that the user understands.
func (c *change) mayChange(protected string, p place) bool {
	return c.isReadOnly(p) || c.inNewRepository(protected) || c.isGit() ||
		slices.ContainsFunc(c.order.Approved, func(ok string) bool { return p.path == ok || below(p.path, ok) || below(ok, p.path) })
}

// isReadOnly reports whether the command sees a place on a file system that it cannot write.
func (c *change) isReadOnly(p place) bool {
	path := p.path
	if !p.exists {
		path = filepath.Dir(path)
	}
	var s unix.Statfs_t
	return unix.Statfs(c.task().seen(path), &s) == nil && s.Flags&unix.ST_RDONLY != 0
}

// inNewRepository reports whether a path is in a repository that the command has created, with
// or without a worktree.
func (c *change) inNewRepository(path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		c.mu.Lock()
		made := c.made[dir]
		c.mu.Unlock()
		if !made {
			return false // what contains it is older
		}
		if info, err := os.Lstat(filepath.Join(dir, ".git")); isGitDir(dir) || err == nil && (!info.IsDir() || isGitDir(filepath.Join(dir, ".git"))) {
			return true
		}
	}
	return false
}

// forgetMade forgets that the command has created a directory and those in it, because it gives
// them other names.
func (c *change) forgetMade(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.made, func(dir string, _ bool) bool { return dir == path || below(dir, path) })
}

// isGitDir reports whether git takes a directory for one of its own.
func isGitDir(dir string) bool {
	return !slices.ContainsFunc([]string{"HEAD", "objects", "refs"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err != nil
	})
}

// refuseRenamed returns why a strict command cannot rename a directory, because a file in it
// would get a protected path, such as workflows in a directory that becomes .github; "" if it can.
func (c *change) refuseRenamed(from, to place) (why string) {
	if !c.order.Strict || !from.dir() || !c.protected.Parent(filepath.Base(to.path)) {
		return ""
	}
	entries, err := os.ReadDir(from.path)
	if err != nil {
		return c.refuse(to.path, "the directory cannot be read: "+err.Error())
	}
	for _, e := range entries {
		if c.protected.Why(filepath.Base(from.path), e.Name()) == "" {
			if why = c.refuseProtected(place{path: filepath.Join(to.path, e.Name())}); why != "" {
				return why
			}
		}
	}
	return ""
}

// mayBeGit reports whether a directory may become a repository, or a git directory, if a path
// in it is created.
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

// reportRepository reports that a directory may become a repository, unless the command has
// created it: what is in those is looked at anyway. It returns why that is refused.
func (c *change) reportRepository(dir string) (why string) {
	if !c.wanted(dir) && !slices.Contains(c.order.Roots, dir) { // such as below .git
		return ""
	}
	c.mu.Lock()
	first := !c.made[dir] && !c.planted[dir]
	if first && len(c.planted) < maxPlanted {
		c.planted[dir] = true
	} else if first {
		why = "the command creates too many repositories"
	}
	c.mu.Unlock()
	switch {
	case why != "":
		return c.refuse(dir, why)
	case first:
		c.reports.Repository(dir)
	}
	return ""
}

// nameProtected reports a protected path.
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
