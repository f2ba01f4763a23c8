package edit

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Line is one line of a change, without its ending.
type Line struct {
	Op   Op
	Text string
}

// Op says what becomes of a Line. It is the character that stands before it in
// a diff.
type Op byte

// What becomes of a line: it is in the file and stays or goes, or it is new.
const (
	Keep   Op = ' '
	Drop   Op = '-'
	Insert Op = '+'
)

// lineReplacement is a change of whole lines. Those that stay are not written anew:
// the file's own bytes are kept.
type lineReplacement struct {
	old        []string // the lines to find
	lines      []Line
	withEnding bool   // the last of old is wanted with its ending
	noEnding   bool   // the last line that comes of it has no ending
	eol        string // how most lines of the file end; empty if none does
}

// newReplacement is what a model means by old and new, line by line.
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

// splitLines returns the lines of b, the last of which may have no newline.
func splitLines(b []byte) []string {
	var out []string
	for l := range strings.Lines(string(b)) {
		out = append(out, strings.TrimSuffix(l, "\n"))
	}
	return out
}

// align says how old becomes new.
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

// render returns what is to stand in the place of span, which holds the lines
// that are kept or dropped.
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

// commonEnding returns the line ending that is the most common in b, the first
// one of those that are equally so, or nothing if there is none.
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
