package text

import "strings"

// motion is where a key leads.
type motion struct {
	to        int
	lines     bool // an operator takes whole lines
	inclusive bool // it takes the character at to
	fails     bool // it leads nowhere
}

// move carries out a motion, or the operator that waited for one.
func (v *Vi) move(m motion) {
	b := v.b
	switch {
	case m.fails:
		v.reset()
	case v.operator != "":
		v.operate(m)
	default:
		column := v.column
		b.MoveTo(m.to)
		v.done(false)
		v.column = -1
		if m.lines {
			v.column = column
		}
	}
}

// motion returns where a key leads; ok is whether it leads anywhere at all.
func (v *Vi) motion(key string) (m motion, ok bool) {
	if m, ok := v.wordMotion(key); ok {
		return m, true
	}
	b, n := v.b, v.times()
	start, end := b.lineStart(b.caret), b.lineEnd(b.caret)
	m.to = b.caret
	switch key {
	case "h", "backspace":
		for ; n > 0 && m.to > start; n-- {
			m.to = previous(b.text, m.to)
		}
	case "l", " ":
		for ; n > 0 && m.to < end; n-- {
			m.to = next(b.text, m.to)
		}
	case "0":
		m.to = start
	case "^":
		m.to = b.firstLetter(start)
	case "$":
		for ; n > 1 && end < len(b.text); n-- {
			end = b.lineEnd(end + 1)
		}
		m.to = end
	case "j":
		m = v.lineMotion(n)
	case "k":
		m = v.lineMotion(-n)
	case "gg":
		m = motion{to: b.firstLetter(b.line(max(v.count, 1) - 1)), lines: true}
	case "G":
		at := len(b.text)
		if v.count > 0 {
			at = b.line(v.count - 1)
		}
		m = motion{to: b.firstLetter(b.lineStart(at)), lines: true}
	case "f", "F", "t", "T", ";", ",":
		m = v.findMotion(key, n)
	default:
		return m, false
	}
	return m, true
}

// wordMotion is motion for words; capitals count all between blanks as one.
func (v *Vi) wordMotion(key string) (m motion, ok bool) {
	b, big := v.b, key == strings.ToUpper(key)
	m.to = b.caret
	for range v.times() {
		switch strings.ToLower(key) {
		case "w":
			m.to = viWord(b.text, m.to, big)
		case "b":
			m.to = viWordBack(b.text, m.to, big)
		case "e":
			m.to, m.inclusive = viWordEnd(b.text, m.to, big), true
		default:
			return m, false
		}
	}
	return m, true
}

// lineMotion leads n lines down, in the same column.
func (v *Vi) lineMotion(n int) motion {
	b := v.b
	start := b.lineStart(b.caret)
	if v.column < 0 {
		v.column = characters(b.text[start:b.caret])
	}
	at := start
	for ; n > 0; n-- {
		end := b.lineEnd(at)
		if end == len(b.text) {
			return motion{fails: at == start}.or(v, at)
		}
		at = end + 1
	}
	for ; n < 0; n++ {
		if at == 0 {
			return motion{fails: at == start}.or(v, at)
		}
		at = b.lineStart(at - 1)
	}
	return motion{}.or(v, at)
}

// or leads to the column that is kept to, in the line that begins at an offset.
func (m motion) or(v *Vi, line int) motion {
	b := v.b
	end, at := b.lineEnd(line), line
	for n := v.column; n > 0 && at < end; n-- {
		at = next(b.text, at)
	}
	m.to, m.lines = at, true
	return m
}

// findMotion leads to a character in the line.
func (v *Vi) findMotion(key string, n int) motion {
	f, again := v.find, false
	switch key {
	case ";", ",":
		again = true
		if key == "," {
			f.key = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.key]
		}
	}
	b := v.b
	at := b.caret
	back := f.key == "F" || f.key == "T"
	till := f.key == "t" || f.key == "T"
	step := func(at int) int { return b.step(at, back) }
	if till && again && b.at(step(at)) == f.what {
		at = step(at)
	}
	for ; n > 0 && f.key != ""; n-- {
		for at = step(at); at >= 0 && b.at(at) != f.what; at = step(at) {
		}
		if at < 0 {
			return motion{fails: true}
		}
	}
	if f.key == "" {
		return motion{fails: true}
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
	for at < end && classAt(b.text, at) == blank {
		at = next(b.text, at)
	}
	return at
}

// characters counts them.
func characters(s string) (n int) {
	for at := 0; at < len(s); at = next(s, at) {
		n++
	}
	return n
}

// kindAt is classAt, or for big words no more than whether it is blank.
func kindAt(s string, at int, big bool) class {
	c := classAt(s, at)
	if big && c != blank {
		return letter
	}
	return c
}

// viWord is the start of the next word. An empty line is one.
func viWord(s string, at int, big bool) int {
	kind := kindAt(s, at, big)
	for at < len(s) && kind != blank && kindAt(s, at, big) == kind {
		at = next(s, at)
	}
	for at < len(s) && kindAt(s, at, big) == blank {
		if at = next(s, at); at < len(s) && s[at] == '\n' && s[at-1] == '\n' {
			return at
		}
	}
	return at
}

// viWordBack is the start of this word, or of the one before.
func viWordBack(s string, at int, big bool) int {
	for at > 0 {
		at = previous(s, at)
		if kindAt(s, at, big) != blank || s[at] == '\n' && (at == 0 || s[at-1] == '\n') {
			break
		}
	}
	kind := kindAt(s, at, big)
	for at > 0 && kind != blank && kindAt(s, previous(s, at), big) == kind {
		at = previous(s, at)
	}
	return at
}

// viWordEnd is the last character of this word, or of the next one.
func viWordEnd(s string, at int, big bool) int {
	if at >= len(s) {
		return at
	}
	for at = next(s, at); at < len(s) && kindAt(s, at, big) == blank; {
		at = next(s, at)
	}
	if at >= len(s) {
		return previous(s, len(s))
	}
	kind := kindAt(s, at, big)
	for {
		n := next(s, at)
		if n >= len(s) || kindAt(s, n, big) != kind {
			return at
		}
		at = n
	}
}
