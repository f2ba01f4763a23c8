package search

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// File is a result of Find.
type File struct {
	Path    string // relative to the tree, with slashes
	Changed time.Time
}

// Found holds the results of Find.
type Found struct {
	Files      []File // most recently changed first
	Unreadable Unreadable
	Limits     Limits
}

// Find returns the files below start, a directory of the tree, whose path
// relative to the tree match accepts. match is called from several goroutines.
func (t *Tree) Find(ctx context.Context, start string, match func(p string) bool) (Found, error) {
	var mu sync.Mutex
	var out Found
	b := newBudget(ctx, t.caps)
	unreadable, err := t.walk(b, start, func(_ int, f visited) error {
		p := f.path()
		if !match(p) {
			return nil
		}
		changed, err := f.dir.changed(f.name)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		out.Files = append(out.Files, File{Path: p, Changed: changed})
		return nil
	})
	if err != nil {
		return Found{}, err
	}
	slices.SortFunc(out.Files, func(a, b File) int {
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Path, b.Path))
	})
	out.Unreadable, out.Limits = unreadable, b.reached()
	return out, nil
}
