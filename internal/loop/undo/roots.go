package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/search"
	"agent/internal/tools/snapshot"
)

// roots are the open directories in which paths are examined and restored.
type roots struct {
	all  []root // longer names first
	main string // the first directory, in which the others may lie
}

// root is one of them.
type root struct {
	dir     string // absolute, without symbolic links
	open    *os.Root
	ignored map[string]ignores // by directory: see ignore
	isGit   bool               // it is a git directory
}

// rootPath is a path in one of the roots.
type rootPath struct {
	root
	rel   string             // with slashes
	known map[directory]bool // directories that need not be looked up again; nil for none
	// repository is the git directory, absolute, whose state the path holds; empty for a file of
	// the user.
	repository string
}

// directory is a directory in a root.
type directory struct{ root, rel string }

// directories are the roots to open.
type directories struct {
	dirs []string // the first one is the workspace
	// repositories are git directories outside dirs whose state was recorded. A command can remove
	// what leads to them from dirs.
	repositories []string
}

// openRoots opens directories. The first one must exist; others that are gone are left
// out, because the worktrees of delegates are removed. The git directories of their repositories
// are roots, too. The caller closes it.
func openRoots(d directories) (*roots, error) {
	a := &roots{}
	dirs := d.dirs
	for i, dir := range slices.Concat(dirs, repositoriesOf(dirs), d.repositories) {
		if slices.ContainsFunc(a.all, func(r root) bool { return r.dir == dir }) {
			continue
		}
		open, err := os.OpenRoot(dir)
		switch {
		case err == nil:
			a.all = append(a.all, root{dir, open, map[string]ignores{}, i >= len(dirs)})
		case i == 0 || !errors.Is(err, fs.ErrNotExist):
			a.close()
			return nil, fmt.Errorf("open the directory of the session: %w", err)
		}
	}
	a.main = dirs[0]
	slices.SortStableFunc(a.all, func(x, y root) int { return len(y.dir) - len(x.dir) })
	return a, nil
}

func (a *roots) close() {
	for _, r := range a.all {
		_ = r.open.Close()
	}
}

// at returns the rootPath of an absolute path. It reports false for a path that is never
// restored: outside of the roots, a root itself, or in a git directory without holding its state.
func (a *roots) at(name string) (rootPath, bool) {
	for _, r := range a.all {
		rel, err := filepath.Rel(r.dir, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		rel = filepath.ToSlash(rel)
		if dir, ok := r.stateAt(rel); ok {
			return rootPath{root: r, rel: rel, repository: dir}, true
		}
		if path.Base(rel) == ".git" && !strings.Contains("/"+path.Dir(rel)+"/", "/.git/") { // of a linked worktree
			info, err := r.open.Lstat(rel)
			return rootPath{root: r, rel: rel}, err == nil && !info.IsDir() || errors.Is(err, fs.ErrNotExist)
		}
		isGit := func(s string) bool { return strings.EqualFold(s, ".git") }
		return rootPath{root: r, rel: rel}, rel != "." && !r.isGit && !slices.ContainsFunc(strings.Split(rel, "/"), isGit)
	}
	return rootPath{}, false
}

// isState reports whether an absolute path holds the state of git.
func (a *roots) isState(name string) bool {
	at, ok := a.at(name)
	return ok && at.repository != ""
}

// show returns a path as the user knows it: relative to the first root, if it lies there.
func (a *roots) show(name string) string {
	if rel, in := realpath.Rel(name, a.main); in {
		return filepath.ToSlash(rel)
	}
	return name
}

// capture returns the state of p. Below a symbolic link or a file, everything is absent.
func (p rootPath) capture(contents snapshot.Contents) snapshot.State {
	if !p.inDirectories() {
		return snapshot.State{Kind: snapshot.Absent}
	}
	return snapshot.Take(p.open, p.rel, contents)
}

// look is take without the content.
func (p rootPath) look() snapshot.State {
	if !p.inDirectories() {
		return snapshot.State{Kind: snapshot.Absent}
	}
	s, _ := snapshot.Look(p.open, p.rel)
	return s
}

// inDirectories reports whether all parents of p are directories, not symbolic links.
func (p rootPath) inDirectories() bool {
	if p.open == nil { // see enter
		return false
	}
	for i, c := range p.rel {
		if c != '/' {
			continue
		}
		at := directory{p.dir, p.rel[:i]}
		if p.known[at] {
			continue
		}
		if info, err := p.open.Lstat(at.rel); err != nil || !info.IsDir() {
			return false
		}
		if p.known != nil {
			p.known[at] = true
		}
	}
	return true
}

// isIgnored reports whether git ignores the file at p.
func (p rootPath) isIgnored() bool {
	if p.repository != "" {
		return false
	}
	dir, name := path.Split(p.rel)
	return p.ignore(path.Clean(dir), name, false)
}

// ignores answers for the entries of one directory whether git ignores them.
type ignores struct {
	all bool // git ignores the directory
	in  search.Directory
}

// ignore reports whether git ignores an entry of dir.
func (r root) ignore(dir, name string, isDir bool) bool {
	k, known := r.ignored[dir]
	if !known {
		if dir == "." {
			k.in = search.New(r.open, r.dir).Top()
		} else {
			parent, base := path.Split(dir)
			parent = path.Clean(parent)
			if k.all = r.ignore(parent, base, true); !k.all {
				k.in = r.ignored[parent].in.Below(base)
			}
		}
		r.ignored[dir] = k
	}
	return k.all || k.in.Ignores(name, isDir)
}
