package tui

import tea "charm.land/bubbletea/v2"

// actions are what keys do to the text.
func (e *editor) actions() map[action]func() {
	b := e.buf
	return map[action]func(){
		actPrevPrompt:  func() { b.Up() },
		actNextPrompt:  func() { b.Down() },
		actLineStart:   b.LineStart,
		actLineEnd:     b.LineEnd,
		actWordLeft:    b.WordLeft,
		actWordRight:   b.WordRight,
		actLeft:        b.Left,
		actRight:       b.Right,
		actEraseLeft:   b.EraseLeft,
		actEraseRight:  b.EraseRight,
		actEraseWord:   b.KillBlankWord,
		actErasePart:   b.KillWordLeft,
		actEraseWordR:  b.KillWordRight,
		actEraseToHead: b.KillToStart,
		actEraseToTail: b.KillToEnd,
		actYank:        b.Yank,
		actYankOlder:   b.YankOlder,
		actTextStart:   b.TextStart,
		actTextEnd:     b.TextEnd,
		actStepRight:   b.Right,
		actStepUp:      func() { b.Up() },
		actUpper:       b.UpperWord,
		actLower:       b.LowerWord,
		actCapital:     b.CapitalWord,
		actSwapWords:   b.SwapWords,
		actSwapLetters: b.SwapLetters,
		actUndo:        func() { b.Undo() },
		actRedo:        func() { b.Redo() },
		actExpand:      e.expandToken,
	}
}

// press takes a key that means text or moves in it.
func (e *editor) press(msg tea.KeyPressMsg) {
	k := msg.String()
	if !e.keys.types(msg) {
		return
	}
	switch act, ok := e.action(k); {
	case e.mode() == "" && e.pressMarked(msg, act):
	case e.vi != nil && e.vi.Press(k):
	case k == "backspace":
		e.buf.EraseLeft()
	case ok:
		e.does[act]()
		if e.vi != nil {
			e.vi.Moved()
		}
	case msg.Text != "" && msg.Mod != virtual:
		e.buf.Type(e.tokens.literal(tidy(msg.Text)))
	}
	e.held = sweep{}
	e.tokens.number(e.buf)
}

// action is what a key does to the text.
func (e *editor) action(k string) (action, bool) {
	for _, r := range e.keys.rows {
		if e.does[r.action] != nil && e.keys.is(k, r.action) {
			return r.action, true
		}
	}
	return "", false
}

// rows is where the caret is, and how many rows there are.
func (e *editor) rows() (row, of int) {
	row, _ = e.buf.Locate(e.buf.Caret())
	return row, e.buf.RowCount()
}
