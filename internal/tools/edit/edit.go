// Package edit replaces bytes in the content of a file, and reads and applies
// patches.
//
// What lies outside the replaced places is kept byte for byte: line endings, a
// byte order mark, invalid UTF-8, a missing last newline. A replacement is only
// made where it is certain which place is meant: text is looked for exactly
// first, and then with one allowance after the other (see Fit), each of which
// must leave a single place. There is no guessing by likeness.
//
// The package knows contents only: it reads and writes no files.
package edit

import (
	"bytes"
	"context"
	"errors"
)

// Result is a file after a replacement.
type Result struct {
	After []byte
	Lines []int // the lines, from 1, on which the replaced places begin
	Fit   Fit   // how closely the text fitted there
}

// The replacements that cannot be made, whatever the file holds.
var (
	ErrSame     = errors.New("old and new are the same, so there is nothing to change: give the text as it is in old and as it should be in new")
	ErrEmptyOld = errors.New("old is empty but the file is not: give the text to replace, with enough of its surroundings to be unique, or use write to replace the whole file")
	ErrAlike    = errors.New("too many places in the file nearly fit, because its lines are so much alike: give fewer lines, and some that occur once, or use write to replace the whole file")
	ErrTooLarge = errors.New("the file would grow beyond 64 MB: make a smaller replacement")
)

// maxAfter is the size in bytes up to which a replacement may let a file grow.
const maxAfter = 64 << 20

// Replace puts new where old is in before. Without all, there must be exactly
// one such place; with all, at least one, and old must fit exactly or but for
// its line endings. An empty old fits an empty file. The error is ErrSame,
// ErrEmptyOld, ErrTooLarge, ErrAlike, a *NotFoundError, an *AmbiguousError or, soon after
// ctx ended, its error.
func Replace(ctx context.Context, before, old, new []byte, all bool) (Result, error) {
	switch {
	case bytes.Equal(old, new):
		return Result{}, ErrSame
	case len(old) == 0 && len(before) > 0:
		return Result{}, ErrEmptyOld
	case len(old) == 0:
		return Result{After: append([]byte{}, new...), Lines: []int{1}}, nil
	}
	w := request{ctx: ctx, before: before, old: old, new: new, all: all}
	for fit, find := range finders() {
		if !w.allows(Fit(fit)) {
			break
		}
		places := find(&w)
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if w.gaveUp {
			return Result{}, ErrAlike
		}
		if len(places) == 0 {
			continue
		}
		lines := lineNumbers(before, places)
		if len(places) > 1 && !all {
			return Result{}, &AmbiguousError{Lines: lines}
		}
		after, err := splice(before, places)
		return Result{After: after, Lines: lines, Fit: Fit(fit)}, err
	}
	return Result{}, &NotFoundError{Near: nearest(ctx, before, w.byLine().old)}
}

// place is a span of the file and what is to stand there.
type place struct {
	start, end int
	text       []byte
}

// splice puts the texts of places, which are in order and do not overlap, into
// a copy of before.
func splice(before []byte, places []place) ([]byte, error) {
	n := len(before)
	for _, p := range places {
		if n += len(p.text) - (p.end - p.start); n > maxAfter && n > len(before) {
			return nil, ErrTooLarge
		}
	}
	after, at := make([]byte, 0, n), 0
	for _, p := range places {
		after = append(append(after, before[at:p.start]...), p.text...)
		at = p.end
	}
	return append(after, before[at:]...), nil
}

func lineNumbers(before []byte, places []place) []int {
	lines, line, at := make([]int, 0, len(places)), 1, 0
	for _, p := range places {
		line += bytes.Count(before[at:p.start], []byte("\n"))
		at = p.start
		lines = append(lines, line)
	}
	return lines
}
