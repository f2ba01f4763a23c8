package text

import (
	"strings"
	"unicode"
)

// runNormal carries out a command of normal mode that is no motion.
func (v *Vi) runNormal(key string) {
	b, n := v.b, v.times()
	switch key {
	case "d", "c", "y":
		v.operator, v.opCount, v.count = key, v.count, 0
	case "i", "I", "a", "A", "o", "O":
		v.begin(key, n)
	case "x", "X", "D", "C", "s", "S", "Y":
		v.short(key)
	case "p", "P":
		b.Join()
		v.put(key == "p", n)
		b.Seal()
		v.done(true)
	case "~":
		v.swapCase(b.caret, v.along(n))
	case "J":
		v.joinLines(max(n-1, 1))
	case "v", "V":
		v.mode, v.anchor = Visual, b.caret
		if key == "V" {
			v.mode = VisualLines
		}
		v.reset()
	case "u", "ctrl+r":
		for ; n > 0 && v.travel(key); n-- {
		}
		v.done(false)
	case ".":
		v.again()
	default:
		v.reset()
	}
}

func (v *Vi) travel(key string) bool {
	if key == "u" {
		return v.b.Undo()
	}
	return v.b.Redo()
}

// short carries out what is short for an operator and a motion.
func (v *Vi) short(key string) {
	b := v.b
	end := b.lineEnd(b.caret)
	switch key {
	case "x":
		v.cut("d", b.caret, v.along(v.times()), false)
	case "X":
		from := b.caret
		for n := v.times(); n > 0 && from > b.lineStart(b.caret); n-- {
			from = previous(b.text, from)
		}
		v.cut("d", from, b.caret, false)
	case "s":
		v.cut("c", b.caret, v.along(v.times()), false)
	case "D":
		v.cut("d", b.caret, end, false)
	case "C":
		v.cut("c", b.caret, end, false)
	case "S":
		v.cut("c", b.caret, v.lines(v.times()-1), true)
	case "Y":
		v.cut("y", b.caret, v.lines(v.times()-1), true)
	}
}

// along is n characters behind the caret, in its line.
func (v *Vi) along(n int) int {
	b := v.b
	at, end := b.caret, b.lineEnd(b.caret)
	for ; n > 0 && at < end; n-- {
		at = next(b.text, at)
	}
	return at
}

// lines is in the line that is n below the caret's, or in the last one.
func (v *Vi) lines(n int) int {
	at := v.b.lineEnd(v.b.caret)
	for ; n > 0 && at < len(v.b.text); n-- {
		at = v.b.lineEnd(at + 1)
	}
	return at
}

// begin enters insert mode where the key says.
func (v *Vi) begin(key string, times int) {
	b := v.b
	b.Join()
	switch key {
	case "I":
		b.MoveTo(b.firstLetter(b.lineStart(b.caret)))
	case "a":
		b.MoveTo(v.along(1))
	case "A":
		b.LineEnd()
	case "o":
		b.LineEnd()
		b.Insert("\n")
	case "O":
		b.LineStart()
		b.Insert("\n")
		b.MoveTo(b.caret - 1)
	}
	v.change(times)
}

// change ends a command in insert mode.
func (v *Vi) change(times int) {
	v.remember()
	v.insert(times)
	v.entered.again = true
}

// doubled takes an operator pressed twice: it is for whole lines.
func (v *Vi) doubled(key string) {
	if key != v.operator {
		v.reset()
		return
	}
	v.cut(key, v.b.caret, v.lines(v.times()-1), true)
}

// operate carries out the operator on what a motion passes over.
func (v *Vi) operate(m motion) {
	b := v.b
	from, to := min(b.caret, m.to), max(b.caret, m.to)
	last := v.keys[len(v.keys)-1]
	switch {
	case m.lines:
	case v.operator == "c" && (last == "w" || last == "W") && classAt(b.text, b.caret) != blank:
		to = v.wordsEnd(last == "W")
	case m.inclusive && to < len(b.text):
		to = next(b.text, to)
	case !m.inclusive && to > b.lineEnd(from) && to <= b.firstLetter(b.lineStart(to)):
		to = b.lineStart(to) - 1 // the newline before the next line's words stays
	}
	v.cut(v.operator, from, to, m.lines)
}

// wordsEnd is where cw ends: before the blanks behind the word.
func (v *Vi) wordsEnd(big bool) int {
	s, at := v.b.text, v.b.caret
	for n := v.times(); n > 1; n-- {
		at = viWord(s, at, big)
	}
	kind := kindAt(s, at, big)
	for at < len(s) && kindAt(s, at, big) == kind {
		at = next(s, at)
	}
	return at
}

