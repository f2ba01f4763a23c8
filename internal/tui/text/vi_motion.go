package text

import (
	"math"
)

// motion is where a key leads.
type motion struct {
	to        int
	lines     bool // an operator takes whole lines
	inclusive bool // it takes the character at to
	fails     bool // it leads nowhere
	jumps     bool // `` leads back
	keeps     bool // the column that j and k keep to stays
	wide      bool // what it cuts counts as much
	exact     bool // an operator takes all up to it, be it a newline
}

// endless is the column of the end of every line.
const endless = math.MaxInt

// move carries out a motion, or the operator that waited for one.
func (v *Vi) move(m motion) {
	b := v.b
	if m.fails {
		v.reset()
		return
	}
	if v.operator != "" {
		v.operate(m)
		return
	}
	if m.jumps {
		b.marks.set(b, "'", b.caret)
	}
	column, key := v.column, v.keys
	b.MoveTo(m.to)
	v.done(false)
	switch {
	case m.keeps:
		v.column = column
	case len(key) > 0 && key[len(key)-1] == "$":
		v.column = endless
	}
}

// motion returns where a key leads; ok is whether it leads anywhere at all.
func (v *Vi) motion(key string) (m motion, ok bool) {
	for _, of := range []func(string) (motion, bool){v.lineMotion, v.wordMotion, v.blockMotion, v.lookMotion, v.markMotion} {
		if m, ok := of(key); ok {
			return m, true
		}
	}
	b, n := v.b, v.times()
	start := b.lineStart(b.caret)
	m.to = b.caret
	switch key {
	case "h":
		for ; n > 0 && m.to > start; n-- {
			m.to = previous(b.text, m.to)
		}
	case "l":
		m.to = v.along(n)
	case "backspace":
		m.to, m.exact = v.wrapBack(n), true
	case " ":
		m.to, m.exact = v.wrapOn(n), true
	case "0", "g0":
		m.to = start
	case "^", "g^":
		m.to = b.firstLetter(start)
	case "$", "g$":
		m.to, ok = v.lines(n - 1)
		m.fails = !ok
	case "g_":
		m = v.lastLetter(n)
	case "|":
		m.to = b.columnAt(start, n-1)
	default:
		return m, false
	}
	return m, true
}

// wrapBack is n characters before the caret, over the ends of lines too.
func (v *Vi) wrapBack(n int) int {
	b, at := v.b, v.b.caret
	for ; n > 0 && at > 0; n-- {
		at = previous(b.text, at)
		if b.text[at] == '\n' && v.operator == "" && v.mode == Normal && at > b.lineStart(at) {
			at = previous(b.text, at)
		}
	}
	return at
}

// wrapOn is n characters behind the caret, over the ends of lines too.
func (v *Vi) wrapOn(n int) int {
	b, at := v.b, v.b.caret
	for ; n > 0 && at < len(b.text); n-- {
		at = next(b.text, at)
		if v.mode == Normal && v.operator == "" && at < len(b.text) && b.text[at] == '\n' {
			at++
		}
	}
	return at
}

// lastLetter is the last character of a line that is not blank.
func (v *Vi) lastLetter(n int) motion {
	b := v.b
	to, ok := v.lines(n - 1)
	start := b.lineStart(to)
	if !ok {
		return motion{fails: true}
	}
	for to > start && classAt(b.text, previous(b.text, to)) == blank {
		to = previous(b.text, to)
	}
	if to > start {
		to = previous(b.text, to)
	}
	return motion{to: to, inclusive: true}
}

// lineMotion is motion from line to line.
func (v *Vi) lineMotion(key string) (m motion, ok bool) {
	b, n := v.b, v.times()
	switch key {
	case "j":
		return v.vertical(n), true
	case "k":
		return v.vertical(-n), true
	case "gj", "gk":
		return v.rowMotion(key, n), true
	case "+":
		m = v.vertical(n)
	case "-":
		m = v.vertical(-n)
	case "_":
		m = v.vertical(n - 1)
	case "gg":
		m = motion{to: b.line(n - 1), lines: true, jumps: true}
	case "G":
		m = motion{to: len(b.text), lines: true, jumps: true}
		if v.count > 0 || v.opCount > 0 {
			m.to = b.line(n - 1)
		}
	default:
		return m, false
	}
	m.keeps = false
	m.to = b.firstLetter(b.lineStart(m.to))
	if key == "_" && v.operator == "y" && n == 1 {
		m.to = b.caret
	}
	return m, true
}

