//go:build amd64 || arm64

package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"agent/internal/realpath"
)

const (
	maxNamed   = 20   // protected paths that are reported
	maxPlanted = 5000 // directories that are reported as repositories
)

// refuseProtected returns why a strict command cannot change a place because it is protected,
// or in a protected directory; "" if it can. New paths are allowed in two cases, and reported as
// Created, because failing in the middle would leave a mixture: to git, as in a checkout, and in
// directories that the command has created, as in a copy or an archive.
func (c *change) refuseProtected(p place, how manner) (why string) {
	if !c.order.Strict || len(c.order.Protected) == 0 {
		return ""
	}
	if why = c.refusePrograms(p, how); why != "" {
		return why
	}
	if !p.file() && !p.dir() && mayBeGit(p.path) { // binding a socket creates it without a held call
		if why = c.reportRepository(filepath.Dir(p.path)); why != "" {
			return why
		}
	}
	for _, root := range c.order.Roots {
		if !below(p.path, root) {
			continue
		}
		at, _ := c.guard.names.Within(root, p.path)
		if at == "" && p.exists && marksGit(filepath.Base(p.path)) && isGitDir(filepath.Dir(p.path)) {
			at = p.path // removing this entry would end the protection of the others
		}
		if at == "" && (p.link || p.is(unix.S_IFLNK)) && c.guard.names.Parent(filepath.Dir(p.path), filepath.Base(p.path)) {
			at = p.path // it leads to a directory whose entries this name protects
		}
		if at == "" && (c.guard.shadows(p.path) || p.link && c.guard.search.Leads(p.path)) {
			at = p.path
		}
		if at != "" && !c.mayChange(at, p) {
			c.guard.nameProtected(at)
			return "it is protected"
		}
	}
	return ""
}

// mayChange reports whether a command may change a place at or below a protected path. A change of
// what is read-only in the sandbox fails as the kernel would let it fail, with an error that the
// user understands. So does a change by git of a protected path that existed before and that no
// scan has found.
func (c *change) mayChange(protected string, p place) bool {
	if c.isReadOnly(p) {
		c.failReadOnly()
		return true
	}
	if c.isApproved(p.path) {
		return true
	}
	loose := c.guard.isLoose(protected)
	if p.exists && loose {
		return true
	}
	own := c.guard.newRepository(protected) != ""
	if !own && marksGit(filepath.Base(protected)) {
		return c.guard.isPlanted(filepath.Dir(protected)) || c.runsGit() && c.guard.report(filepath.Dir(protected), false)
	}
	if !own && !c.guard.isMade(filepath.Dir(protected)) {
		if !c.runsGit() {
			return false
		}
		if exists := p.exists && p.path == protected || !realpath.Missing(protected); exists && !loose {
			c.guard.nameProtected(protected)
			return c.failReadOnly()
		}
	}
	if !p.exists && c.guard.noteCreated(protected) && !own {
		c.guard.reports.Created(protected)
	}
	return true
}

// isApproved reports whether the user approved the change of a path, or of one below it.
func (c *change) isApproved(path string) bool {
	return slices.ContainsFunc(c.order.Approved, func(ok string) bool { return path == ok || below(path, ok) || below(ok, path) })
}

// runsGit reports whether git makes the call, in a command whose text runs git.
func (c *change) runsGit() bool { return c.order.Git && c.isGit() }

