package vi

import (
	"math"

	"agent/internal/tui/editor/text"
)

// motion is the target of a motion key and how operators use it.
type motion struct {
	to        int
	lines     bool // linewise
	inclusive bool // operators include the character at to
	fails     bool // there is no target
	keeps     bool // keeps the column of j and k
	exact     bool // operators include a newline before to
}

// motions finds the targets of motion keys. It holds what later motions continue: the
// last searches and the column of j and k.
type motions struct {
	b      buffer
	find   charSearch
	sought pattern
	column int // negative for none
}

// motionKey is a motion key with the parts of the command that its target depends on.
type motionKey struct {
	key      string
	n        int    // the count, at least 1
	counted  bool   // a count was typed
	operator string // that the motion is for; empty for none
}

// endless is the column of j and k after $, the end of every line.
const endless = math.MaxInt

// motion returns the motion of a key. ok is false if the key is not a motion.
func (ms *motions) motion(a motionKey) (m motion, ok bool) {
	for _, of := range []func(motionKey) (motion, bool){ms.lineMotion, ms.wordMotion, ms.blockMotion, ms.lookMotion} {
		if m, ok := of(a); ok {
			return m, true
		}
	}
	b, n := ms.b, a.n
	start := b.lineStart(b.Caret())
	m.to = b.Caret()
	switch a.key {
	case "h", "backspace":
		m.to = b.back(n)
	case "l", " ":
		m.to = b.along(n)
	case "0":
		m.to = start
	case "^":
		m.to = b.firstLetter(start)
	case "$":
		m.to, ok = b.below(n - 1)
		m.fails = !ok
	default:
		return m, false
	}
	return m, true
}

// lineMotion returns the motion of a key between lines.
func (ms *motions) lineMotion(a motionKey) (m motion, ok bool) {
	b, n := ms.b, a.n
	switch a.key {
	case "j":
		return ms.vertical(n), true
	case "k":
		return ms.vertical(-n), true
	case "gg":
		m = motion{to: text.Line(b.String(), n-1), lines: true}
	case "G":
		m = motion{to: len(b.String()), lines: true}
		if a.counted {
			m.to = text.Line(b.String(), n-1)
		}
	default:
		return m, false
	}
	m.to = b.firstLetter(b.lineStart(m.to))
	return m, true
}

// vertical returns the motion n lines down in the same column.
func (ms *motions) vertical(n int) motion {
	b := ms.b
	start := b.lineStart(b.Caret())
	if ms.column < 0 {
		ms.column = b.Rows().Column(start, b.Caret())
	}
	at := text.Line(b.String(), b.lineNumber()+n)
	return motion{to: b.Rows().AtColumn(at, b.lineEnd(at), ms.column), lines: true, keeps: true, fails: at == start}
}

// firstLetter returns the first non-blank character of the line that starts at start.
func (b buffer) firstLetter(start int) int {
	at, end := start, b.lineEnd(start)
	for at < end && isBlank(b.String()[at]) {
		at++
	}
	return at
}

// isBlank reports whether c is a space or a tab.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// characters returns the number of characters in s.
func characters(s string) (n int) {
	for at := 0; at < len(s); at = text.Next(s, at) {
		n++
	}
	return n
}

// charSearch is the last search by f, F, t or T.
type charSearch struct {
	key  string // f, F, t or T
	what string
}

// lookMotion returns the motion of a character search or a pattern search.
func (ms *motions) lookMotion(a motionKey) (m motion, ok bool) {
	switch a.key {
	case "f", "F", "t", "T", ";", ",":
		return ms.findMotion(a.key, a.n), true
	case "n", "N", "*", "#":
		return ms.searchMotion(a.key, a.n), true
	}
	return m, false
}

// findMotion returns the motion of a character search in the line.
func (ms *motions) findMotion(key string, n int) motion {
	f, again := ms.find, key == ";" || key == ","
	if key == "," {
		f.key = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.key]
	}
	if f.key == "" {
		return motion{fails: true}
	}
	b := ms.b
	at := b.Caret()
	back := f.key == "F" || f.key == "T"
	till := f.key == "t" || f.key == "T"
	if till && again && n == 1 && b.at(b.step(at, back)) == f.what {
		at = b.step(at, back)
	}
	for ; n > 0; n-- {
		for at = b.step(at, back); at >= 0 && b.at(at) != f.what; at = b.step(at, back) {
		}
		if at < 0 {
			return motion{fails: true}
		}
	}
	if till {
		at = b.step(at, !back)
	}
	return motion{to: at, inclusive: !back}
}

// step returns the next or previous character in the line, negative if there is none.
func (b buffer) step(at int, back bool) int {
	switch {
	case at < 0:
		return at
	case back && at > b.lineStart(at):
		return text.Previous(b.String(), at)
	case !back && at < b.lineEnd(at):
		if at = text.Next(b.String(), at); at < b.lineEnd(at) {
			return at
		}
	}
	return -1
}

// at returns the character at an offset.
func (b buffer) at(at int) string {
	if at < 0 || at >= len(b.String()) {
		return ""
	}
	return b.String()[at:text.Next(b.String(), at)]
}

// lineEmpty reports whether the line that starts at start is empty.
func (b buffer) lineEmpty(start int) bool { return start == b.lineEnd(start) }
