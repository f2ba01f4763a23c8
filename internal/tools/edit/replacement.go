package edit

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Line is one line of a change, without its line ending.
type Line struct {
	Op   Op
	Text string
}

// Op is the operation on a Line: its prefix character in a diff.
type Op byte

// The operations: keep or drop a line of the file, or insert a new one.
const (
	Keep   Op = ' '
	Drop   Op = '-'
	Insert Op = '+'
)

// lineReplacement is a replacement of whole lines. Kept lines keep their bytes in
// the file.
type lineReplacement struct {
	old        []string // lines to find
	lines      []Line
	withEnding bool   // old ends with a line ending
	noEnding   bool   // the result has no line ending at its end
	eol        string // most common line ending of the file; empty if it has none
}

// newReplacement returns the replacement of old by new as whole lines.
func newReplacement(before, old, new []byte) *lineReplacement {
	lf := []byte("\n")
	o := bytes.ReplaceAll(old, []byte("\r\n"), lf)
	n := bytes.ReplaceAll(new, []byte("\r\n"), lf)
	r := &lineReplacement{eol: commonEnding(before)}
	if r.withEnding = bytes.HasSuffix(o, lf); r.withEnding {
		r.noEnding = !bytes.HasSuffix(n, lf)
	} else {
		r.noEnding = true
		o, n = append(o, '\n'), append(n, '\n')
	}
	r.old = splitLines(o)
	if len(new) == 0 {
		r.lines = appendLines(nil, Drop, r.old)
	} else {
		r.lines = align(r.old, splitLines(n))
	}
	return r
}

// splitLines returns the lines of b. The last one may have no newline.
func splitLines(b []byte) []string {
	var out []string
	for l := range strings.Lines(string(b)) {
		out = append(out, strings.TrimSuffix(l, "\n"))
	}
	return out
}

// align returns the line diff from old to new.
func align(old, new []string) []Line {
	var out []Line
	at := 0
	for _, d := range lcs.DiffLines(old, new) {
		out = appendLines(out, Keep, old[at:d.Start])
		out = appendLines(out, Drop, old[d.Start:d.End])
		out = appendLines(out, Insert, new[d.ReplStart:d.ReplEnd])
		at = d.End
	}
	return appendLines(out, Keep, old[at:])
}

func appendLines(out []Line, op Op, lines []string) []Line {
	for _, l := range lines {
		out = append(out, Line{op, l})
	}
	return out
}

// render returns the replacement of span, which contains the kept and dropped
// lines.
func (r *lineReplacement) render(span []byte) []byte {
	eol := cmp.Or(commonEnding(span), r.eol, "\n")
	unended := len(span) > 0 && !bytes.ContainsAny(span[len(span)-1:], "\r\n")
	var out []byte
	pending := ""
	add := func(text, ending string) {
		out = append(append(out, pending...), text...)
		pending = ending
	}
	for _, l := range r.lines {
		if l.Op == Insert {
			add(l.Text, eol)
			continue
		}
		text, ending, rest := cutLine(span)
		if span = rest; l.Op == Keep {
			add(string(text), cmp.Or(string(ending), eol))
		}
	}
	if r.noEnding || unended {
		return out
	}
	return append(out, pending...)
}

// commonEnding returns the most common line ending in b, on a tie the first one,
// or "" if there is none.
func commonEnding(b []byte) string {
	crlf := bytes.Count(b, []byte("\r\n"))
	counts := map[string]int{
		"\r\n": crlf,
		"\n":   bytes.Count(b, []byte("\n")) - crlf,
		"\r":   bytes.Count(b, []byte("\r")) - crlf,
	}
	_, first, _ := cutLine(b)
	best := string(first)
	for ending, n := range counts {
		if n > counts[best] {
			best = ending
		}
	}
	return best
}
