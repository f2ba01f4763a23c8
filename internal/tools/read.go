package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/read"
)

//go:embed read.md
var readText string

type readArgs struct {
	Path   string `json:"path" jsonschema:"the file to read, relative to the working directory"`
	Offset int    `json:"offset,omitempty" jsonschema:"the first line to give, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to give; 2000 if it is not given"`
}

func (w *Workspace) readTool(known *Ledger) Tool {
	return New("read", readText, func(_ context.Context, a readArgs) (Call, error) {
		if a.Offset < 0 || a.Limit < 0 {
			return Call{}, errors.New("offset and limit must not be negative: lines are counted from 1")
		}
		if a.Path == "" {
			return Call{}, errors.New("the path is empty: give the file to read")
		}
		at, err := w.reach(a.Path)
		if err != nil {
			return Call{}, err
		}
		p, err := at.start(a.Path)
		if err != nil {
			return Call{}, err
		}
		span := span{first: max(a.Offset, 1), limit: maxLines}
		if a.Limit > 0 {
			span.limit = min(a.Limit, maxLines)
		}
		title := "read " + at.show(p)
		if span.first > 1 {
			title += fmt.Sprintf(" from line %d", span.first)
		}
		return Call{
			Title:   title,
			Effect:  Read,
			Targets: []Target{{Kind: Path, Value: at.show(p)}},
			Run: func(ctx context.Context, _ Approved) (Result, error) {
				return within(ctx, func() (Result, error) { return at.read(ctx, known, p, span) })
			},
		}, nil
	})
}

func (w *Workspace) read(ctx context.Context, known *Ledger, p string, s span) (Result, error) {
	name := w.show(p)
	f, info, err := w.open(name, p)
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	if info.IsDir() {
		return w.list(ctx, p, 1)
	}
	defer unblock(ctx, f)()
	in := newSource(ctx, name, f, info)
	switch read.KindOf(name, in.sample()) {
	case read.Picture:
		return w.picture(ctx, in)
	case read.Notebook:
		return w.notebook(ctx, in, known, s)
	case read.PDF:
		return Result{}, noPDF(in)
	}
	return in.lines(ctx, known, s)
}

// lines shows the lines of a file that is text.
func (in *source) lines(ctx context.Context, known *Ledger, s span) (Result, error) {
	e, err := in.text()
	if err != nil {
		return Result{}, err
	}
	page, err := newLineReader(ctx, e.Decode(in.content())).page(s, in.counted())
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", in.name, reason(err))
	}
	if page.shown == 0 && s.first > 1 {
		return Result{}, page.beyond(in.name)
	}
	seen := in.reading()
	if page.total == 0 {
		return Result{Text: "(the file is empty)\n", Summary: "0 lines", Reads: []Reading{seen}}, nil
	}
	seen.First, seen.Last = s.first, s.first+page.shown-1
	if step, ok := known.shown(seen); ok {
		return Result{
			Text: fmt.Sprintf("unchanged since step %d: lines %d-%d of %s are still as shown there\n", step, seen.First, seen.Last, in.name) +
				page.place(s, in.size),
			Summary: fmt.Sprintf("unchanged since step %d", step),
		}, nil
	}
	text := page.text.String() + page.oddities(e) + page.place(s, in.size)
	return Result{Text: strings.ToValidUTF8(text, "\ufffd"), Summary: phrase.Count(page.shown, "line"), Reads: []Reading{seen}}, nil
}
