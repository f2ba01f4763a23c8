package text

import "strings"

// place is a place in a text: a line and what is before it there, in bytes.
type place struct{ line, col int }

// marks are places with a name. They stay with their lines when lines come or
// go before them.
type marks map[string]place

// set puts a mark at an offset.
func (m *marks) set(b *Buffer, name string, at int) {
	if *m == nil {
		*m = marks{}
	}
	(*m)[name] = place{strings.Count(b.text[:at], "\n"), at - b.lineStart(at)}
}

// offset is where a mark is.
func (m marks) offset(b *Buffer, name string) (at int, ok bool) {
	p, ok := m[name]
	if !ok || p.line > strings.Count(b.text, "\n") {
		return 0, false
	}
	start := b.line(p.line)
	return min(start+p.col, b.lineEnd(start)), true
}

// edited moves marks with their lines. Those of lines that go are lost.
func (m marks) edited(text string, c change) {
	gone, new := strings.Count(c.old, "\n"), strings.Count(c.new, "\n")
	if len(m) == 0 || gone == 0 && new == 0 {
		return
	}
	first := strings.Count(text[:c.at], "\n") + 1
	if start := c.at == 0 || text[c.at-1] == '\n'; start && (strings.HasSuffix(c.old, "\n") || c.old == "" && strings.HasSuffix(c.new, "\n")) {
		first--
	}
	for name, p := range m {
		switch {
		case p.line >= first+gone:
			m[name] = place{p.line + new - gone, p.col}
		case p.line >= first && len(name) == 1 && name >= "a" && name <= "z":
			delete(m, name)
		}
	}
}

// setMark is m.
func (v *Vi) setMark(name string) {
	if len(name) == 1 && v.operator == "" && (name >= "a" && name <= "z" || name == "'" || name == "`") {
		v.b.marks.set(v.b, strings.Replace(name, "`", "'", 1), v.b.caret)
	}
	v.reset()
}

// markMotion is motion to a mark: to its line by ', to itself by `.
func (v *Vi) markMotion(key string) (m motion, ok bool) {
	if len(key) != 2 || key[0] != '\'' && key[0] != '`' {
		return m, false
	}
	b, name := v.b, strings.Replace(key[1:], "`", "'", 1)
	if strings.IndexByte("abcdefghijklmnopqrstuvwxyz'<>^.", name[0]) < 0 {
		return motion{fails: true}, true
	}
	at, ok := b.marks.offset(b, name)
	if !ok && name == "'" {
		at, ok = 0, true
	}
	m = motion{to: at, jumps: true, fails: !ok, wide: true}
	if key[0] == '\'' {
		m.to, m.lines = b.firstLetter(b.lineStart(at)), true
	}
	return m, true
}
