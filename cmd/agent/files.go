package main

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"

	"agent/internal/tools"
	"agent/internal/tools/search"
	"agent/internal/tui"
)

// suggestions returns what finds the files of an index for the screen.
func suggestions(x *search.Index) func(ctx context.Context, query string, limit int) ([]tui.Match, bool) {
	return func(ctx context.Context, query string, limit int) ([]tui.Match, bool) {
		var out []tui.Match
		found, final := x.Suggest(ctx, query, limit)
		for _, s := range found {
			out = append(out, tui.Match{Path: s.Path, Dir: s.Dir, At: s.At})
		}
		return out, final
	}
}

// watched returns ts such that x gets to know which files they read, and that
// they may have made or removed some.
func watched(ts []tools.Tool, x *search.Index) []tools.Tool {
	var out []tools.Tool
	for _, t := range ts {
		out = append(out, watchedTool{t, x})
	}
	return out
}

type watchedTool struct {
	tools.Tool
	index *search.Index
}

func (t watchedTool) Prepare(ctx context.Context, args json.RawMessage) (tools.Call, error) {
	c, err := t.Tool.Prepare(ctx, args)
	if err != nil {
		return c, err
	}
	return watchedCall(c, t.index), nil
}

// watchedShell does the same for what the person types.
func watchedShell(shell func(string, bool) (tools.Call, error), x *search.Index) func(string, bool) (tools.Call, error) {
	return func(line string, told bool) (tools.Call, error) {
		c, err := shell(line, told)
		if err != nil {
			return c, err
		}
		return watchedCall(c, x), nil
	}
}

// watchedCall returns c such that x gets to know what it did.
func watchedCall(c tools.Call, x *search.Index) tools.Call {
	run := c.Run
	c.Run = func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
		r, err := run(ctx, ok)
		if c.Effect == tools.Write || c.Effect == tools.Execute {
			x.Changed()
		}
		for _, seen := range r.Reads {
			if name := filepath.ToSlash(seen.Path); filepath.IsLocal(seen.Path) {
				x.Use(path.Clean(name))
			}
		}
		return r, err
	}
	return c
}
