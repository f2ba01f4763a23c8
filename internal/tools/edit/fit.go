package edit

import (
	"bytes"
	"context"
	"iter"
	"slices"
)

// Fit is how closely a text matched, strictest first. Each Fit after LineEndings
// matches whole lines and includes the allowances of TrailingBlanks and
// LineEndings.
type Fit int

const (
	Exact          Fit = iota
	LineEndings        // CRLF matches LF, or the last line has no newline
	TrailingBlanks     // trailing blanks differ
	Indentation        // all lines are indented differently in the same way
	Typography         // typographic quotes, dashes and blanks differ
)

// String returns a note for the model on what differed; empty for Exact.
func (f Fit) String() string {
	switch f {
	case LineEndings:
		return "The match ignored line endings; the new lines use those of the file."
	case TrailingBlanks:
		return "The match ignored trailing blanks."
	case Indentation:
		return "The match ignored indentation; the new lines were reindented to match the file."
	case Typography:
		return "The match ignored typographic quotes, dashes or blanks; the new lines are as given."
	}
	return ""
}

// request is a requested replacement.
type request struct {
	ctx              context.Context // cancels the search
	gaveUp           bool            // the search stopped: see document
	before, old, new []byte
	all              bool
	lineEdit         *lineReplacement // see byLine
}

// allows reports whether matches of f are tried. With all, only identical text is
// replaced; a text of blanks must match exactly.
func (w *request) allows(f Fit) bool {
	switch {
	case f == Exact:
		return true
	case len(bytes.TrimSpace(w.old)) == 0:
		return false
	}
	return f == LineEndings || !w.all
}

// byLine returns the replacement as whole lines.
func (w *request) byLine() *lineReplacement {
	if w.lineEdit == nil {
		w.lineEdit = newReplacement(w.before, w.old, w.new)
	}
	return w.lineEdit
}

// finder returns the places that old matches, in file order. With all, places
// that overlap an earlier one are excluded; otherwise at most maxPlaces+1 are
// returned.
type finder func(w *request) []replacement

// finders returns one finder per Fit. The first with a match decides.
func finders() []finder {
	return []finder{findExact, findLineEndings, findLines(trimRight), findIndented, findLines(normalizeTypography)}
}

func findExact(w *request) []replacement {
	if w.mixesEndings() {
		return nil
	}
	var out []replacement
	for at := range w.matches(w.before, w.old) {
		// The LF of a CRLF is no separate match.
		if w.old[0] != '\n' || at == 0 || w.before[at-1] != '\r' {
			out = append(out, replacement{at, at + len(w.old), w.new})
		}
	}
	return out
}

// mixesEndings reports whether new would add the first bare LF to a CRLF file
// although old, a part of a line, does not show that this is intended.
func (w *request) mixesEndings() bool {
	lf, crlf := []byte("\n"), []byte("\r\n")
	if bytes.Contains(w.old, lf) || !bytes.Contains(w.new, lf) || bytes.Contains(w.new, crlf) {
		return false
	}
	n := bytes.Count(w.before, crlf)
	return n > 0 && n == bytes.Count(w.before, lf)
}

// findLineEndings matches old with all line endings as LF.
func findLineEndings(w *request) []replacement {
	text, wide := unifyEndings(w.before)
	old := bytes.ReplaceAll(w.old, []byte("\r\n"), []byte("\n"))
	var out []replacement
	add := func(start, end int) {
		p := replacement{start: originalOffset(start, wide), end: originalOffset(end, wide)}
		span := w.before[p.start:p.end]
		if n := len(out); n > 0 && bytes.Equal(span, w.before[out[n-1].start:out[n-1].end]) {
			p.text = out[n-1].text // share the text of equal places
		} else {
			p.text = w.byLine().render(span)
		}
		out = append(out, p)
	}
	for at := range w.matches(text, old) {
		add(at, at+len(old))
	}
	// old may end in a newline that the last line of the file lacks.
	if bare, ended := bytes.CutSuffix(old, []byte("\n")); ended && !bytes.HasSuffix(text, []byte("\n")) && bytes.HasSuffix(text, bare) {
		add(len(text)-len(bare), len(text))
	}
	return out
}

// unifyEndings returns content with all line endings as LF, and the offsets in it
// of former CRLFs.
func unifyEndings(content []byte) (text []byte, wide []int) {
	if bytes.IndexByte(content, '\r') < 0 {
		return content, nil
	}
	text = make([]byte, 0, len(content))
	for i := 0; i < len(content); i++ {
		c := content[i]
		if c == '\r' {
			if i+1 < len(content) && content[i+1] == '\n' {
				wide = append(wide, len(text))
				i++
			}
			c = '\n'
		}
		text = append(text, c)
	}
	return text, wide
}

// originalOffset returns the offset in the content of offset i in the text of
// unifyEndings.
func originalOffset(i int, wide []int) int {
	before, _ := slices.BinarySearch(wide, i)
	return i + before
}

// findLines returns a finder that matches whole lines after folding.
func findLines(fold folding) finder {
	return func(w *request) []replacement {
		r, d := w.byLine(), newDocument(w.ctx, w.before)
		var out []replacement
		for first := range d.find(r.old, fold) {
			p := d.span(first, len(r.old), r.withEnding)
			p.text = r.render(w.before[p.start:p.end])
			if out = append(out, p); len(out) > maxPlaces {
				break
			}
		}
		w.gaveUp = w.gaveUp || d.gaveUp
		return out
	}
}

// findIndented matches lines whose common indentation differs, and reindents the
// new lines in the same way.
func findIndented(w *request) []replacement {
	r, d := w.byLine(), newDocument(w.ctx, w.before)
	var out []replacement
	certain := true
	for first := range d.find(r.old, trimBoth) {
		shift, ok := findReindent(r.old, d.lines(first, len(r.old)))
		if !ok {
			continue
		}
		p := d.span(first, len(r.old), r.withEnding)
		indented, ok := r.reindented(shift)
		if certain = certain && ok; ok {
			p.text = indented.render(w.before[p.start:p.end])
		}
		if out = append(out, p); len(out) > maxPlaces {
			break
		}
	}
	w.gaveUp = w.gaveUp || d.gaveUp
	if len(out) == 1 && !certain {
		return nil
	}
	return out
}

// matches yields the offsets of pattern in text.
func (w *request) matches(text, pattern []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at, n := 0, 0; w.all || n <= maxPlaces; n++ {
			i := bytes.Index(text[at:], pattern)
			if i < 0 || !yield(at+i) {
				return
			}
			at += i + 1
			if w.all {
				at += len(pattern) - 1
			}
		}
	}
}
