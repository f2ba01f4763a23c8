package vi

import "strings"

// setMark implements the m command.
func (v *Vi) setMark(name string) {
	if len(name) == 1 && v.operator == "" && (name >= "a" && name <= "z" || name == "'" || name == "`") {
		v.b.SetMark(strings.Replace(name, "`", "'", 1), v.b.Caret())
	}
	v.reset()
}

// markMotion returns the motion to a mark: ' to its line, ` to its exact place.
func (v *Vi) markMotion(key string) (m motion, ok bool) {
	if len(key) != 2 || key[0] != '\'' && key[0] != '`' {
		return m, false
	}
	b, name := v.b, strings.Replace(key[1:], "`", "'", 1)
	if strings.IndexByte("abcdefghijklmnopqrstuvwxyz'<>^.", name[0]) < 0 {
		return motion{fails: true}, true
	}
	at, ok := b.Mark(name)
	if !ok && name == "'" {
		at, ok = 0, true
	}
	m = motion{to: at, jumps: true, fails: !ok, wide: true}
	if key[0] == '\'' {
		m.to, m.lines = b.firstLetter(b.lineStart(at)), true
	}
	return m, true
}
