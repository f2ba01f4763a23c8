package vi

import (
	"math"
	"strings"

	"agent/internal/tui/editor/text"
)

// motion is the target of a motion key and how operators use it.
type motion struct {
	to        int
	lines     bool // linewise
	inclusive bool // operators include the character at to
	fails     bool // there is no target
	exact     bool // operators include a newline before to
}

// motions finds the targets of motion keys. It holds what later motions continue: the
// last searches and the column of j and k.
type motions struct {
	b      reader
	find   charSearch
	sought pattern
	column int // negative for none
}

// endless is the column of j and k after $, the end of every line.
const endless = math.MaxInt

// motion returns the motion of a key of a command. ok is false if the key is not a
// motion.
func (ms *motions) motion(key string, c *command) (m motion, ok bool) {
	b, n := ms.b, c.times()
	counted := c.count > 0 || c.opCount > 0
	start, lines := b.lineStart(b.Caret()), strings.Count(b.String(), "\n")+1
	down := map[string]int{"j": n, "k": -n, "gj": n, "gk": -n, "+": n, "-": -n, "_": n - 1}[key]
	switch key {
	case "h", "backspace":
		m.to = b.back(n)
	case "l", " ":
		m.to = b.along(n)
	case "0":
		m.to = start
	case "^":
		m.to = b.firstLetter(start)
	case "|":
		m.to = b.Rows().AtColumn(start, b.lineEnd(start), n-1)
	case "$", "g_":
		m.to, ok = b.below(n - 1)
		m.inclusive, m.fails = true, !ok
		if key == "g_" {
			m.to = b.lastNonBlank(m.to)
		}
	case "j", "k":
		m = ms.vertical(down)
	case "gj", "gk":
		m = b.rowMotion(down)
	case "+", "-", "_":
		m = b.lineDown(down, c.operator)
	case "gg":
		m = b.lineMotion(n)
	case "G":
		if !counted {
			n = lines
		}
		m = b.lineMotion(n)
	case "w", "W", "b", "B", "e", "E", "ge", "gE":
		m = b.wordMotion(key, n, c.operator)
	case "{", "}":
		m = b.paragraphMotion(n, key == "}")
	case "%":
		if counted {
			const whole = 100
			m = b.lineMotion((n*lines + whole - 1) / whole)
			m.fails = n > whole
			break
		}
		m.to, ok = b.matching()
		m.inclusive, m.fails = true, !ok
	case "f", "F", "t", "T", ";", ",":
		m = ms.findMotion(key, n)
	case "n", "N", "*", "#", "g*", "g#":
		m = ms.searchMotion(key, n)
	default:
		return m, false
	}
	return m, true
}

// back returns the offset n characters before the caret, within its line.
func (b reader) back(n int) int {
	at, start := b.Caret(), b.lineStart(b.Caret())
	for ; n > 0 && at > start; n-- {
		at = text.Previous(b.String(), at)
	}
	return at
}

// along returns the offset n characters after the caret, within its line.
func (b reader) along(n int) int {
	at, end := b.Caret(), b.lineEnd(b.Caret())
	for ; n > 0 && at < end; n-- {
		at = text.Next(b.String(), at)
	}
	return at
}

// below returns the end of the line n lines below the caret's, or of the last line.
// ok is false if n > 0 and the caret is on the last line.
func (b reader) below(n int) (at int, ok bool) {
	ok = n == 0 || b.lineEnd(b.Caret()) < len(b.String())
	return b.lineEnd(text.Line(b.String(), b.lineNumber()+n)), ok
}

// lastNonBlank returns the last non-blank character of the line that ends at end.
func (b reader) lastNonBlank(end int) int {
	start := b.lineStart(end)
	line := strings.TrimRight(b.String()[start:end], " \t")
	if line == "" {
		return start
	}
	return start + text.Previous(line, len(line))
}

// lineMotion returns the motion to line n, counted from 1, or to the last line.
func (b reader) lineMotion(n int) motion {
	return motion{to: b.firstLetter(text.Line(b.String(), n-1)), lines: true}
}

// lineDown returns the motion to the line n lines below the caret's, for an operator.
func (b reader) lineDown(n int, operator string) motion {
	if n == 0 && operator == "y" { // the caret stays
		return motion{to: b.Caret(), lines: true}
	}
	m := b.lineMotion(b.lineNumber() + n + 1)
	m.fails = n != 0 && b.lineStart(m.to) == b.lineStart(b.Caret())
	return m
}

// vertical returns the motion n lines down in the same column.
func (ms *motions) vertical(n int) motion {
	b := ms.b
	start := b.lineStart(b.Caret())
	if ms.column < 0 {
		ms.column = b.Rows().Column(start, b.Caret())
	}
	at := text.Line(b.String(), b.lineNumber()+n)
	return motion{to: b.Rows().AtColumn(at, b.lineEnd(at), ms.column), lines: true, fails: at == start}
}

// rowMotion returns the motion n rows down on the screen.
func (b reader) rowMotion(n int) motion {
	row, col := b.Rows().Locate(b.Caret())
	if row += n; row < 0 || row >= b.Rows().Count() {
		return motion{fails: true}
	}
	return motion{to: b.Rows().Offset(row, col)}
}

// charSearch is the last search by f, F, t or T.
type charSearch struct {
	key  string // f, F, t or T
	what string
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
func (b reader) step(at int, back bool) int {
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
func (b reader) at(at int) string {
	if at < 0 || at >= len(b.String()) {
		return ""
	}
	return b.String()[at:text.Next(b.String(), at)]
}
