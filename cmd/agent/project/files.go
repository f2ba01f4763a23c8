package project

import (
	"context"

	"agent/internal/tools/search"
	"agent/internal/tui/screen"
)

// Suggestions returns the function with which the screen completes file names.
func Suggestions(x *search.Index) func(ctx context.Context, query string, limit int) ([]screen.Match, bool) {
	return func(ctx context.Context, query string, limit int) ([]screen.Match, bool) {
		var out []screen.Match
		found, final := x.Suggest(ctx, query, limit)
		for _, s := range found {
			out = append(out, screen.Match{Path: s.Path, Dir: s.Dir, At: s.At})
		}
		return out, final
	}
}
