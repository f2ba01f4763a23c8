//go:build amd64 || arm64

package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"agent/internal/realpath"
	"agent/internal/tools/protect"
)

const (
	maxNamed   = 20   // protected paths that are reported
	maxPlanted = 5000 // directories that are reported as repositories
)

// protection refuses changes of protected paths. It knows what a command has done to these and to
// repositories, and reports it.
type protection struct {
	order    *order
	names    *protect.Names
	births   *births
	refusals *refusals
	reports  Reports

	mu      sync.Mutex
	planted map[string]bool // directories that were reported as repositories; true if the command has created them
	existed map[string]bool // paths at which something was before their first change
	loose   map[string]bool // protected paths that the command was allowed to create
	named   []string        // protected paths that the command could not change
}

func newProtection(o *order, b *births, r *refusals, reports Reports) *protection {
	var names []protect.Name
	for _, path := range o.Protected {
		names = append(names, protect.Name{Path: path, Why: path})
	}
	return &protection{
		order: o, names: protect.New(names), births: b, refusals: r, reports: reports,
		planted: map[string]bool{}, existed: map[string]bool{}, loose: map[string]bool{},
	}
}

// noteExisting notes that something was at a path before its first change.
func (g *protection) noteExisting(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.loose[path] {
		g.existed[path] = true
	}
}

// nameProtected reports a protected path that the command could not change, at most once. It returns
// why.
func (g *protection) nameProtected(path string) (why string) {
	if g.isFirst(path) {
		g.reports.Protected(path)
	}
	return "it is protected"
}

// nameSettings reports settings in a configuration file of git that the command could not change,
// because they can make git run programs. Without settings, nobody could tell.
func (g *protection) nameSettings(path, settings string) {
	if g.isFirst(path + "\x00" + settings) {
		g.reports.Settings(path, settings)
	}
}

// isFirst notes a name, and reports whether it is one of the first, and new.
func (g *protection) isFirst(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := len(g.named) < maxNamed && !slices.Contains(g.named, name)
	if first {
		g.named = append(g.named, name)
	}
	return first
}

// protectedAt returns the first protected path on the way from one of Order.Roots to path; "" if
// there is none.
func (g *protection) protectedAt(path string) string {
	for _, root := range g.order.Roots {
		if below(path, root) {
			if at, _ := g.names.Within(root, path); at != "" {
				return at
			}
		}
	}
	return ""
}

// shadows reports whether a new file would be a program that runs instead of another one.
func (g *protection) shadows(path string) bool {
	return g.order.Search.Shadows(path) && !g.wasThere(path) && realpath.Missing(path)
}

// newRepository returns the repository, with or without a worktree, that the command has created
// and that contains a path; "" if there is none.
func (g *protection) newRepository(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if !g.births.isMade(dir) || g.wasThere(dir) {
			return "" // an older directory is in no new repository
		}
		if info, err := os.Lstat(filepath.Join(dir, ".git")); isGitDir(dir) || err == nil && (!info.IsDir() || isGitDir(filepath.Join(dir, ".git"))) {
			return dir
		}
	}
	return ""
}

// wasThere reports whether something was at a path before the command changed it.
func (g *protection) wasThere(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.existed[path]
}

// isLoose reports whether a path is in loose, or below a path in it.
func (g *protection) isLoose(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := range g.loose {
		if path == at || below(path, at) {
			return true
		}
	}
	return false
}

// isPlanted reports whether a directory was reported as a possible repository. Such a
// directory is checked after the command.
func (g *protection) isPlanted(dir string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, is := g.planted[dir]
	return is
}

// report reports that a directory may be a repository. Made is set if the command has created
// it. The result is false if there are too many.
func (g *protection) report(dir string, made bool) bool {
	g.mu.Lock()
	_, known := g.planted[dir]
	full := len(g.planted) >= maxPlanted
	if !known && !full {
		g.planted[dir] = made
	}
	g.mu.Unlock()
	if !known && !full {
		g.reports.Repository(dir, made)
	}
	return known || !full
}

// moveReported reports the new paths of repositories, and of protected paths that the command
// has created, when a path is renamed. A path in a repository of the command that moves as a
// whole to a new place needs no report, and neither do the paths in done, to which it adds.
// The result is false if there are too many repositories.
func (g *protection) moveReported(from, to string, done map[string]bool) bool {
	planted, created := map[string]bool{}, map[string]string{}
	g.mu.Lock()
	for dir, made := range g.planted {
		if dir == from || below(dir, from) {
			planted[to+dir[len(from):]] = made
		}
	}
	for path := range g.loose {
		if (path == from || below(path, from)) && !done[path] {
			created[path] = to + path[len(from):]
		}
	}
	for old, path := range created {
		g.loose[path], done[old] = true, true
	}
	g.mu.Unlock()
	for old, path := range created {
		r := g.newRepository(old)
		if within := r == from || r != "" && below(r, from); !within || g.wasThere(to+r[len(from):]) {
			g.reports.Created(path)
		}
	}
	for dir, made := range planted {
		if !g.report(dir, made) {
			return false
		}
	}
	return true
}

// noteCreated notes that the command creates a protected path, and reports whether that is new.
func (g *protection) noteCreated(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.loose[path]
	g.loose[path] = true
	return !known
}

