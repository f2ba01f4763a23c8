package text

import "strings"

// place is a line and an offset in it, in bytes.
type place struct{ line, col int }

// marks holds named places. They move with their lines when lines are inserted or
// deleted before them.
type marks map[string]place

// SetMark sets a named mark at an offset. The mark moves with its line.
func (b *Buffer) SetMark(name string, at int) {
	if b.marks == nil {
		b.marks = marks{}
	}
	b.marks[name] = place{strings.Count(b.text[:at], "\n"), at - LineStart(b.text, at)}
}

// Mark returns the offset of a mark. ok is false if the mark is not set or its line
// was deleted.
func (b *Buffer) Mark(name string) (at int, ok bool) {
	p, ok := b.marks[name]
	if !ok || p.line > strings.Count(b.text, "\n") {
		return 0, false
	}
	start := Line(b.text, p.line)
	return min(start+p.col, LineEnd(b.text, start)), true
}

// edited moves marks with their lines and removes those of deleted lines.
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