// isReadOnly reports whether a place is on a file system that is read-only for the command. A link
// at the place is not followed.
func (c *change) isReadOnly(p place) bool {
	path := p.path
	if !p.exists {
		path = filepath.Dir(path)
	}
	fd, err := c.openInside(path, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var s unix.Statfs_t
	return unix.Fstatfs(fd, &s) == nil && s.Flags&unix.ST_RDONLY != 0
}

// isGitDir reports whether git may recognize a directory as a git directory. It counts entries that
// cannot be looked up.
func isGitDir(dir string) bool {
	return !slices.ContainsFunc(gitEntries, func(name string) bool { return realpath.Missing(filepath.Join(dir, name)) })
}

// refuseMoved returns why a strict command cannot rename a directory, because that moves a file
// in it; "" if it can. Neither the old nor the new path of the file may be protected, unless the
// command has created it: then the new path is reported. The sandbox prevents the same where the
// protected path is read-only.
func (c *change) refuseMoved(from, to string) (why string) {
	if !c.order.Strict || len(c.order.Protected) == 0 {
		return ""
	}
	if c.guard.shadows(to) {
		c.guard.nameProtected(to)
		return "it is protected"
	}
	at := c.guard.protectedAt(to)
	if at == "" {
		at = c.guard.protectedAt(from)
	}
	if repository := filepath.Dir(from); at == "" && filepath.Base(from) == "HEAD" && filepath.Base(repository) != ".git" && isGitDir(repository) && !c.guard.isPlanted(repository) {
		at = repository
	} else if at == "" || c.guard.isLoose(from) || c.runsGit() {
		return ""
	}
	c.guard.nameProtected(at)
	return "it is protected"
}

// reportMoved reports the protected paths that a rename to a path has created, and the
// repositories. It looks at what is there now: other calls, also those of other commands, may have
// created it after renameTree had looked.
func (c *change) reportMoved(to string) {
	if !c.order.Strict || len(c.order.Protected) == 0 || c.guard.protectedAt(to) != "" || c.guard.newRepository(to) != "" || c.runsGit() {
		return
	}
	info, err := os.Lstat(to)
	switch {
	case err != nil:
		return
	case info.Mode()&os.ModeSymlink != 0:
		if c.guard.names.Parent(filepath.Dir(to), filepath.Base(to)) {
			c.reportCreated(to)
		}
		return
	case !info.IsDir():
		return
	}
	seen := 0
	_ = filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen%64 == 0 && !c.l.Waits(c.n) {
			return fs.SkipAll
		}
		if err != nil || path == to {
			return nil // a directory that cannot be read moved as it is
		}
		if mayBeGit(path) {
			c.guard.report(filepath.Dir(path), c.guard.isMade(filepath.Dir(path)))
		}
		at := c.guard.protectedAt(path)
		if at != "" {
			c.reportCreated(at)
		}
		if d.IsDir() && (at != "" || strings.EqualFold(d.Name(), ".git")) {
			return fs.SkipDir
		}
		return nil
	})
}

// reportElsewhere reports a protected path that a call may have created in an open directory,
// although the path that was checked is another one: the directory was renamed meanwhile.
func (c *change) reportElsewhere(dir int, path string) {
	if !c.order.Strict {
		return
	}
	now, err := readlink(ownDescriptor(dir))
	if err != nil || now == filepath.Dir(path) {
		return
	}
	path = filepath.Join(now, filepath.Base(path))
	if at := c.guard.protectedAt(path); at != "" {
		c.reportCreated(at)
	}
	if mayBeGit(path) {
		c.guard.report(now, false)
	}
	c.reportMoved(path)
}

// reportCreated reports a protected path that the command has created.
func (c *change) reportCreated(path string) {
	if c.guard.noteCreated(path) {
		c.guard.reports.Created(path)
	}
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
		return !realpath.Missing(filepath.Join(filepath.Dir(path), "HEAD"))
	}
	return false
}

// reportRepository reports that a directory may become a repository. It returns why the
// command cannot do that; "" if it can.
func (c *change) reportRepository(dir string) (why string) {
	if !c.wanted(dir) && !slices.Contains(c.order.Roots, dir) { // such as below .git
		return ""
	}
	return c.reportAs(dir, c.guard.isMade(dir))
}

// reportAs is reportRepository for any directory. Made is set if the command has created it.
func (c *change) reportAs(dir string, made bool) (why string) {
	if !c.guard.report(dir, made) {
		return c.refuse(dir, tooManyRepositories)
	}
	return ""
}

const tooManyRepositories = "the command creates too many repositories"
