package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// brackets lists the bracket pairs.
const brackets = "()[]{}"

// blockMotion returns the motion of a key over paragraphs or brackets.
func (ms *motions) blockMotion(a motionKey) (m motion, ok bool) {
	b, n, key := ms.b, a.n, a.key
	m = motion{to: b.Caret()}
	switch key {
	case "%":
		if a.counted {
			return ms.percent(n), true
		}
		m.inclusive = true
		m.to, ok = b.matching(b.Caret())
		m.fails = !ok
	case "{", "}":
		for ; n > 0 && !m.fails; n-- {
			m = b.paragraph(m, key == "}", n > 1)
		}
	default:
		return m, false
	}
	return m, true
}

// percent returns the motion to the line at n percent of the text.
func (ms *motions) percent(n int) motion {
	const whole = 100
	lines := strings.Count(ms.b.String(), "\n") + 1
	return motion{to: ms.b.firstLetter(text.Line(ms.b.String(), (n*lines+whole-1)/whole-1)), lines: true, fails: n > whole}
}

// matching returns the counterpart of the first bracket at or after an offset in the
// line.
func (b buffer) matching(at int) (to int, ok bool) {
	for end := b.lineEnd(at); at < end; at++ {
		i := strings.IndexByte(brackets, b.String()[at])
		if i < 0 {
			continue
		}
		open, shut := brackets[i&^1], brackets[i|1]
		if i%2 == 0 {
			return b.unmatched(at, open, shut, true)
		}
		return b.unmatched(at, open, shut, false)
	}
	return 0, false
}

// unmatched returns the nearest unmatched bracket after an offset, or before it if
// on is false.
func (b buffer) unmatched(at int, open, shut byte, on bool) (to int, ok bool) {
	step, inner, outer := 1, open, shut
	if !on {
		step, inner, outer = -1, shut, open
	}
	depth := 0
	for at += step; at >= 0 && at < len(b.String()); at += step {
		switch b.String()[at] {
		case inner:
			depth++
		case outer:
			if depth == 0 {
				return at, true
			}
			depth--
		}
	}
	return 0, false
}

// paragraph extends m to the empty line after the next paragraph, or before the
// previous one. The end of the text counts only if no more paragraphs are wanted.
func (b buffer) paragraph(m motion, on, more bool) motion {
	at, seen := b.lineStart(m.to), false
	for {
		if b.lineEmpty(at) && seen {
			m.to = at
			return m
		}
		seen = seen || !b.lineEmpty(at)
		switch {
		case on && b.lineEnd(at) == len(b.String()):
			m.to, m.inclusive, m.fails = b.lastLetter(), !b.lineEmpty(at), more
			return m
		case !on && at == 0:
			m.to, m.fails = 0, more || m.to == 0
			return m
		case on:
			at = b.lineEnd(at) + 1
		default:
			at = b.lineStart(at - 1)
		}
	}
}

// lastLetter returns the last character of the text, or the end of an empty last line.
func (b buffer) lastLetter() int {
	if at := len(b.String()); at > 0 && b.String()[at-1] != '\n' {
		return text.Previous(b.String(), at)
	}
	return len(b.String())
}

// run is a sequence of blank lines or of the lines of a paragraph.
type run struct {
	from, to int // start of the first line and end of the last
	blank    bool
}

// runs returns all runs of the text.
func (b buffer) runs() (all []run) {
	at := 0
	for line := range strings.SplitSeq(b.String(), "\n") {
		is := strings.Trim(line, " \t") == ""
		if n := len(all) - 1; n >= 0 && all[n].blank == is {
			all[n].to = at + len(line)
		} else {
			all = append(all, run{from: at, to: at + len(line), blank: is})
		}
		at += len(line) + 1
	}
	return all
}

// paragraphs returns the range of n paragraphs or runs of blank lines from the caret
// on. around includes the blank lines after each paragraph, or before the first if the
// text ends without one.
func (b buffer) paragraphs(n int, around bool) (from, to int, ok bool) {
	all := b.runs()
	first := 0
	for all[first].to < b.Caret() {
		first++
	}
	last := first + n - 1
	if around {
		last = first + 2*n - 1
	}
	switch {
	case last < len(all):
	case around && last == len(all) && !all[first].blank:
		if last--; first > 0 {
			first--
		}
	default:
		return 0, 0, false
	}
	return all[first].from, all[last].to, true
}
