package edit

import (
	"bytes"
	"context"
	"iter"
	"unicode/utf8"
)

// document is a content as lines, which end in LF, CRLF or CR.
type document struct {
	ctx     context.Context // cancels a search
	gaveUp  bool            // a search stopped after maxCompared bytes
	content []byte
	starts  []int // offset of each line, and the length of the content
}

func newDocument(ctx context.Context, content []byte) *document {
	d := &document{ctx: ctx, content: content}
	rest := content
	if bytes.HasPrefix(rest, []byte("\ufeff")) {
		rest = rest[len("\ufeff"):]
	}
	for len(rest) > 0 {
		d.starts = append(d.starts, len(content)-len(rest))
		_, _, rest = cutLine(rest)
	}
	d.starts = append(d.starts, len(content))
	return d
}

// cutLine returns the first line of b, its line ending, and the rest.
func cutLine(b []byte) (text, ending, rest []byte) {
	i := bytes.IndexAny(b, "\r\n")
	if i < 0 {
		return b, nil, nil
	}
	n := i + 1
	if b[i] == '\r' && n < len(b) && b[n] == '\n' {
		n++
	}
	return b[:i], b[i:n], b[n:]
}

func (d *document) count() int { return len(d.starts) - 1 }

func (d *document) line(i int) (text, ending []byte) {
	text, ending, _ = cutLine(d.content[d.starts[i]:d.starts[i+1]])
	return text, ending
}

// lines returns n lines from first on, without line endings.
func (d *document) lines(first, n int) []string {
	out := make([]string, n)
	for i := range out {
		text, _ := d.line(first + i)
		out[i] = string(text)
	}
	return out
}

// span returns the place of n lines, with the line ending of the last one if
// ended is set.
func (d *document) span(first, n int, ended bool) replacement {
	p := replacement{start: d.starts[first], end: d.starts[first+n]}
	if n > 0 && !ended {
		_, ending := d.line(first + n - 1)
		p.end -= len(ending)
	}
	return p
}

// number returns the number of line i, from 1, if only LF ends lines.
func (d *document) number(i int) int {
	return 1 + bytes.Count(d.content[:d.starts[i]], []byte("\n"))
}

// find yields every index at which the lines of d equal want after folding. It
// stops when the context of d has ended. It stops and sets gaveUp if too much
// matches, as in a file of similar lines.
func (d *document) find(want []string, fold folding) iter.Seq[int] {
	return func(yield func(int) bool) {
		if len(want) == 0 || len(want) > d.count() || d.ctx.Err() != nil {
			return
		}
		// Fold both into texts in which newlines enclose every line.
		text := append(make([]byte, 0, len(d.content)+d.count()+1), '\n')
		for i := range d.count() {
			line, _ := d.line(i)
			text = append(fold(text, line), '\n')
		}
		pattern := []byte{'\n'}
		for _, l := range want {
			pattern = append(fold(pattern, []byte(l)), '\n')
		}
		each := len(pattern) + lineCost*len(want)
		for line, at, compared := 0, 0, 0; d.ctx.Err() == nil; compared += each {
			if compared > maxCompared {
				d.gaveUp = true
				return
			}
			i := bytes.Index(text[at:], pattern)
			if i < 0 {
				return
			}
			line += bytes.Count(text[at:at+i], []byte("\n"))
			if !yield(line) {
				return
			}
			line, at = line+1, at+i+1
		}
	}
}

// The limits of a search: bytes compared at matching places, and the cost of a
// line in bytes in addition to its length.
const (
	maxCompared = 1 << 28
	lineCost    = 64
)

// folding appends a normalized line to dst. Lines match if their normalized forms
// are equal.
type folding func(dst, line []byte) []byte

const blanks = " \t"

func unfolded(dst, line []byte) []byte { return append(dst, line...) }

func trimRight(dst, line []byte) []byte { return append(dst, bytes.TrimRight(line, blanks)...) }

func trimBoth(dst, line []byte) []byte { return append(dst, bytes.Trim(line, blanks)...) }

// normalizeTypography replaces typographic quotes, dashes and blanks with their
// ASCII characters.
func normalizeTypography(dst, line []byte) []byte {
	start := len(dst)
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if p := asciiFor(r); p != 0 {
			dst = append(dst, p)
		} else {
			dst = append(dst, line[:n]...)
		}
		line = line[n:]
	}
	return dst[:start+len(bytes.TrimRight(dst[start:], blanks))]
}

// asciiFor returns the ASCII character for a typographic quote, dash or blank, or
// 0.
func asciiFor(r rune) byte {
	switch r {
	case '‘', '’', '‚', '‛', '′', 'ʼ':
		return '\''
	case '“', '”', '„', '‟', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case '\u00a0', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008', '\u2009', '\u200a', '\u202f', '\u205f', '\u3000':
		return ' '
	}
	return 0
}
