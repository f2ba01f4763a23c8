package search

import (
	"context"
	"path"
)

// Filter decides which paths of a tree are excluded. It reads the rules of each
// directory once. It is not safe for concurrent use.
type Filter struct {
	tree  *Tree
	above rules
	dirs  map[string]filteredDir
}

// filteredDir is a directory whose rules a Filter has read.
type filteredDir struct {
	rules
	excluded bool // the directory and everything in it
}

// Filter returns a Filter for t. Once ctx has ended, it reads no more rules.
func (t *Tree) Filter(ctx context.Context) *Filter {
	return &Filter{tree: t, above: t.above(newBudget(ctx, t.caps)), dirs: map[string]filteredDir{}}
}

// Ignored reports whether the file or directory at p is excluded. p is relative
// to the tree, with slashes, and need not exist.
func (f *Filter) Ignored(p string, isDir bool) bool {
	if p == "." {
		return false
	}
	dir := f.dir(path.Dir(p))
	return dir.excluded || dir.ignores(path.Dir(p), path.Base(p), isDir)
}

func (f *Filter) dir(dir string) filteredDir {
	d, known := f.dirs[dir]
	switch {
	case known:
		return d
	case dir == ".":
		d.rules = f.tree.enterPath(f.above, dir)
	case f.Ignored(dir, true):
		d.excluded = true
	default:
		d.rules = f.tree.enterPath(f.dirs[path.Dir(dir)].rules, dir)
	}
	f.dirs[dir] = d
	return d
}
