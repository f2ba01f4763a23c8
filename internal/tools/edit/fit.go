package edit

import (
	"bytes"
	"context"
	"iter"
	"slices"
)

// Fit says how closely a text fitted the place that was found, from the
// strictest on. Every fit after LineEndings is of whole lines, and allows what
// TrailingBlanks and LineEndings allow as well.
type Fit int

const (
	Exact          Fit = iota
	LineEndings        // CRLF in the file stands for LF in the text, or its last line has no newline
	TrailingBlanks     // blanks at the ends of lines differ
	Indentation        // all lines are indented otherwise, but in the same way
	Typography         // quotes, dashes and blanks differ that look the same
)

// String tells the model what was allowed for and what became of it; it is
// empty for Exact.
func (f Fit) String() string {
	switch f {
	case LineEndings:
		return "It fitted but for line endings: the new lines end as those of the file do."
	case TrailingBlanks:
		return "It fitted but for blanks at the ends of lines."
	case Indentation:
		return "It fitted but for its indentation: the new lines were indented to match the file."
	case Typography:
		return "It fitted but for typographic quotes, dashes or blanks: the new lines are as you gave them."
	}
	return ""
}

// request is a replacement that is wanted.
type request struct {
	ctx              context.Context // ends the search early
	gaveUp           bool            // the search was given up: see document
	before, old, new []byte
	all              bool
	lineEdit         *lineReplacement // see lines
}

// allows says whether a place may be looked for with an allowance. Replacing
// all takes only what is the same text; and blanks alone prove nothing.
func (w *request) allows(f Fit) bool {
	switch {
	case f == Exact:
		return true
	case len(bytes.TrimSpace(w.old)) == 0:
		return false
	}
	return f == LineEndings || !w.all
}

// byLine is what is wanted, line by line.
func (w *request) byLine() *lineReplacement {
	if w.lineEdit == nil {
		w.lineEdit = newReplacement(w.before, w.old, w.new)
	}
	return w.lineEdit
}

// finder returns the places where old may be meant, in the order of the file.
// Where all are wanted, those that overlap an earlier one are left out, else no
// more than maxPlaces+1 are given.
type finder func(w *request) []place

// finders holds a finder for each Fit. The first that finds anything decides.
func finders() []finder {
	return []finder{findExact, findLineEndings, findLines(trimRight), findIndented, findLines(normalizeTypography)}
}

func findExact(w *request) []place {
	if w.mixesEndings() {
		return nil
	}
	var out []place
	for at := range w.matches(w.before, w.old) {
		// The second half of a CRLF is no place of its own.
		if w.old[0] != '\n' || at == 0 || w.before[at-1] != '\r' {
			out = append(out, place{at, at + len(w.old), w.new})
		}
	}
	return out
}

// mixesEndings says whether new would bring the first bare LF into a file all of
// whose lines end in CRLF, and old, being a part of a line, cannot tell that
// this is meant.
func (w *request) mixesEndings() bool {
	lf, crlf := []byte("\n"), []byte("\r\n")
	if bytes.Contains(w.old, lf) || !bytes.Contains(w.new, lf) || bytes.Contains(w.new, crlf) {
		return false
	}
	n := bytes.Count(w.before, crlf)
	return n > 0 && n == bytes.Count(w.before, lf)
}

// findLineEndings looks for old with every line ending taken for a LF.
func findLineEndings(w *request) []place {
	text, wide := unifyEndings(w.before)
	old := bytes.ReplaceAll(w.old, []byte("\r\n"), []byte("\n"))
	var out []place
	add := func(start, end int) {
		p := place{start: originalOffset(start, wide), end: originalOffset(end, wide)}
		span := w.before[p.start:p.end]
		if n := len(out); n > 0 && bytes.Equal(span, w.before[out[n-1].start:out[n-1].end]) {
			p.text = out[n-1].text // many places share one text
		} else {
			p.text = w.byLine().render(span)
		}
		out = append(out, p)
	}
	for at := range w.matches(text, old) {
		add(at, at+len(old))
	}
	// The newline that the last line of the file lacks.
	if bare, ended := bytes.CutSuffix(old, []byte("\n")); ended && !bytes.HasSuffix(text, []byte("\n")) && bytes.HasSuffix(text, bare) {
		add(len(text)-len(bare), len(text))
	}
	return out
}

// unifyEndings returns content with every line ending made a LF, and where in it those
// are that were CRLF.
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

// originalOffset is where in a content the byte is that unify put at i.
func originalOffset(i int, wide []int) int {
	before, _ := slices.BinarySearch(wide, i)
	return i + before
}

// findLines looks for lines that are the same once they are folded.
func findLines(fold folding) finder {
	return func(w *request) []place {
		r, d := w.byLine(), newDocument(w.ctx, w.before)
		var out []place
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

// findIndented looks for lines that are the same once their common indentation
// is changed, and indents the new ones in the same way.
func findIndented(w *request) []place {
	r, d := w.byLine(), newDocument(w.ctx, w.before)
	var out []place
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

// matches yields where pattern is in text.
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
