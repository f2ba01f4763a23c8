// Package search finds files and lines below a directory.
//
// What git would ignore is left out, by exactly git's rules (nested .gitignore
// files, info/exclude, core.excludesFile, from the repository's root on), and
// so is what a .ignore file names, which takes precedence over the .gitignore
// beside it, and a .agentignore file, which does over both. Nothing below .git
// is looked at; other hidden files are. Symbolic links are not followed.
//
// Everything below the directory is reached through one os.Root. Only the
// rules that lie above it, and git's own configuration, are read from outside.
package search

import (
	"context"
	"io/fs"
	"os"
	"strings"
)

// Tree is a directory to look into. It is safe for concurrent use and holds
// nothing between calls, so it never shows what is no longer there.
type Tree struct {
	root  *os.Root
	dir   string
	whole bool // nothing is ignored
	caps  caps
	hide  string
}

// New returns the tree of root, whose absolute path is dir. The root stays the
// caller's to close.
func New(root *os.Root, dir string) *Tree {
	return &Tree{root: root, dir: dir, caps: defaultCaps()}
}

// Hide leaves out the file at p, relative to the tree; empty is none. It returns
// the tree, which is not in use yet.
func (t *Tree) Hide(p string) *Tree {
	t.hide = p
	return t
}

// Whole returns a tree of root in which no rules hold, wherever they may lie:
// all but what is below .git is looked at.
func Whole(root *os.Root) *Tree { return &Tree{root: root, whole: true, caps: defaultCaps()} }

// Ignored reports whether the file or directory at p, which need not exist, is
// left out. p is relative to the tree, with slashes.
func (t *Tree) Ignored(p string, isDir bool) bool {
	if p == "." {
		return false
	}
	r, dir := t.above(newBudget(context.Background(), t.caps)), "."
	names := strings.Split(p, "/")
	for i, name := range names {
		r = t.enterPath(r, dir)
		if r.ignores(dir, name, isDir || i < len(names)-1) {
			return true
		}
		dir = join(dir, name)
	}
	return false
}

// regular opens a file without ever waiting for it, and only if it is one.
func regular(open func(flag int) (*os.File, error)) (*os.File, error) {
	f, err := open(os.O_RDONLY | nonblock)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fs.ErrInvalid
	}
	return f, nil
}