// vertical leads n lines down, in the same column.
func (v *Vi) vertical(n int) motion {
	b := v.b
	at := b.lineStart(b.caret)
	if v.column < 0 {
		v.column = b.columnOf(b.caret)
	}
	for ; n > 0; n-- {
		end := b.lineEnd(at)
		if end == len(b.text) {
			break
		}
		at = end + 1
	}
	for ; n < 0; n++ {
		if at == 0 {
			break
		}
		at = b.lineStart(at - 1)
	}
	return motion{to: b.columnAt(at, v.column), lines: true, keeps: true, fails: n != 0 && at == b.lineStart(b.caret)}
}

// rowMotion leads n rows down or up, as they are drawn.
func (v *Vi) rowMotion(key string, n int) motion {
	b := v.b
	if key == "gk" {
		n = -n
	}
	row, col := b.Locate(b.caret)
	if row+n < 0 || row+n >= b.RowCount() {
		return motion{fails: true}
	}
	return motion{to: b.Offset(row+n, col)}
}

// columnOf is the column of an offset in its line, as it is drawn.
func (b *Buffer) columnOf(at int) (col int) {
	for i := b.lineStart(at); i < at; {
		n, w := b.rows.size(b.text, i)
		i, col = i+n, col+w
	}
	return col
}

// columnAt is the character that is drawn at a column of the line that begins
// at an offset, or the line's end.
func (b *Buffer) columnAt(start, col int) int {
	end, at := b.lineEnd(start), start
	for x := 0; at < end; {
		n, w := b.rows.size(b.text, at)
		if x+w > col {
			break
		}
		at, x = at+n, x+w
	}
	return at
}

// line is where the line of that number begins, or the last one.
func (b *Buffer) line(n int) int {
	at := 0
	for ; n > 0; n-- {
		end := b.lineEnd(at)
		if end == len(b.text) {
			break
		}
		at = end + 1
	}
	return at
}

// firstLetter is the first character of a line that is not blank.
func (b *Buffer) firstLetter(start int) int {
	at, end := start, b.lineEnd(start)
	for at < end && isBlank(b.text[at]) {
		at++
	}
	return at
}

// isBlank reports whether a byte is a blank within a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// characters counts them.
func characters(s string) (n int) {
	for at := 0; at < len(s); at = next(s, at) {
		n++
	}
	return n
}

// found is what f and its like look for.
type found struct {
	key  string // f, F, t or T
	what string
}

// lookMotion is motion to what is looked for.
func (v *Vi) lookMotion(key string) (m motion, ok bool) {
	switch key {
	case "f", "F", "t", "T", ";", ",":
		return v.findMotion(key, v.times()), true
	case "n", "N", "*", "#", "g*", "g#":
		return v.searchMotion(key, v.times()), true
	}
	return m, false
}

// findMotion leads to a character in the line.
func (v *Vi) findMotion(key string, n int) motion {
	f, again := v.find, key == ";" || key == ","
	if key == "," {
		f.key = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.key]
	}
	if f.key == "" {
		return motion{fails: true}
	}
	b := v.b
	at := b.caret
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

// step is the character beside one in its line; negative if there is none.
func (b *Buffer) step(at int, back bool) int {
	switch {
	case at < 0:
		return at
	case back && at > b.lineStart(at):
		return previous(b.text, at)
	case !back && at < b.lineEnd(at):
		if at = next(b.text, at); at < b.lineEnd(at) {
			return at
		}
	}
	return -1
}

// at is the character at an offset.
func (b *Buffer) at(at int) string {
	if at < 0 || at >= len(b.text) {
		return ""
	}
	return b.text[at:next(b.text, at)]
}

// lineEmpty reports whether nothing is in the line that begins at an offset.
func (b *Buffer) lineEmpty(start int) bool { return start == b.lineEnd(start) }
