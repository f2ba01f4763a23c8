package vi

import "strings"

// mark implements the m command.
func (b buffer) mark(name string) {
	if len(name) == 1 && (name >= "a" && name <= "z" || name == "'" || name == "`") {
		b.SetMark(strings.Replace(name, "`", "'", 1), b.Caret())
	}
}

// markMotion returns the motion to a mark: ' to its line, ` to its exact place.
func (ms *motions) markMotion(a motionKey) (m motion, ok bool) {
	key := a.key
	if len(key) != 2 || key[0] != '\'' && key[0] != '`' {
		return m, false
	}
	b, name := ms.b, strings.Replace(key[1:], "`", "'", 1)
	if strings.IndexByte("abcdefghijklmnopqrstuvwxyz'<>^.", name[0]) < 0 {
		return motion{fails: true}, true
	}
	at, ok := b.Mark(name)
	if !ok && name == "'" {
		at, ok = 0, true
	}
	m = motion{to: at, jumps: true, fails: !ok}
	if key[0] == '\'' {
		m.to, m.lines = b.firstLetter(b.lineStart(at)), true
	}
	return m, true
}
