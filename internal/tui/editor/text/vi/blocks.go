package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// brackets lists the bracket pairs.
const brackets = "()[]{}"

// matching returns the counterpart of the first bracket at or after the caret in the
// line.
func (b reader) matching() (to int, ok bool) {
	for at, end := b.Caret(), b.lineEnd(b.Caret()); at < end; at++ {
		if i := strings.IndexByte(brackets, b.String()[at]); i >= 0 {
			return b.unmatched(at, brackets[i&^1], brackets[i|1], i%2 == 0)
		}
	}
	return 0, false
}

// unmatched returns the nearest unmatched bracket after an offset, or before it if
// on is false.
func (b reader) unmatched(at int, open, shut byte, on bool) (to int, ok bool) {
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

// paragraphMotion returns the motion to the n-th empty line after a paragraph, or before one
// if on is false. The end of the text counts as the last of them.
func (b reader) paragraphMotion(n int, on bool) motion {
	at, seen := b.lineStart(b.Caret()), false
	for {
		empty := at == b.lineEnd(at)
		if empty && seen {
			if n--; n == 0 {
				return motion{to: at}
			}
		}
		seen = !empty
		switch {
		case on && b.lineEnd(at) == len(b.String()):
			return motion{to: b.lastLetter(), inclusive: !empty, fails: n > 1}
		case !on && at == 0:
			return motion{fails: n > 1 || b.Caret() == 0}
		case on:
			at = b.lineEnd(at) + 1
		default:
			at = b.lineStart(at - 1)
		}
	}
}

// lastLetter returns the last character of the text, or the end of an empty last line.
func (b reader) lastLetter() int {
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
func (b reader) runs() (all []run) {
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
func (b reader) paragraphs(n int, around bool) (from, to int, ok bool) {
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
