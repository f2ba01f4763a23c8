package main

import (
	"context"
	"path"
	"path/filepath"

	"agent/internal/tools"
	"agent/internal/tools/search"
	"agent/internal/tui/screen"
)

// suggestions returns the function with which the screen completes file names.
func suggestions(x *search.Index) func(ctx context.Context, query string, limit int) ([]screen.Match, bool) {
	return func(ctx context.Context, query string, limit int) ([]screen.Match, bool) {
		var out []screen.Match
		found, final := x.Suggest(ctx, query, limit)
		for _, s := range found {
			out = append(out, screen.Match{Path: s.Path, Dir: s.Dir, At: s.At})
		}
		return out, final
	}
}

// indexUpdater tells the index which files a call read, and that a call may have
// created or deleted files. It implements tools.RunInterceptor.
type indexUpdater struct{ index *search.Index }

func (x indexUpdater) Run(ctx context.Context, _ tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	r, err := next(ctx, c, ok)
	if c.Effect == tools.Write || c.Effect == tools.Execute {
		x.index.Changed()
	}
	for _, seen := range r.Reads {
		if name := filepath.ToSlash(seen.Path); filepath.IsLocal(seen.Path) {
			x.index.Use(path.Clean(name))
		}
	}
	return r, err
}
