package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// area is the extent of a visual selection.
type area struct {
	mode    Mode
	lines   int // number of newlines
	letters int // characters in the last line
	toEnd   bool
}

// Selection returns the range selected in visual mode.
func (v *Vi) Selection() (from, to int, ok bool) {
	if v.mode != Visual && v.mode != VisualLines {
		return 0, 0, false
	}
	b := v.b
	anchor := min(v.anchor, len(b.String()))
	from, to = min(anchor, b.Caret()), max(anchor, b.Caret())
	if v.mode == VisualLines {
		return b.lineStart(from), b.lineEnd(to), true
	}
	if to < len(b.String()) {
		to = text.Next(b.String(), to)
	}
	return from, to, true
}

// extent measures the selection, so that . can select as much elsewhere.
func (v *Vi) extent() area {
	from, to, _ := v.Selection()
	all := v.b.String()[from:to]
	a := area{mode: v.mode, lines: strings.Count(all, "\n"), toEnd: v.column == endless}
	last := strings.LastIndexByte(all, '\n') + 1
	if a.lines > 0 && v.mode == Visual && last == len(all) { // the newline is selected
		a.lines--
		last = strings.LastIndexByte(all[:last-1], '\n') + 1
		a.toEnd = true
	}
	a.letters = characters(all[last:])
	return a
}

// extend selects as much as a, from the caret on.
func (v *Vi) extend(a area) {
	b := v.b
	at := b.Caret()
	v.mode, v.anchor = a.mode, at
	for n := a.lines; n > 0 && b.lineEnd(at) < len(b.String()); n-- {
		at = b.lineEnd(at) + 1
	}
	end := b.lineEnd(at)
	switch {
	case a.toEnd:
		at = end
	default:
		for n := a.letters; n > 1 && at < end; n-- {
			at = text.Next(b.String(), at)
		}
		if a.mode == Visual && at == end && at > b.lineStart(at) {
			at = text.Previous(b.String(), at)
		}
	}
	b.doc.MoveTo(at)
}

// lineCaret returns the caret after a command on selected lines: the caret itself if
// it is on the first of them, otherwise the start of that line.
func (v *Vi) lineCaret(from int) int {
	if v.b.Caret() < v.b.lineStart(v.anchor) {
		return v.b.Caret()
	}
	return v.b.lineStart(from)
}

// mark implements v and V: it starts, switches or ends visual mode.
func (v *Vi) mark(key string) {
	a := area{mode: Visual, letters: v.count}
	if key == "V" {
		a = area{mode: VisualLines, lines: v.count - 1}
	}
	switch v.mode {
	case Normal:
		v.extend(a)
		v.reset()
	case a.mode:
		v.mode = Normal
		v.done(false)
	default:
		v.mode = a.mode
		v.reset()
	}
}

// runVisual runs a visual mode command that is not a motion.
func (v *Vi) runVisual(key string) {
	b := v.b
	if key == "o" || key == "O" {
		at := v.anchor
		v.anchor = b.Caret()
		b.doc.MoveTo(at)
		v.reset()
		return
	}
	from, to, _ := v.Selection()
	caret := min(v.anchor, b.Caret())
	if v.mode == VisualLines {
		caret = v.lineCaret(from)
	}
	s := span{from: from, to: to, lines: v.mode == VisualLines, caret: caret, times: v.times()}
	v.area = v.extent()
	v.runMarked(key, s)
}

// runMarked runs a command on the selection.
func (v *Vi) runMarked(key string, s span) {
	b := v.b
	whole := s
	whole.lines, whole.caret = true, v.lineCaret(s.from)
	if whole.to > whole.from && s.lines != whole.lines {
		whole.to = max(v.anchor, b.Caret())
	}
	switch key {
	case "d", "x", "c", "s", "y", "~", "g~", "u", "gu", "U", "gU":
		v.apply(visualOperator(key), s)
	case "X", "D", "S", "C", "R", "Y", ">", "<":
		v.apply(visualOperator(key), whole)
	case "J", "gJ":
		n := strings.Count(b.String()[s.from:max(v.anchor, b.Caret())], "\n")
		v.mode = Normal
		b.doc.MoveTo(s.from)
		b.joinLines(max(n, 1), key == "J")
		v.done(true)
	case "p", "P":
		k := v.kills.Latest()
		if key == "p" {
			v.kills.Keep(b.taken(s))
		}
		v.mode = Normal
		b.putOver(s, k)
		v.done(true)
	case "I", "A":
		at := s.from
		if key == "A" {
			at = min(s.to, b.lineEnd(max(v.anchor, b.Caret())))
		}
		v.mode = Normal
		b.doc.Join()
		b.doc.MoveTo(at)
		v.change(Insert, 1)
	default:
		v.reset()
	}
}

// visualOperator returns the operator of a key of visual mode.
func visualOperator(key string) string {
	if op, ok := map[string]string{
		"x": "d", "X": "d", "D": "d", "s": "c", "S": "c", "C": "c", "R": "c", "Y": "y", "~": "g~", "u": "gu", "U": "gU",
	}[key]; ok {
		return op
	}
	return key
}
