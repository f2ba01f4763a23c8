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

// selection is the selection of visual mode, from an anchor to the caret. It finds text
// objects, which extend it.
type selection struct {
	b      buffer
	anchor int
}

// ends returns the selected range. ok is false if mode is not a visual mode.
func (s *selection) ends(mode Mode) (from, to int, ok bool) {
	if mode != Visual && mode != VisualLines {
		return 0, 0, false
	}
	b := s.b
	anchor := min(s.anchor, len(b.String()))
	from, to = min(anchor, b.Caret()), max(anchor, b.Caret())
	if mode == VisualLines {
		return b.lineStart(from), b.lineEnd(to), true
	}
	if to < len(b.String()) {
		to = text.Next(b.String(), to)
	}
	return from, to, true
}

// extent measures a range, so that . can select as much elsewhere.
func (s *selection) extent(from, to int, mode Mode, column int) area {
	all := s.b.String()[from:to]
	a := area{mode: mode, lines: strings.Count(all, "\n"), toEnd: column == endless}
	last := strings.LastIndexByte(all, '\n') + 1
	if a.lines > 0 && mode == Visual && last == len(all) { // the newline is selected
		a.lines--
		last = strings.LastIndexByte(all[:last-1], '\n') + 1
		a.toEnd = true
	}
	a.letters = characters(all[last:])
	return a
}

// extend selects as much as a, from the caret on.
func (s *selection) extend(a area) {
	b := s.b
	s.anchor = b.Caret()
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

// lineCaret returns the caret after a command on selected lines: the caret itself if
// it is on the first of them, otherwise the start of that line.
func (s *selection) lineCaret(from int) int {
	if s.b.Caret() < s.b.lineStart(s.anchor) {
		return s.b.Caret()
	}
	return s.b.lineStart(from)
}

// Selection returns the range selected in visual mode.
func (v *Vi) Selection() (from, to int, ok bool) { return v.ends(v.mode) }

// mark implements v and V: it starts, switches or ends visual mode.
func (v *Vi) mark(key string) {
	mode := map[string]Mode{"v": Visual, "V": VisualLines}[key]
	n := v.count
	switch v.mode {
	case Normal:
		v.anchor = v.b.Caret()
	case mode:
		v.mode = Normal
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
		v.extend(like)
	}
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
	}
	caret := min(v.anchor, b.Caret())
	if v.mode == VisualLines {
		caret = v.lineCaret(from)
	}
	s := span{from: from, to: to, lines: v.mode == VisualLines, caret: caret, times: v.times()}
	v.area = v.selection.extent(from, to, v.mode, v.column)
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
		v.mode = Normal
		b.MoveTo(s.from)
		v.changed(v.joinLines(max(n, 1), key == "J"))
	case "p", "P":
		v.mode = Normal
		v.putOver(s, key == "p")
		v.done(true)
	case "I", "A":
		at := s.from
		if key == "A" {
			at = min(s.to, b.lineEnd(max(v.anchor, b.Caret())))
		}
		v.mode = Normal
		b.Join()
		b.MoveTo(at)
		v.change(Insert, 1)
	default:
		v.reset()
	}
}
