// Package search finds files and lines below a directory. Start reading at Tree,
// Tree.Find and Tree.Grep.
//
// It excludes what git ignores, by git's rules (nested .gitignore files,
// info/exclude, core.excludesFile, from the root of the repository). A .ignore
// file overrides the .gitignore next to it, and a .agentignore file overrides
// both. The .git directory is always excluded; other hidden files are not.
// Symbolic links are not followed.
//
// All files are accessed through one os.Root. Only rules above the directory and
// git's configuration are read from outside.
package search

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Tree is a directory to search. It caches nothing between calls and is safe for
// concurrent use.
type Tree struct {
	root       *os.Root
	dir        string
	unfiltered bool // no ignore rules apply
	caps       caps
	hide       []string
	withheld   func(p string) bool // see Withhold; may be nil
}

// New returns the tree of root, whose absolute path is dir. The caller closes
// root.
func New(root *os.Root, dir string) *Tree {
	return &Tree{root: root, dir: dir, caps: defaultCaps()}
}

// Hide excludes the files and directories at paths, relative to the tree. It returns t.
// Call it before any search.
func (t *Tree) Hide(paths []string) *Tree {
	t.hide = paths
	return t
}

// hides reports whether Hide excludes the entry of a directory with that name.
func (t *Tree) hides(dir, name string) bool {
	return slices.ContainsFunc(t.hide, func(p string) bool { return strings.EqualFold(join(dir, name), p) })
}

// Withhold makes Grep skip the files below a directory for which withheld returns true. It
// returns t. Call it before any search.
func (t *Tree) Withhold(withheld func(p string) bool) *Tree {
	t.withheld = withheld
	return t
}

// Whole returns a tree of root without ignore rules. Only .git is excluded.
func Whole(root *os.Root) *Tree { return &Tree{root: root, unfiltered: true, caps: defaultCaps()} }

// Ignored reports whether the file or directory at p is excluded. p is relative
// to the tree, with slashes, and need not exist.
func (t *Tree) Ignored(p string, isDir bool) bool {
	return t.Filter(context.Background()).Ignored(p, isDir)
}

// Directory decides which entries of one directory are excluded, by the rules of the time at
// which it was opened. It does not say whether the directory itself is.
type Directory struct {
	t     *Tree
	rules rules
	dir   string // relative to the tree
}

// Top returns the directory of the tree.
func (t *Tree) Top() Directory {
	return Directory{t, t.rulesIn(newBudget(context.Background(), t.caps), "."), "."}
}

// Below returns a directory in d.
func (d Directory) Below(name string) Directory {
	r, dir := d.rules, path.Join(d.dir, name)
	if r.budget != nil {
		r.budget = newBudget(context.Background(), d.t.caps)
	}
	return Directory{d.t, d.t.enterPath(r, dir), dir}
}

// Ignores reports whether the file or directory with that name is excluded.
func (d Directory) Ignores(name string, isDir bool) bool { return d.rules.ignores(d.dir, name, isDir) }

// regular opens a regular file without blocking. It rejects other types.
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

// maxOpens limits the attempts to open a file that is replaced meanwhile.
const maxOpens = 20

// openNoFollow opens the file at p in root, without blocking, unless p is a symbolic
// link.
func openNoFollow(root *os.Root, p string) (*os.File, error) {
	for range maxOpens {
		f, err := root.OpenFile(p, os.O_RDONLY|nonblock, 0)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err == nil {
			if now, lerr := root.Lstat(p); lerr == nil && os.SameFile(info, now) {
				return f, nil
			}
		}
		f.Close()
	}
	return nil, &fs.PathError{Op: "open", Path: p, Err: errors.New("it is a symbolic link, or keeps being replaced")}
}
