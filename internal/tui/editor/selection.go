package editor

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Selection is what the mouse or keys select in the text. It lasts until the next
// key.
type Selection struct {
	doc    *document
	now    span
	before span    // what was selected when the key was pressed
	copied *string // nil if nothing was copied that was not taken yet
}

// span is a selection between two offsets. It grows at to.
type span struct {
	from, to int
	byKeys   bool // so that another key does something to it
}

// ends are its ends in the order of the text.
func (s span) ends() (from, to int) { return min(s.from, s.to), max(s.from, s.to) }

// begin selects from a place on, the word there with the second click and the
// line with the third.
func (s *Selection) begin(at, clicks int) {
	s.now = span{from: at, to: at}
	raw := s.doc.String()
	switch clicks {
	case 2:
		s.now.from, s.now.to = ink.WordAround(raw, at)
	case 3:
		s.now.from = strings.LastIndexByte(raw[:at], '\n') + 1
		if n := strings.IndexByte(raw[at:], '\n'); n >= 0 {
			s.now.to = at + n
		} else {
			s.now.to = len(raw)
		}
	}
}

// Text is what the mouse selected, with pastes written out.
func (s *Selection) Text() string {
	from, to := s.now.ends()
	if to > len(s.doc.String()) || s.now.byKeys {
		return ""
	}
	return s.doc.expand(s.doc.String()[from:to])
}

// Clear removes the selection.
func (s *Selection) Clear() { s.now = span{} }

// Release removes the selection, but for the key that is pressed now.
func (s *Selection) Release() { s.before, s.now = s.now, span{} }

// ByKeys reports whether keys selected something, which esc removes.
func (s *Selection) ByKeys() bool { return s.before.byKeys || s.now.byKeys }

// actions are the keys that select from the caret on, and copy the selection.
func (s *Selection) actions() map[keys.Action]func() {
	d := s.doc
	by := func(move func()) func() { return func() { s.mark(move) } }
	return map[keys.Action]func(){
		keys.MarkLeft:      by(d.Left),
		keys.MarkRight:     by(d.Right),
		keys.MarkWordLeft:  by(d.WordLeft),
		keys.MarkWordRight: by(d.WordRight),
		keys.MarkStart:     by(d.LineStart),
		keys.MarkEnd:       by(d.LineEnd),
		keys.MarkUp: by(func() {
			if !d.Up() {
				d.TextStart()
			}
		}),
		keys.MarkDown: by(func() {
			if !d.Down() {
				d.TextEnd()
			}
		}),
		keys.CopyMarked: func() {},
	}
}

// mark selects what a move passes over, with what was selected up to the caret.
func (s *Selection) mark(move func()) {
	from := s.doc.Caret()
	if s.before.to == from {
		from = s.before.from
	}
	move()
	s.now = span{from: from, to: s.doc.Caret(), byKeys: true}
}

// chosen is what was selected by keys, until another key is pressed.
func (s *Selection) chosen() (from, to int, ok bool) {
	from, to = s.before.ends()
	return from, to, s.before.byKeys && from < to && to <= len(s.doc.String())
}

// press takes a key that does something to the selection. Text that is typed
// replaces it.
func (s *Selection) press(msg tea.KeyPressMsg, act keys.Action) bool {
	d := s.doc
	from, to, ok := s.chosen()
	switch {
	case !ok:
		return false
	case act == keys.CopyMarked:
		d.Copy(from, to)
		text := d.expand(d.String()[from:to])
		s.copied = &text
	case act == keys.EraseWord, act == keys.EraseToHead, act == keys.EraseToTail:
		d.Cut(from, to)
	case act == keys.EraseLeft, act == keys.EraseRight, act == keys.ErasePart, act == keys.EraseWordR, msg.String() == "backspace":
		d.Replace(from, to, "")
	case act == keys.Yank:
		d.Replace(from, to, "")
		d.Yank()
	case act == "" && msg.Text != "" && msg.Mod != keys.Virtual:
		d.TypeOver(from, to, d.literal(Typable(msg.Text)))
	default:
		return false
	}
	return true
}
