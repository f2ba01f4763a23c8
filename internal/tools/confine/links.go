package confine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/realpath"
)

// maxSearched is how many directories of one protected directory are searched for links, those
// near the top first. With more, commands cannot change the workspace. Directories that
// commands cannot change count for maxOutside instead, and further ones are not searched.
const (
	maxSearched = 2000
	maxOutside  = 200
)

// leadingLink is a symbolic link that leads to a protected path, or is one. The target is ""
// if it is a directory that a link passes.
type leadingLink struct{ target, why string }

// listed is what a protected directory contained when it was last read.
type listed struct {
	stamp
	racy  bool
	dirs  []string // absolute
	links []foundLink
}

// foundLink is a symbolic link in a protected directory.
type foundLink struct {
	path  string   // absolute
	steps []string // what it leads through and, last, to: absolute, without links above it
	dir   bool     // it leads to a directory
}

// resolved is a directory without links, and the links that lead to it.
type resolved struct {
	real  string
	links []realpath.Link
}

// protectPath protects a path, and what it and the links in it lead to. It returns what
// the command must not change.
func (g *Guard) protectPath(path, why string) (readOnly []string) {
	real, info := g.protectTarget(path, why, &readOnly)
	if info != nil && info.IsDir() {
		g.protectLinks(real, why, &readOnly)
	}
	return readOnly
}

// protectLinks protects what the links in a protected directory lead to. It searches the
// directories below it, those that links lead to, and so on.
func (g *Guard) protectLinks(top, why string, readOnly *[]string) {
	todo, seen, inside := []string{top}, map[string]bool{}, 0
	for i := 0; i < len(todo); i++ {
		dir := todo[i]
		isOpen := func(writable string) bool { // commands work in it, or a link leads above it
			return writable == dir || realpath.Inside(writable, dir) && !realpath.Inside(dir, top)
		}
		if seen[dir] || slices.ContainsFunc(g.area.tree.tops, isOpen) {
			continue
		}
		if inAny(dir, g.write) {
			if inside++; inside > maxSearched {
				g.unsearched = top
				*readOnly = append(*readOnly, g.area.tree.tops...)
				return
			}
		} else if len(seen)-inside >= maxOutside {
			continue
		}
		seen[dir] = true
		l := g.area.last.list(dir)
		todo = append(todo, l.dirs...)
		for _, link := range l.links {
			if !g.canMove(link, top) {
				continue
			}
			if real, info := g.protectTarget(link.path, why, readOnly); info != nil && info.IsDir() {
				todo = append(todo, real)
			}
		}
	}
}

// canMove reports whether the command could change what a link leads to, outside the protected
// directory top.
func (g *Guard) canMove(link foundLink, top string) bool {
	return slices.ContainsFunc(link.steps, func(step string) bool {
		return !realpath.Inside(step, top) && (link.dir || inAny(step, g.write))
	})
}

// protectTarget protects what a path leads to, which it returns; info is nil if that does
// not exist. It remembers the links on the way, to restore them.
func (g *Guard) protectTarget(path, why string, readOnly *[]string) (real string, info fs.FileInfo) {
	links, real, info := g.resolve(path)
	if g.approved(path) || slices.Contains(g.area.tree.tops, real) {
		return real, nil
	}
	for _, l := range links {
		if g.area.writable(l.Path) {
			g.links[l.Path] = leadingLink{target: l.Target, why: why}
		}
	}
	switch {
	case !inAny(real, g.write):
	case info != nil:
		*readOnly = append(*readOnly, g.fixed(real, why)...)
	case g.area.writable(real) && realpath.Missing(real):
		g.absent[real] = why
	}
	return real, info
}

// resolve follows the symbolic links in a path. It resolves each directory once per command:
// most protected paths are in the same few. Info is nil if nothing is at real.
func (g *Guard) resolve(path string) (links []realpath.Link, real string, info fs.FileInfo) {
	dir := filepath.Dir(path)
	at, ok := g.dirs[dir]
	if !ok {
		at.links, at.real = realpath.Links(dir)
		g.dirs[dir] = at
	}
	links, real = at.links, filepath.Join(at.real, filepath.Base(path))
	info, err := os.Lstat(real)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		var more []realpath.Link
		more, real = realpath.Links(real)
		links = slices.Concat(links, more)
		info, err = os.Lstat(real)
	}
	if err != nil {
		info = nil
	}
	return links, real, info
}

// list returns the links and directories in a protected directory. It reads only a directory
// that has changed.
func (r *lastRead) list(dir string) listed {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return listed{}
	}
	s := stampOf(info)
	if l, ok := r.listed[dir]; ok && !l.racy && l.stamp == s {
		return l
	}
	l := listed{stamp: s, racy: s.fresh(time.Now())}
	entries, _ := entriesOf(dir, func(e fs.DirEntry) bool { // with an error, those that could be read
		return e.IsDir() || e.Type()&fs.ModeSymlink != 0
	})
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			l.dirs = append(l.dirs, path)
			continue
		}
		links, real := realpath.Links(path)
		link := foundLink{path: path}
		for _, step := range links[min(1, len(links)):] { // the first is the link itself
			link.steps = append(link.steps, step.Path)
		}
		link.steps = append(link.steps, real)
		to, err := os.Stat(real)
		link.dir = err == nil && to.IsDir()
		l.links = append(l.links, link)
	}
	r.listed[dir] = l
	return l
}

// restoreLinks restores the links that led to protected paths and lead elsewhere now, also
// because a directory above them was replaced with a link.
func (g *Guard) restoreLinks() (notices []Notice) {
	for path, l := range g.links {
		target, _ := os.Readlink(path) // "" if it is no link
		dir := filepath.Dir(path)
		if exists(path) && (target != l.target || realpath.Of(dir) != dir) && !g.approved(path) {
			notices = append(notices, g.area.relink(path, l))
		}
	}
	return notices
}

// tooLarge reports that the command could not change the workspace.
func (g *Guard) tooLarge() []Notice {
	if g.unsearched == "" {
		return nil
	}
	show := g.area.show(g.unsearched)
	return []Notice{{
		Short: "read-only workspace: " + show + " is too large",
		Text:  fmt.Sprintf("the command could not change the workspace: %s contains more than %d directories, too many to find all symbolic links that other programs follow", show, maxSearched),
	}}
}
