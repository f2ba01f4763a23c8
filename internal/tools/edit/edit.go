// Package edit replaces text in the content of a file, and parses and applies
// patches. It never reads or writes files. Bytes outside the replaced places are
// kept: line endings, a byte order mark, invalid UTF-8, a missing last newline.
//
// A replacement is made only if it is certain which place is meant. The text is
// searched for exactly, and then with one allowance after the other (see Fit);
// each must match exactly one place. There is no fuzzy matching. Start reading at
// ReplaceListed and ApplyHunks.
package edit

import (
	"bytes"
	"context"
	"errors"

	"agent/internal/tools/advice"
)

// Result is a file after replacements.
type Result struct {
	After []byte
	Lines []int // lines, from 1, at which the replaced places begin
	Fit   Fit   // how closely the text matched
	// Numbered is set if line numbers in the texts were ignored.
	Numbered bool
}

// Errors of replacements.
var (
	ErrNoChange       = errors.New("old and new are the same; give the current text in old and the replacement in new")
	ErrEmptyOld       = advice.Add(errors.New("old is empty but the file is not"), "Give the text to replace, with enough context to be unique, or use write to replace the complete file")
	ErrTooManySimilar = advice.Add(errors.New("too many places in the file nearly match, because its lines are very similar"), "Give fewer lines that include a unique one, or use write to replace the complete file")
	ErrTooLarge       = errors.New("the file would grow beyond 64 MB; make a smaller replacement")
)

// maxAfter is the size in bytes up to which replacements may grow a file.
const maxAfter = 64 << 20

// Replace replaces old with new in before. Without all, old must match exactly
// one place. With all, it must match at least one, exactly or except for line
// endings. An empty old matches an empty file. The error is ErrNoChange, ErrEmptyOld,
// ErrTooLarge, ErrTooManySimilar, a *NotFoundError, an *AmbiguousError, or ctx's error
// soon after ctx has ended.
func Replace(ctx context.Context, before, old, new []byte, all bool) (Result, error) {
	switch {
	case bytes.Equal(old, new):
		return Result{}, ErrNoChange
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
			return Result{}, ErrTooManySimilar
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

// replacement is a span of the file and its replacement.
type replacement struct {
	start, end int
	text       []byte
}

// splice returns a copy of before with the places replaced. They must be in order
// and not overlap.
func splice(before []byte, places []replacement) ([]byte, error) {
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

func lineNumbers(before []byte, places []replacement) []int {
	lines, line, at := make([]int, 0, len(places)), 1, 0
	for _, p := range places {
		line += bytes.Count(before[at:p.start], []byte("\n"))
		at = p.start
		lines = append(lines, line)
	}
	return lines
}