// refuse returns why a strict command cannot change a place because it is protected,
// or in a protected directory; "" if it can. New paths are allowed in two cases, and reported as
// Created, because failing in the middle would leave a mixture: to git, as in a checkout, and in
// directories that the command has created, as in a copy or an archive.
func (g *protection) refuse(c *call, p place) (why string) {
	dir := filepath.Dir(p.path)
	binds := !p.file() && !p.dir() && mayBeGit(p.path)                         // binding a socket creates it without a held call
	if binds && (g.order.wanted(dir) || slices.Contains(g.order.Roots, dir)) { // otherwise such as below .git
		if why = g.reportAs(dir, g.births.isMade(dir)); why != "" {
			return why
		}
	}
	for _, root := range g.order.Roots {
		if !below(p.path, root) {
			continue
		}
		at, _ := g.names.Within(root, p.path)
		if at == "" && p.exists && marksGit(filepath.Base(p.path)) && isGitDir(filepath.Dir(p.path)) {
			at = p.path // removing this entry would end the protection of the others
		}
		if at == "" && (p.link || p.is(unix.S_IFLNK)) && g.names.Parent(filepath.Dir(p.path), filepath.Base(p.path)) {
			at = p.path // it leads to a directory whose entries this name protects
		}
		if at == "" && (g.shadows(p.path) || p.link && g.order.Search.Leads(p.path)) {
			at = p.path
		}
		if at != "" && !g.mayChange(c, at, p) {
			return g.nameProtected(at)
		}
	}
	return ""
}

// mayChange reports whether a command may change a place at or below a protected path. A change of
// what is read-only in the sandbox fails as the kernel would let it fail, with an error that the
// user understands. So does a change by git of a protected path that existed before and that no
// scan has found.
func (g *protection) mayChange(c *call, protected string, p place) bool {
	if c.isReadOnly(p) {
		c.failReadOnly()
		return true
	}
	if g.order.isApproved(p.path) {
		return true
	}
	loose := g.isLoose(protected)
	if p.exists && loose {
		return true
	}
	own := g.newRepository(protected) != ""
	if !own && marksGit(filepath.Base(protected)) {
		return g.isPlanted(filepath.Dir(protected)) || c.runsGit() && g.report(filepath.Dir(protected), false)
	}
	if !own && !g.births.isMade(filepath.Dir(protected)) {
		if !c.runsGit() {
			return false
		}
		if exists := p.exists && p.path == protected || !realpath.Missing(protected); exists && !loose {
			g.nameProtected(protected)
			return c.failReadOnly()
		}
	}
	if !p.exists && g.noteCreated(protected) && !own {
		g.reports.Created(protected)
	}
	return true
}

// refuseMoved returns why a strict command cannot rename a directory, because that moves a file
// in it; "" if it can. Neither the old nor the new path of the file may be protected, unless the
// command has created it: then the new path is reported. The sandbox prevents the same where the
// protected path is read-only.
func (g *protection) refuseMoved(c *call, from, to string) (why string) {
	if !g.order.protects() {
		return ""
	}
	if g.shadows(to) {
		return g.nameProtected(to)
	}
	at := g.protectedAt(to)
	if at == "" {
		at = g.protectedAt(from)
	}
	if repository := filepath.Dir(from); at == "" && filepath.Base(from) == "HEAD" && filepath.Base(repository) != ".git" && isGitDir(repository) && !g.isPlanted(repository) {
		at = repository
	} else if at == "" || g.isLoose(from) || c.runsGit() {
		return ""
	}
	return g.nameProtected(at)
}

// reportMoved reports the protected paths that a rename to a path has created, and the
// repositories. It looks at what is there now: other calls, also those of other commands, may have
// created it after renameTree had looked.
func (g *protection) reportMoved(c *call, to string) {
	if !g.order.protects() || g.protectedAt(to) != "" || g.newRepository(to) != "" || c.runsGit() {
		return
	}
	info, err := os.Lstat(to)
	switch {
	case err != nil:
		return
	case info.Mode()&os.ModeSymlink != 0:
		if g.names.Parent(filepath.Dir(to), filepath.Base(to)) {
			g.reportCreated(to)
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
			g.report(filepath.Dir(path), g.births.isMade(filepath.Dir(path)))
		}
		at := g.protectedAt(path)
		if at != "" {
			g.reportCreated(at)
		}
		if d.IsDir() && (at != "" || strings.EqualFold(d.Name(), ".git")) {
			return fs.SkipDir
		}
		return nil
	})
}

// reportElsewhere reports a protected path that a call may have created in an open directory,
// although the path that was checked is another one: the directory was renamed meanwhile.
func (g *protection) reportElsewhere(c *call, dir int, path string) {
	if !g.order.Strict {
		return
	}
	now, err := readlink(ownDescriptor(dir))
	if err != nil || now == filepath.Dir(path) {
		return
	}
	path = filepath.Join(now, filepath.Base(path))
	if at := g.protectedAt(path); at != "" {
		g.reportCreated(at)
	}
	if mayBeGit(path) {
		g.report(now, false)
	}
	g.reportMoved(c, path)
}

// reportCreated reports a protected path that the command has created.
func (g *protection) reportCreated(path string) {
	if g.noteCreated(path) {
		g.reports.Created(path)
	}
}

// reportAs reports that a directory may become a repository. Made is set if the command has created
// it. It returns why the command cannot do that; "" if it can.
func (g *protection) reportAs(dir string, made bool) (why string) {
	if !g.report(dir, made) {
		return g.refusals.refuse(dir, tooManyRepositories)
	}
	return ""
}

const tooManyRepositories = "the command creates too many repositories"
