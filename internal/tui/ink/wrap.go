package ink

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks sanitized text into lines of at most width columns: between words,
// between wide characters, and within words that are longer than a line.
func Wrap(s string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if len(line) <= width && isASCII(line) {
			out = append(out, strings.TrimRight(line, " "))
			continue
		}
		for _, spans := range WrapSpans([]Span{{Text: line}}, width) {
			out = append(out, Draw(spans))
		}
	}
	return out
}

// Truncate truncates a line to width columns and ends it with … if it was longer.
func Truncate(s string, width int) string {
	if len(s) <= width && isASCII(s) {
		return s
	}
	return ansi.Truncate(s, max(width, 0), "…")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// cell is one grapheme and the columns it takes.
type cell struct {
	text string
	span int // index of its span
	wide int
}

func (c cell) space() bool { return c.text == " " }

// cells returns the graphemes of spans. It replaces graphemes wider than width by …
func cells(spans []Span, width int) []cell {
	n := 0
	for _, sp := range spans {
		n += len(sp.Text)
	}
	out := make([]cell, 0, n)
	for i, sp := range spans {
		for s := sp.Text; s != ""; {
			if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
				out = append(out, cell{s[:1], i, 1})
				s = s[1:]
				continue
			}
			g, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			s = s[len(g):]
			if w > width {
				g, w = "…", 1
			}
			out = append(out, cell{g, i, w})
		}
	}
	return out
}

// WrapSpans breaks a line between words into lines of at most width columns. It
// drops the spaces at the breaks.
func WrapSpans(spans []Span, width int) [][]Span {
	width = max(width, 1)
	cs := cells(spans, width)
	start := 0 // of the first word: never break within the indentation
	for start < len(cs) && cs[start].space() {
		start++
	}
	var out [][]Span
	from, used, mayBreak := 0, 0, -1
	for i := 0; i < len(cs); i++ {
		if i > start && i > from && breaksBefore(cs, i) {
			mayBreak = i
		}
		if used+cs[i].wide <= width || cs[i].space() && i > start {
			used += cs[i].wide
			continue
		}
		if mayBreak <= from {
			mayBreak = i
		}
		out = append(out, gatherSpans(spans, cs[from:mayBreak]))
		from, used, i, mayBreak = mayBreak, 0, mayBreak-1, -1
	}
	return append(out, gatherSpans(spans, cs[from:]))
}

// CutSpans breaks a line of code into lines of at most width columns: after a space
// in the second half of a line, or else at width. It drops nothing.
func CutSpans(spans []Span, width int) [][]Span {
	width = max(width, 1)
	cs := cells(spans, width)
	var out [][]Span
	from, used, blank := 0, 0, 0
	for i := 0; i < len(cs); i++ {
		if used+cs[i].wide <= width {
			used += cs[i].wide
			if cs[i].space() {
				blank = i + 1
			}
			continue
		}
		cut := i
		if blank-from > (i-from)/2 {
			cut = blank
		}
		out = append(out, gatherSpans(spans, cs[from:cut]))
		from, used, i = cut, 0, cut-1
	}
	return append(out, gatherSpans(spans, cs[from:]))
}

// breaksBefore reports whether a line may be broken before cs[i]: after a space and
// next to a wide character, but never before closing or after opening punctuation.
func breaksBefore(cs []cell, i int) bool {
	if cs[i].space() {
		return false
	}
	if cs[i-1].space() {
		return true
	}
	if cs[i].wide < 2 && cs[i-1].wide < 2 {
		return false
	}
	const closing, opening = "、。，．・：；？！）〕］｝〉》」』】…ー’”)]}>,.;:!?", "（〔［｛〈《「『【‘“([{<"
	return !strings.Contains(closing, cs[i].text) && !strings.Contains(opening, cs[i-1].text)
}

// gatherSpans joins cells to spans with the style of their original span.
func gatherSpans(spans []Span, cs []cell) []Span {
	var out []Span
	for from := 0; from < len(cs); {
		to, n := from, 0
		for to < len(cs) && cs[to].span == cs[from].span {
			n += len(cs[to].text)
			to++
		}
		var b strings.Builder
		b.Grow(n)
		for _, c := range cs[from:to] {
			b.WriteString(c.text)
		}
		sp := spans[cs[from].span]
		sp.Text = b.String()
		out = append(out, sp)
		from = to
	}
	return out
}
