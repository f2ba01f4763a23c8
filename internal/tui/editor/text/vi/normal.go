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
		v.runShort(key)
	case "p", "P":
		v.b.put(v.kills.Latest(), key == "p", n)
		v.done(true)
	case "~":
		v.changed(v.b.tilde(n))
	case "J", "gJ":
		v.changed(v.b.joinLines(max(n-1, 1), key == "J"))
	case "v", "V":
		v.mark(key)
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

// runShort runs a command that abbreviates an operator with a motion.
func (v *Vi) runShort(key string) {
	b := v.b
	end, ok := b.below(v.times() - 1)
	if !ok && strings.Contains("DCSY", key) {
		v.reset()
		return
	}
	switch key {
	case "x":
		if b.Caret() == b.lineEnd(b.Caret()) {
			v.done(true)
			return
		}
		v.apply("d", span{from: b.Caret(), to: b.along(v.times()), caret: b.Caret()})
	case "X":
		from := b.back(v.times())
		if from == b.Caret() {
			v.done(true)
			return
		}
		v.apply("d", span{from: from, to: b.Caret(), caret: from})
	case "s":
		v.apply("c", span{from: b.Caret(), to: b.along(v.times()), caret: b.Caret()})
	case "D", "C":
		v.operator = strings.ToLower(key)
		v.operate(motion{to: end, inclusive: true})
	case "S":
		v.applyLines("c")
	case "Y":
		v.applyLines("y")
	}
}

// undoRedo undoes or redoes a change and places the caret as vim does.
func (b buffer) undoRedo(key string) bool {
	if key == "u" {
		return b.Undo()
	}
	was := b.String()
	if !b.Redo() {
		return false
	}
	at := b.StepCaret()
	line, col := strings.Count(was[:at], "\n"), at-text.LineStart(was, at)
	start := text.Line(b.String(), line)
	b.MoveTo(min(start+col, b.lineEnd(start)))
	if strings.Count(b.String()[:start], "\n") < line {
		b.MoveTo(b.firstLetter(start))
	}
	return true
}

// tilde implements ~: it swaps the case of n characters. It reports whether there are any.
func (b buffer) tilde(n int) bool {
	from, to := b.Caret(), b.along(n)
	if from == to {
		return false
	}
	b.rewrite(from, to, otherCase(b.String()[from:to]))
	b.MoveTo(to)
	return true
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
	b.Edit(from, to, with)
	switch {
	case marked:
		b.MoveTo(from)
	case by == "\n":
		b.MoveTo(b.firstLetter(b.Caret()))
	default:
		b.MoveTo(max(b.Caret()-len(by), from))
	}
}

// joinLines implements J, which replaces newlines and the indentation after them by
// a space, and gJ, which only removes newlines. It reports whether there is a next line.
func (b buffer) joinLines(n int, spaced bool) bool {
	start, to := b.lineStart(b.Caret()), b.lineEnd(b.Caret())
	if to == len(b.String()) {
		return false
	}
	to, _ = b.below(n)
	joined, at := joined(strings.Split(b.String()[start:to], "\n"), spaced)
	b.Edit(start, to, joined)
	b.MoveTo(start + at)
	return true
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
