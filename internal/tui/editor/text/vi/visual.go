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

// mark implements v and V: it starts, switches or ends visual mode.
func (v *Vi) mark(key string) {
	mode := map[string]Mode{"v": Visual, "V": VisualLines}[key]
	n := v.count
	switch v.mode {
	case Normal:
		v.anchor = v.b.Caret()
	case mode:
		v.leaveVisual()
		v.done(false)
		return
	}
	was := v.mode
	v.mode = mode
	v.reset()
	if was == Normal && n > 0 {
		like := area{mode: mode, letters: n}
		if mode == VisualLines {
			like = area{mode: mode, lines: n - 1}
		}
		v.markLike(like)
	}
}

// leaveVisual ends visual mode and remembers the selection for gv.
func (v *Vi) leaveVisual() {
	from, to, ok := v.Selection()
	if !ok {
		v.mode = Normal
		return
	}
	b := v.b
	v.anchor = min(v.anchor, len(b.String()))
	b.SetMark("<", min(v.anchor, b.Caret()))
	b.SetMark(">", max(v.anchor, b.Caret()))
	if v.mode == VisualLines {
		b.SetMark("<", from)
	}
	v.marked = v.areaOf(from, to)
	b.SetMark("marked from", v.anchor)
	b.SetMark("marked to", b.Caret())
	v.mode = Normal
}

// areaOf returns the extent of a selection, so that . can select as much elsewhere.
func (v *Vi) areaOf(from, to int) area {
	s := v.b.String()[from:to]
	a := area{mode: v.mode, lines: strings.Count(s, "\n"), toEnd: v.column == endless}
	last := strings.LastIndexByte(s, '\n') + 1
	if a.lines > 0 && v.mode == Visual && last == len(s) { // the newline is selected
		a.lines--
		last = strings.LastIndexByte(s[:last-1], '\n') + 1
		a.toEnd = true
	}
	a.letters = characters(s[last:])
	return a
}

// markLike selects as much as a, from the caret on.
func (v *Vi) markLike(a area) {
	if a.mode == "" {
		return
	}
	b := v.b
	v.mode, v.anchor = a.mode, b.Caret()
	at := b.Caret()
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
	b.MoveTo(at)
}

// reselect implements gv: it restores the last visual selection.
func (v *Vi) reselect() {
	b := v.b
	from, ok := b.Mark("marked from")
	to, too := b.Mark("marked to")
	mode := v.marked.mode
	if !ok || !too || mode == "" {
		v.reset()
		return
	}
	if v.mode != Normal {
		v.leaveVisual()
	}
	v.mode, v.anchor = mode, from
	b.MoveTo(to)
	v.reset()
}

// runVisual runs a visual mode command that is not a motion.
func (v *Vi) runVisual(key string) {
	b := v.b
	from, to, _ := v.Selection()
	switch key {
	case "o", "O":
		at := v.anchor
		v.anchor = b.Caret()
		b.MoveTo(at)
		v.reset()
		return
	case "v", "V":
		v.mark(key)
		return
	case "gv":
		v.reselect()
		return
	}
	caret := min(v.anchor, b.Caret())
	if v.mode == VisualLines {
		caret = v.lineCaret(from)
	}
	s := span{from: from, to: to, lines: v.mode == VisualLines, caret: caret, times: v.times()}
	v.area = v.areaOf(from, to)
	v.runMarked(key, s)
}

// lineCaret returns the caret after a command on selected lines: the caret itself if
// it is on the first of them, otherwise the start of that line.
func (v *Vi) lineCaret(from int) int {
	b := v.b
	if b.Caret() < b.lineStart(v.anchor) {
		return b.Caret()
	}
	return b.lineStart(from)
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
	case "d", "x":
		v.apply("d", s)
	case "X", "D":
		v.apply("d", whole)
	case "c", "s":
		v.apply("c", s)
	case "S", "C", "R":
		v.apply("c", whole)
	case "y":
		v.apply("y", s)
	case "Y":
		v.apply("y", whole)
	case "~", "g~":
		v.apply("g~", s)
	case "u", "gu":
		v.apply("gu", s)
	case "U", "gU":
		v.apply("gU", s)
	case ">", "<":
		v.apply(key, whole)
	case "J", "gJ":
		n := strings.Count(b.String()[s.from:max(v.anchor, b.Caret())], "\n")
		v.leaveVisual()
		b.MoveTo(s.from)
		v.joinLines(max(n, 1), key == "J")
	case "p", "P":
		v.putOver(s, key == "p")
	case "I", "A":
		v.insertAround(key, s)
	default:
		v.reset()
	}
}

// insertAround implements I and A: it enters insert mode before or after the selection.
func (v *Vi) insertAround(key string, s span) {
	b := v.b
	at := s.from
	if key == "A" {
		at = min(s.to, b.lineEnd(max(v.anchor, b.Caret())))
	}
	v.leaveVisual()
	b.Join()
	b.MoveTo(at)
	v.change(Insert, 1)
}

// putOver implements p and P: it replaces the selection by a register. keeps says
// whether the replaced text becomes the unnamed register.
func (v *Vi) putOver(s span, keeps bool) {
	b, k := v.b, v.registers.content(v.register)
	n := fits(k, v.times())
	v.leaveVisual()
	b.Join()
	b.MoveTo(s.from)
	old := taken(b.String()[s.from:s.to], s.lines)
	v.register = ""
	if k.Text == "" {
		b.cutOut(s)
	}
	if keeps {
		v.registers.keep("", old, true, s.lines || strings.Contains(old.Text, "\n"))
	}
	with := strings.Repeat(k.Text, n)
	at := min(s.from, len(b.String()))
	switch {
	case k.Text == "":
	case k.Lines && s.lines:
		with = strings.TrimSuffix(with, "\n")
		b.Edit(s.from, s.to, with)
		at = b.firstLetter(s.from)
	case k.Lines:
		b.Edit(s.from, s.to, "\n"+with)
		at = b.firstLetter(s.from + 1)
	case s.lines:
		with = strings.TrimSuffix(strings.Repeat(k.Text+"\n", n), "\n")
		b.Edit(s.from, s.to, with)
		at = b.firstLetter(s.from)
	default:
		b.Edit(s.from, s.to, with)
	}
	if !k.Lines && !s.lines && !strings.Contains(with, "\n") && with != "" {
		at = text.Previous(b.String(), s.from+len(with))
	}
	b.MoveTo(at)
	b.Seal()
	v.done(true)
}
