package tui

import tea "charm.land/bubbletea/v2"

// markings are the keys that mark from the caret on, and copy what is marked.
func (e *editor) markings() map[action]func() {
	b := e.buf
	return map[action]func(){
		actMarkLeft:      func() { e.mark(b.Left) },
		actMarkRight:     func() { e.mark(b.Right) },
		actMarkWordLeft:  func() { e.mark(b.WordLeft) },
		actMarkWordRight: func() { e.mark(b.WordRight) },
		actMarkStart:     func() { e.mark(b.LineStart) },
		actMarkEnd:       func() { e.mark(b.LineEnd) },
		actMarkUp: func() {
			e.mark(func() {
				if !b.Up() {
					b.TextStart()
				}
			})
		},
		actMarkDown: func() {
			e.mark(func() {
				if !b.Down() {
					b.TextEnd()
				}
			})
		},
		actCopyMarked: func() {},
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
func (e *editor) pressMarked(msg tea.KeyPressMsg, act action) bool {
	from, to, ok := e.chosen()
	switch {
	case !ok:
		return false
	case act == actCopyMarked:
		e.buf.Copy(from, to)
		text := e.tokens.expand(e.buf.String()[from:to])
		e.gives = &text
	case act == actEraseWord, act == actEraseToHead, act == actEraseToTail:
		e.buf.Cut(from, to)
	case act == actEraseLeft, act == actEraseRight, act == actErasePart, act == actEraseWordR, msg.String() == "backspace":
		e.buf.Replace(from, to, "")
	case act == actYank:
		e.buf.Replace(from, to, "")
		e.buf.Yank()
	case act == "" && msg.Text != "" && msg.Mod != virtual:
		e.buf.TypeOver(from, to, e.tokens.literal(tidy(msg.Text)))
	default:
		return false
	}
	return true
}
