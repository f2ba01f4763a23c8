package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/realpath"
)

// maxListed is how many entries of a protected directory are searched for links.
const maxListed = 4096

// leadingLink is a symbolic link that leads to a protected path, or is one.
type leadingLink struct{ target, why string }

// listed is what a protected directory contained when it was last read.
type listed struct {
	stamp
	racy        bool
	links, dirs []string // absolute; only links to where commands may write
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
		for _, link := range g.linksIn(real, true) {
			g.protectTarget(link, why, &readOnly)
		}
	}
	return readOnly
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
	case g.area.writable(real):
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

// linksIn returns the symbolic links in a directory that lead to where commands may
// write, and those in its subdirectories if deeper is set.
func (g *Guard) linksIn(dir string, deeper bool) (links []string) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	s := stampOf(info)
	l, ok := g.area.listed[dir]
	if !ok || l.racy || l.stamp != s {
		l = g.list(dir, s)
		g.area.listed[dir] = l
	}
	links = slices.Clone(l.links)
	if deeper {
		for _, sub := range l.dirs {
			links = append(links, g.linksIn(sub, false)...)
		}
	}
	return links
}

// list reads a protected directory.
func (g *Guard) list(dir string, s stamp) listed {
	l := listed{stamp: s, racy: s.fresh(time.Now())}
	f, err := os.Open(dir)
	if err != nil {
		return l
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxListed) // with an error, those that could be read
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			l.dirs = append(l.dirs, path)
		case e.Type()&fs.ModeSymlink != 0 && inAny(realpath.Of(path), g.write):
			l.links = append(l.links, path)
		}
	}
	return l
}

// restoreLinks restores the links that led to protected paths and lead elsewhere now.
func (g *Guard) restoreLinks() (notices []Notice) {
	for path, l := range g.links {
		if target, err := os.Readlink(path); exists(path) && (err != nil || target != l.target) && !g.approved(path) {
			notices = append(notices, g.area.relink(path, l))
		}
	}
	return notices
}
