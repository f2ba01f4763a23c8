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
	Depth  int // 0 for entries of the listed directory
	Mode   fs.FileMode
	Target string // target of a symbolic link
}

// Listing is the content of a directory.
type Listing struct {
	Entries []Entry // each directory followed by its content
	More    int     // entries beyond the limit, in the directories that were read
	Ignored int     // ignored entries
	Limits  Limits  // Limits.Large counts directories that were not read completely
}

// List returns the content of dir down to depth (1 is dir only), sorted by name.
// After limit entries it only counts.
func (t *Tree) List(ctx context.Context, dir string, depth, limit int) (Listing, error) {
	var out Listing
	b := newBudget(ctx, t.caps)
	l := lister{tree: t, limit: limit, listing: &out, remaining: min(t.caps.entries, maxListed)}
	err := l.list(ctx, dir, 0, depth, t.rulesIn(b, dir))
	large := out.Limits.Large
	out.Limits = b.reached()
	out.Limits.Large = large
	return out, err
}

// maxListed is the maximum number of entries read for a listing, including
// excluded ones.
const maxListed = 100_000

type lister struct {
	tree      *Tree
	limit     int
	remaining int // entries that may still be read
	listing   *Listing
}

func (l *lister) list(ctx context.Context, dir string, depth, max int, r rules) error {
	d, err := openFolder(l.tree.root, dir)
	if err != nil {
		return err
	}
	defer d.close()
	var entries []fs.DirEntry
	has := d.has
	more, err := readDir(ctx, d, l.remaining, func(part []fs.DirEntry, h func(string) bool) {
		if entries == nil {
			has = h
		}
		entries = append(entries, part...)
	})
	if err != nil {
		return err
	}
	if l.remaining -= len(entries); more {
		l.listing.Limits.Large++
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
				l.listing.Ignored++
			}
			continue
		}
		if len(l.listing.Entries) >= l.limit {
			l.listing.More++
			continue
		}
		l.add(dir, depth, e)
		if e.IsDir() && depth+1 < max {
			// Unreadable directories are listed without content.
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
	l.listing.Entries = append(l.listing.Entries, entry)
}
