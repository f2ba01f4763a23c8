package edit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/tools/advice"
)

// ApplyHunks applies all hunks to before, or none. Each must match exactly one
// place, among those below its @@ lines or after the previous hunk. Soon after
// ctx has ended, it returns ctx's error.
func ApplyHunks(ctx context.Context, before []byte, hunks []Hunk) (Result, error) {
	p := patcher{document: newDocument(ctx, before), eol: commonEnding(before)}
	var places []replacement
	var fit Fit
	for _, h := range hunks {
		at, f, err := p.findHunk(h)
		switch {
		case ctx.Err() != nil:
			return Result{}, ctx.Err()
		case p.gaveUp:
			err = ErrTooManySimilar
		}
		if err != nil {
			return Result{}, fmt.Errorf("the hunk on line %d of the patch: %w", h.Number, err)
		}
		places, fit = append(places, at), max(fit, f)
	}
	slices.SortStableFunc(places, func(a, b replacement) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(places); i++ {
		if places[i].start < places[i-1].end {
			return Result{}, fmt.Errorf("two hunks change the same lines (line %d of the file); merge them", lineNumbers(before, places[i:])[0])
		}
	}
	after, err := splice(before, places)
	return Result{After: after, Lines: lineNumbers(before, places), Fit: fit}, err
}

// patcher finds the places of hunks in a document, in order.
type patcher struct {
	*document
	eol  string
	next int // the line after the previous hunk
}

// findHunk returns the place of h and its replacement.
func (p *patcher) findHunk(h Hunk) (replacement, Fit, error) {
	inside, err := p.enclosing(h.Inside)
	if err != nil {
		return replacement{}, 0, err
	}
	first, n, fit := 0, 0, Exact
	if slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Op != Insert }) {
		first, n, fit, err = p.locate(&h, inside)
	} else {
		first, err = p.insertionLine(h, inside)
	}
	if err != nil {
		return replacement{}, 0, err
	}
	// Lines inserted after a last line without a newline add that newline.
	if last := p.count() - 1; n == 0 && first > last && last >= 0 {
		if text, ending := p.line(last); len(ending) == 0 {
			h.Lines = slices.Insert(slices.Clone(h.Lines), 0, Line{Keep, string(text)})
			first, n = last, 1
		}
	}
	p.next = first + n
	at := p.span(first, n, true)
	r := lineReplacement{lines: h.Lines, withEnding: true, eol: p.eol}
	at.text = r.render(p.content[at.start:at.end])
	return at, fit, nil
}

// locate finds the kept and dropped lines of h. It ignores a trailing empty line
// of h that is not in the file.
func (p *patcher) locate(h *Hunk, inside []int) (first, n int, fit Fit, err error) {
	var old []string
	for _, l := range h.Lines {
		if l.Op != Insert {
			old = append(old, l.Text)
		}
	}
	for {
		if err := p.ctx.Err(); err != nil {
			return 0, 0, 0, err
		}
		for _, step := range []struct {
			Fit
			folding
		}{{Exact, unfolded}, {TrailingBlanks, trimRight}, {Typography, normalizeTypography}} {
			if step.Fit != Exact && strings.TrimSpace(strings.Join(old, "")) == "" {
				break
			}
			fits := slices.Collect(p.find(old, step.folding))
			if fits = followingFits(fits, inside); len(fits) > 0 {
				first, err = p.unique(fits, h.AtEnd, len(old))
				return first, len(old), step.Fit, err
			}
		}
		if last := len(h.Lines) - 1; len(old) > 1 && h.Lines[last] == (Line{Op: Keep}) {
			h.Lines, old = h.Lines[:last], old[:len(old)-1]
			continue
		}
		return 0, 0, 0, &NotFoundError{Near: nearest(p.ctx, p.content, old), Hunk: true}
	}
}

// unique returns the only match, or the one that the end of the file or the
// previous hunk selects.
func (p *patcher) unique(fits []int, atEnd bool, n int) (int, error) {
	if last := fits[len(fits)-1]; atEnd && last+n == p.count() {
		return last, nil
	}
	if len(fits) == 1 {
		return fits[0], nil
	}
	i, _ := slices.BinarySearch(fits, p.next)
	if len(fits)-i == 1 {
		return fits[i], nil
	}
	e := &AmbiguousError{Hunk: true}
	for _, f := range fits[:min(len(fits), maxPlaces+1)] {
		e.Lines = append(e.Lines, p.number(f))
	}
	return 0, e
}

// insertionLine returns the line before which a hunk of only new lines is
// inserted: the end of the file, or after the last @@ line.
func (p *patcher) insertionLine(h Hunk, inside []int) (int, error) {
	if h.AtEnd || len(h.Inside) == 0 {
		return p.count(), nil
	}
	at, err := p.unique(inside, false, 0)
	return at + 1, err
}

// followingFits returns for each of the lines inside the first match after it. If
// inside is nil, it returns all.
func followingFits(fits, inside []int) []int {
	if inside == nil {
		return fits
	}
	var out []int
	for _, line := range inside {
		if i, _ := slices.BinarySearch(fits, line); i < len(fits) {
			out = append(out, fits[i])
		}
	}
	return slices.Compact(out)
}

// enclosing returns every line that ends a sequence of the lines named after @@,
// each the first one after the previous. It returns nil if names is empty.
func (p *patcher) enclosing(names []string) ([]int, error) {
	var out []int
	for i, name := range names {
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		found := p.linesNamed(name)
		if i > 0 {
			for j := range out {
				out[j]++
			}
			found = followingFits(found, out)
		}
		if len(found) == 0 {
			return nil, advice.Add(errors.New("the @@ line "+quoted(name)+" is not in the file, or not at that position"),
				"Give the complete enclosing line, or more lines around the change")
		}
		out = found
	}
	return out, nil
}

func quoted(s string) string { return fmt.Sprintf("%q", clip(s)) }

// linesNamed returns the lines that equal name except for surrounding blanks, or
// otherwise those that begin with it at a word boundary.
func (p *patcher) linesNamed(name string) []int {
	want := normalizeTypography(nil, []byte(name))
	var same, longer []int
	for i := range p.count() {
		text, _ := p.line(i)
		line := bytes.Trim(normalizeTypography(nil, text), blanks)
		rest, ok := bytes.CutPrefix(line, want)
		switch {
		case ok && len(rest) == 0:
			same = append(same, i)
		case ok && !wordByte(rest[0]):
			longer = append(longer, i)
		}
	}
	if same != nil {
		return same
	}
	return longer
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
