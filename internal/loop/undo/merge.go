package undo

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// maxText is the size in bytes of the largest text that is merged.
const maxText = 1 << 20

// isText reports whether b can be merged line by line.
func isText(b []byte) bool {
	return len(b) <= maxText && utf8.Valid(b) && bytes.IndexByte(b, 0) < 0
}

// merge returns base with the changes of both a and b. It reports false if they change
// the same lines, or neighboring ones, in different ways.
func merge(base, a, b string) (string, bool) {
	x, y := udiff.Lines(base, a), udiff.Lines(base, b)
	var out strings.Builder
	at := 0
	for len(x)+len(y) > 0 {
		r := nextRegion(x, y)
		nx, ny := r.covers(x), r.covers(y)
		text := r.apply(base, x[:nx])
		switch other := r.apply(base, y[:ny]); {
		case nx == 0:
			text = other
		case ny > 0 && text != other:
			return "", false
		}
		out.WriteString(base[at:r.start])
		out.WriteString(text)
		at, x, y = r.end, x[nx:], y[ny:]
	}
	out.WriteString(base[at:])
	return out.String(), true
}

// region is a range of bytes of a base text that changes replace.
type region struct{ start, end int }

// nextRegion returns the first region of x and y. All changes that overlap or touch
// each other are in one region.
func nextRegion(x, y []udiff.Edit) region {
	first := func(edits []udiff.Edit, r *region) {
		if len(edits) > 0 && (r.start < 0 || edits[0].Start < r.start) {
			*r = region{edits[0].Start, edits[0].End}
		}
	}
	r := region{start: -1}
	first(x, &r)
	first(y, &r)
	for grown := true; grown; {
		grown = false
		for _, edits := range [][]udiff.Edit{x, y} {
			if n := r.covers(edits); n > 0 && edits[n-1].End > r.end {
				r.end, grown = edits[n-1].End, true
			}
		}
	}
	return r
}

// covers returns how many of the first edits begin in r or at its end.
func (r region) covers(edits []udiff.Edit) (n int) {
	for n < len(edits) && edits[n].Start <= r.end {
		n++
	}
	return n
}

// apply returns the text of r after edits, which lie in r.
func (r region) apply(base string, edits []udiff.Edit) string {
	var out strings.Builder
	at := r.start
	for _, e := range edits {
		out.WriteString(base[at:e.Start])
		out.WriteString(e.New)
		at = e.End
	}
	out.WriteString(base[at:r.end])
	return out.String()
}
