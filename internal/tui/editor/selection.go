package editor

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Selection is the text selected by the mouse or by keys. The next key removes it.
type Selection struct {
	doc    *document
	now    span
	before span    // the selection when the current key was pressed
	copied *string // text for the clipboard until TakeCopied; nil for none
}

// span is a selection between two offsets. Extending it moves to.
type span struct {
	from, to int
	byKeys   bool // selected by keys, so that the next key acts on it
}

// ends returns the ends of s in the order of the text.
func (s span) ends() (from, to int) { return min(s.from, s.to), max(s.from, s.to) }

// begin starts a selection at an offset. A double click selects the word, a triple
// click the line.
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

// Text returns the text selected by the mouse, with pastes expanded.
func (s *Selection) Text() string {
	from, to := s.now.ends()
	if to > len(s.doc.String()) || s.now.byKeys {
		return ""
	}
	return s.doc.pieces.expand(s.doc.String()[from:to])
}

// Clear removes the selection.
func (s *Selection) Clear() { s.now = span{} }

// Release removes the selection after the current key.
func (s *Selection) Release() { s.before, s.now = s.now, span{} }

// ByKeys reports whether there is a selection by keys, which esc removes.
func (s *Selection) ByKeys() bool { return s.before.byKeys || s.now.byKeys }

// actions returns the actions that extend or copy the selection.
func (s *Selection) actions() map[keys.Action]func() {
	d := s.doc
	by := func(move func()) func() { return func() { s.mark(move) } }
	return map[keys.Action]func(){
		keys.SelectLeft:      by(d.emacs.Left),
		keys.SelectRight:     by(d.emacs.Right),
		keys.SelectWordLeft:  by(d.emacs.WordLeft),
		keys.SelectWordRight: by(d.emacs.WordRight),
		keys.SelectStart:     by(d.emacs.LineStart),
		keys.SelectEnd:       by(d.emacs.LineEnd),
		keys.SelectUp: by(func() {
			if !d.Up() {
				d.emacs.TextStart()
			}
		}),
		keys.SelectDown: by(func() {
			if !d.Down() {
				d.emacs.TextEnd()
			}
		}),
		keys.CopySelection: func() {},
	}
}

// mark extends the selection by a move of the caret.
func (s *Selection) mark(move func()) {
	from := s.doc.Caret()
	if s.before.to == from {
		from = s.before.from
	}
	move()
	s.now = span{from: from, to: s.doc.Caret(), byKeys: true}
}

// chosen returns the range that was selected by keys when the current key was pressed.
func (s *Selection) chosen() (from, to int, ok bool) {
	from, to = s.before.ends()
	return from, to, s.before.byKeys && from < to && to <= len(s.doc.String())
}

// press handles a key that acts on a selection by keys. Typed text replaces it.
func (s *Selection) press(msg tea.KeyPressMsg, act keys.Action) bool {
	d := s.doc
	from, to, ok := s.chosen()
	switch {
	case !ok:
		return false
	case act == keys.CopySelection:
		d.emacs.Copy(from, to)
		text := d.pieces.expand(d.String()[from:to])
		s.copied = &text
	case act == keys.DeleteWord, act == keys.DeleteToStart, act == keys.DeleteToEnd:
		d.emacs.Cut(from, to)
	case act == keys.DeleteLeft, act == keys.DeleteRight, act == keys.DeleteWordLeft, act == keys.DeleteWordRight, msg.String() == "backspace":
		d.Replace(from, to, "")
	case act == keys.Yank:
		d.Replace(from, to, "")
		d.emacs.Yank()
	case act == "" && msg.Text != "" && msg.Mod != keys.Virtual:
		d.TypeOver(from, to, d.pieces.literal(Typable(msg.Text)))
	default:
		return false
	}
	return true
}
