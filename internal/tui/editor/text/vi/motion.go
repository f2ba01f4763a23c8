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
	free     bool   // the motion moves the caret of normal mode: no operator, no selection
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
	case "h":
		m.to = b.back(n)
	case "l":
		m.to = b.along(n)
	case "backspace":
		m.to, m.exact = ms.wrapBack(a), true
	case " ":
		m.to, m.exact = ms.wrapOn(a), true
	case "0", "g0":
		m.to = start
	case "^", "g^":
		m.to = b.firstLetter(start)
	case "$", "g$":
		m.to, ok = b.below(n - 1)
		m.fails = !ok
	case "g_":
		m = ms.lastLetter(n)
	case "|":
		m.to = b.Rows().AtColumn(start, b.lineEnd(start), n-1)
	default:
		return m, false
	}
	return m, true
}

// wrapBack returns the offset n characters before the caret, across lines.
func (ms *motions) wrapBack(a motionKey) int {
	b, n, at := ms.b, a.n, ms.b.Caret()
	for ; n > 0 && at > 0; n-- {
		at = text.Previous(b.String(), at)
		if b.String()[at] == '\n' && a.free && at > b.lineStart(at) {
			at = text.Previous(b.String(), at)
		}
	}
	return at
}

// wrapOn returns the offset n characters after the caret, across lines.
func (ms *motions) wrapOn(a motionKey) int {
	b, n, at := ms.b, a.n, ms.b.Caret()
	for ; n > 0 && at < len(b.String()); n-- {
		at = text.Next(b.String(), at)
		if a.free && at < len(b.String()) && b.String()[at] == '\n' {
			at++
		}
	}
	return at
}

// lastLetter returns the motion to the last non-blank character of a line.
func (ms *motions) lastLetter(n int) motion {
	b := ms.b
	to, ok := b.below(n - 1)
	start := b.lineStart(to)
	if !ok {
		return motion{fails: true}
	}
	for to > start && text.ClassAt(b.String(), text.Previous(b.String(), to)) == text.Blank {
		to = text.Previous(b.String(), to)
	}
	if to > start {
		to = text.Previous(b.String(), to)
	}
	return motion{to: to, inclusive: true}
}

// lineMotion returns the motion of a key between lines.
func (ms *motions) lineMotion(a motionKey) (m motion, ok bool) {
	b, n := ms.b, a.n
	switch a.key {
	case "j":
		return ms.vertical(n), true
	case "k":
		return ms.vertical(-n), true
	case "gj", "gk":
		return ms.rowMotion(a.key, n), true
	case "+":
		m = ms.vertical(n)
	case "-":
		m = ms.vertical(-n)
	case "_":
		m = ms.vertical(n - 1)
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
	m.keeps = false
	m.to = b.firstLetter(b.lineStart(m.to))
	if a.key == "_" && a.operator == "y" && n == 1 {
		m.to = b.Caret()
	}
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
	return motion{to: b.Rows().AtColumn(at, b.lineEnd(at), ms.column), lines: true, keeps: true, fails: n != 0 && at == start}
}

// rowMotion returns the motion n drawn rows down or up.
func (ms *motions) rowMotion(key string, n int) motion {
	b := ms.b
	if key == "gk" {
		n = -n
	}
	row, col := b.Rows().Locate(b.Caret())
	if row+n < 0 || row+n >= b.Rows().Count() {
		return motion{fails: true}
	}
	return motion{to: b.Rows().Offset(row+n, col)}
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
	case "n", "N", "*", "#", "g*", "g#":
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
