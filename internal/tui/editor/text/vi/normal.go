package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// runNormal runs a normal mode command that is neither a motion nor an operator.
func (v *Vi) runNormal(key string) {
	n := v.times()
	switch key {
	case "i", "I", "a", "A", "o", "O", "gI", "R":
		v.begin(key, n)
	case "x", "X", "D", "C", "s", "S", "Y":
		long := map[string]string{"x": "dl", "X": "dh", "D": "d$", "C": "c$", "s": "cl", "S": "cc", "Y": "yy"}[key]
		v.operator = long[:1]
		v.run(long[1:])
	case "p", "P", "gp", "gP":
		v.b.put(v.kills.Latest(), key, n)
		v.done(true)
	case "~":
		v.b.tilde(n)
		v.done(true)
	case "J", "gJ":
		v.b.joinLines(max(n-1, 1), key == "J")
		v.done(true)
	case "u", "ctrl+r":
		for ; n > 0 && v.b.undoRedo(key); n-- {
		}
		v.done(false)
	case ".":
		v.again()
	default:
		v.reset()
	}
}

// undoRedo undoes or redoes a change and places the caret as vim does.
func (b buffer) undoRedo(key string) bool {
	if key == "u" {
		return b.doc.Undo()
	}
	was := b.String()
	if !b.doc.Redo() {
		return false
	}
	at := b.doc.StepCaret()
	line, col := strings.Count(was[:at], "\n"), at-text.LineStart(was, at)
	start := text.Line(b.String(), line)
	b.doc.MoveTo(min(start+col, b.lineEnd(start)))
	if strings.Count(b.String()[:start], "\n") < line {
		b.doc.MoveTo(b.firstLetter(start))
	}
	return true
}

// tilde implements ~: it swaps the case of n characters.
func (b buffer) tilde(n int) {
	from, to := b.Caret(), b.along(n)
	b.rewrite(from, to, otherCase(b.String()[from:to]))
	b.doc.MoveTo(to)
}

// replaceLetter implements r: it replaces the characters at the caret, or all
// selected ones, by the key.
func (v *Vi) replaceLetter(key string) {
	b := v.b
	from, to, marked := v.Selection()
	if !marked {
		from, to = b.Caret(), b.along(v.times())
	}
	if key == "enter" || key == "ctrl+j" {
		key = "\n"
	}
	if v.operator != "" || !isLetter(key) || !marked && characters(b.String()[from:to]) < v.times() {
		v.reset()
		return
	}
	v.mode = Normal
	b.replaceAll(from, to, key, marked)
	v.done(true)
}

// replaceAll replaces each character of a range except newlines by another one. If the
// range is not selected, a newline replaces the range as a whole.
func (b buffer) replaceAll(from, to int, by string, marked bool) {
	with := by
	if by != "\n" || marked {
		lines := strings.Split(b.String()[from:to], "\n")
		for i, line := range lines {
			lines[i] = strings.Repeat(by, characters(line))
		}
		with = strings.Join(lines, "\n")
	}
	b.doc.Edit(from, to, with)
	switch {
	case marked:
		b.doc.MoveTo(from)
	case by == "\n":
		b.doc.MoveTo(b.firstLetter(b.Caret()))
	default:
		b.doc.MoveTo(max(b.Caret()-len(by), from))
	}
}

// joinLines implements J, which replaces newlines and the indentation after them by
// a space, and gJ, which only removes newlines.
func (b buffer) joinLines(n int, spaced bool) {
	start := b.lineStart(b.Caret())
	to, ok := b.below(n)
	if !ok {
		return
	}
	joined, at := joined(strings.Split(b.String()[start:to], "\n"), spaced)
	b.doc.Edit(start, to, joined)
	b.doc.MoveTo(start + at)
}

// joined returns lines as one line, and the offset where the last of them starts,
// including the space before it.
func joined(lines []string, spaced bool) (line string, at int) {
	for i, l := range lines {
		at = len(line)
		if i > 0 && spaced {
			l = strings.TrimLeft(l, " \t")
			before := lines[i-1]
			if l != "" && l[0] != ')' && line != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\t") {
				line += " "
			}
			lines[i] = l
		}
		line += l
	}
	return line, at
}
