package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
)

// markings are the keys that mark from the caret on, and copy what is marked.
func (e *editor) markings() map[keys.Action]func() {
	b := e.buf
	return map[keys.Action]func(){
		keys.MarkLeft:      func() { e.mark(b.Left) },
		keys.MarkRight:     func() { e.mark(b.Right) },
		keys.MarkWordLeft:  func() { e.mark(b.WordLeft) },
		keys.MarkWordRight: func() { e.mark(b.WordRight) },
		keys.MarkStart:     func() { e.mark(b.LineStart) },
		keys.MarkEnd:       func() { e.mark(b.LineEnd) },
		keys.MarkUp: func() {
			e.mark(func() {
				if !b.Up() {
					b.TextStart()
				}
			})
		},
		keys.MarkDown: func() {
			e.mark(func() {
				if !b.Down() {
					b.TextEnd()
				}
			})
		},
		keys.CopyMarked: func() {},
	}
}

// release takes away what is marked, but for the key that is pressed now.
func (e *editor) release() { e.held, e.swept = e.swept, sweep{} }

// mark marks what a move passes over, with what was marked up to the caret.
func (e *editor) mark(move func()) {
	from := e.buf.Caret()
	if e.held.to == from {
		from = e.held.from
	}
	move()
	e.swept = sweep{from: from, to: e.buf.Caret(), keys: true}
}

// chosen is what was marked by keys, until another key is pressed.
func (e *editor) chosen() (from, to int, ok bool) {
	from, to = e.held.ends()
	return from, to, e.held.keys && from < to && to <= len(e.buf.String())
}

// holds reports whether keys marked something, which esc takes away.
func (e *editor) holds() bool { return e.held.keys || e.swept.keys }

// pressMarked takes a key that does something to what is marked. Text that is
// typed takes its place.
func (e *editor) pressMarked(msg tea.KeyPressMsg, act keys.Action) bool {
	from, to, ok := e.chosen()
	switch {
	case !ok:
		return false
	case act == keys.CopyMarked:
		e.buf.Copy(from, to)
		text := e.tokens.expand(e.buf.String()[from:to])
		e.gives = &text
	case act == keys.EraseWord, act == keys.EraseToHead, act == keys.EraseToTail:
		e.buf.Cut(from, to)
	case act == keys.EraseLeft, act == keys.EraseRight, act == keys.ErasePart, act == keys.EraseWordR, msg.String() == "backspace":
		e.buf.Replace(from, to, "")
	case act == keys.Yank:
		e.buf.Replace(from, to, "")
		e.buf.Yank()
	case act == "" && msg.Text != "" && msg.Mod != keys.Virtual:
		e.buf.TypeOver(from, to, e.tokens.literal(tidy(msg.Text)))
	default:
		return false
	}
	return true
}