// takeObject carries out the operator on a text object, or marks it.
func (v *Vi) takeObject(from, to int, ok bool) {
	switch {
	case !ok:
		v.reset()
	case v.operator != "":
		v.cut(v.operator, from, to, false)
	default:
		v.mode, v.anchor = Visual, from
		v.b.MoveTo(from)
		if to > from {
			v.b.MoveTo(previous(v.b.text, to))
		}
		v.reset()
	}
}

// cut carries out an operator on a range, or on the lines that it touches.
func (v *Vi) cut(operator string, from, to int, lines bool) {
	b, back := v.b, from
	if lines {
		from, to = b.lineStart(from), b.lineEnd(to)
	}
	text := b.text[from:to]
	if lines {
		text += "\n"
	}
	b.kills.push(text, lines)
	v.mode = Normal
	switch operator {
	case "y":
		if !lines || back < b.caret {
			b.MoveTo(back)
		}
		v.keys = nil
		v.done(false)
	case "d":
		v.remove(from, to, lines)
		v.done(true)
	case "c":
		b.Join()
		b.MoveTo(from)
		b.Replace(from, to, "")
		v.change(1)
	}
}

// remove deletes a range; of whole lines, with one of the newlines around them.
func (v *Vi) remove(from, to int, lines bool) {
	b := v.b
	switch {
	case !lines:
	case to < len(b.text):
		to++
	case from > 0:
		from--
	}
	b.edit(changed, from, to, "")
	if lines {
		b.MoveTo(b.firstLetter(b.lineStart(b.caret)))
	}
}

// put puts back what was cut last, behind the caret or before it.
func (v *Vi) put(after bool, times int) {
	b, k := v.b, v.b.kills.top()
	if k.text == "" {
		return
	}
	text := strings.Repeat(k.text, min(times, max(1<<20/len(k.text), 1)))
	if !k.lines {
		if after && b.caret < b.lineEnd(b.caret) {
			b.Right()
		}
		b.Insert(text)
		b.MoveTo(previous(b.text, b.caret))
		return
	}
	at := b.lineStart(b.caret)
	if after {
		at = b.lineEnd(b.caret)
		text = "\n" + strings.TrimSuffix(text, "\n")
	}
	b.MoveTo(at)
	b.Insert(text)
	if after {
		at++
	}
	b.MoveTo(b.firstLetter(at))
}

// replaceLetter is r: the key takes the place of the characters at the caret,
// or of all that are marked.
func (v *Vi) replaceLetter(key string) {
	b := v.b
	from, to := b.caret, v.along(v.times())
	if f, t, marked := v.Selection(); marked {
		from, to = f, t
		v.keys = nil
	} else if characters(b.text[from:to]) < v.times() {
		v.reset()
		return
	}
	if key == "enter" {
		key = "\n"
	} else if next(key, 0) < len(key) {
		v.reset()
		return
	}
	v.mode = Normal
	var with strings.Builder
	for at := from; at < to; at = next(b.text, at) {
		if b.text[at] == '\n' {
			with.WriteByte('\n')
		} else {
			with.WriteString(key)
		}
	}
	b.edit(changed, from, to, with.String())
	b.MoveTo(max(b.caret-len(key), from))
	v.done(true)
}

// swapCase is ~.
func (v *Vi) swapCase(from, to int) {
	v.b.edit(changed, from, to, strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, v.b.text[from:to]))
	v.done(true)
}

// joinLines is J: newlines, and what is blank after them, become one blank.
func (v *Vi) joinLines(n int) {
	b := v.b
	b.Join()
	for ; n > 0; n-- {
		end := b.lineEnd(b.caret)
		if end == len(b.text) {
			break
		}
		to, with := b.firstLetter(end+1), " "
		if to == b.lineEnd(to) || end == b.lineStart(end) || b.text[end-1] == ' ' {
			with = ""
		}
		b.edit(changed, end, to, with)
		b.MoveTo(end)
	}
	b.Seal()
	v.done(true)
}

// again is .
func (v *Vi) again() {
	r := v.repeat
	count := v.count
	v.reset()
	if len(r.keys) == 0 || v.playing {
		return
	}
	keys := r.keys
	if count > 0 { // in the place of the one it had
		for len(keys) > 0 && keys[0] >= "0" && keys[0] <= "9" {
			keys = keys[1:]
		}
		v.count = count
	}
	v.playing = true
	for _, k := range keys {
		v.Press(k)
	}
	if v.mode == Insert {
		b := v.b
		from := b.caret
		for n := r.erased; n > 0 && from > b.lineStart(b.caret); n-- {
			from = previous(b.text, from)
		}
		b.Replace(from, b.caret, r.typed)
		v.leaveInsert()
	}
	v.playing = false
}
