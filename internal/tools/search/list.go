package search

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
)

// Entry is one line of a listing.
type Entry struct {
	Path   string // relative to the tree, with slashes
	Name   string
	Depth  int // 0 for what is directly in the listed directory
	Mode   fs.FileMode
	Target string // where a symbolic link points
}

// Listing is the content of a directory.
type Listing struct {
	Entries []Entry // each directory followed by what is in it
	More    int     // entries beyond the limit, in the directories that were looked into
	Ignored int     // entries left out because they are ignored
	Limits  Limits  // Limits.Large counts directories that were not read to their end
}

// List returns what is in dir, directories down to depth (1 is dir alone), in
// the order of their names. It stops at limit entries and counts the rest of
// the directories it is in.
func (t *Tree) List(ctx context.Context, dir string, depth, limit int) (Listing, error) {
	var out Listing
	b := newBudget(ctx, t.caps)
	l := lister{tree: t, limit: limit, out: &out, left: min(t.caps.entries, maxListed)}
	err := l.list(ctx, dir, 0, depth, t.rulesIn(b, dir))
	large := out.Limits.Large
	out.Limits = b.reached()
	out.Limits.Large = large
	return out, err
}

// maxListed is how many entries a listing looks at, with those that it leaves
// out.
const maxListed = 100_000

type lister struct {
	tree  *Tree
	limit int
	left  int // entries that may still be looked at
	out   *Listing
}

func (l *lister) list(ctx context.Context, dir string, depth, max int, r rules) error {
	d, err := openFolder(l.tree.root, dir)
	if err != nil {
		return err
	}
	defer d.close()
	var entries []fs.DirEntry
	has := d.has
	more, err := readDir(ctx, d, l.left, func(part []fs.DirEntry, h func(string) bool) {
		if entries == nil {
			has = h
		}
		entries = append(entries, part...)
	})
	if err != nil {
		return err
	}
	if l.left -= len(entries); more {
		l.out.Limits.Large++
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	if depth > 0 {
		r = l.tree.enter(r, d, dir, has)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.ignores(dir, e.Name(), e.IsDir()) {
			if e.Name() != gitDir {
				l.out.Ignored++
			}
			continue
		}
		if len(l.out.Entries) >= l.limit {
			l.out.More++
			continue
		}
		l.add(dir, depth, e)
		if e.IsDir() && depth+1 < max {
			// A directory that cannot be read is listed all the same.
			if err := l.list(ctx, join(dir, e.Name()), depth+1, max, r); err != nil && ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) add(dir string, depth int, e fs.DirEntry) {
	p := join(dir, e.Name())
	entry := Entry{Path: p, Name: e.Name(), Depth: depth, Mode: e.Type()}
	if e.Type()&fs.ModeSymlink != 0 {
		entry.Target, _ = l.tree.root.Readlink(p)
	}
	l.out.Entries = append(l.out.Entries, entry)
}
