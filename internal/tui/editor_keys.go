package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
)

// actions are what keys do to the text.
func (e *editor) actions() map[keys.Action]func() {
	b := e.buf
	return map[keys.Action]func(){
		keys.PrevPrompt:  func() { b.Up() },
		keys.NextPrompt:  func() { b.Down() },
		keys.LineStart:   b.LineStart,
		keys.LineEnd:     b.LineEnd,
		keys.WordLeft:    b.WordLeft,
		keys.WordRight:   b.WordRight,
		keys.Left:        b.Left,
		keys.Right:       b.Right,
		keys.EraseLeft:   b.EraseLeft,
		keys.EraseRight:  b.EraseRight,
		keys.EraseWord:   b.KillBlankWord,
		keys.ErasePart:   b.KillWordLeft,
		keys.EraseWordR:  b.KillWordRight,
		keys.EraseToHead: b.KillToStart,
		keys.EraseToTail: b.KillToEnd,
		keys.Yank:        b.Yank,
		keys.YankOlder:   b.YankOlder,
		keys.TextStart:   b.TextStart,
		keys.TextEnd:     b.TextEnd,
		keys.StepRight:   b.Right,
		keys.StepUp:      func() { b.Up() },
		keys.Upper:       b.UpperWord,
		keys.Lower:       b.LowerWord,
		keys.Capital:     b.CapitalWord,
		keys.SwapWords:   b.SwapWords,
		keys.SwapLetters: b.SwapLetters,
		keys.Undo:        func() { b.Undo() },
		keys.Redo:        func() { b.Redo() },
		keys.Expand:      e.expandToken,
	}
}

// press takes a key that means text or moves in it.
func (e *editor) press(msg tea.KeyPressMsg) {
	k := msg.String()
	if !e.keys.Types(msg) {
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
	case msg.Text != "" && msg.Mod != keys.Virtual:
		e.buf.Type(e.tokens.literal(tidy(msg.Text)))
	}
	e.held = sweep{}
	e.tokens.number(e.buf)
}

// action is what a key does to the text.
func (e *editor) action(k string) (keys.Action, bool) {
	for _, r := range e.keys.Bindings {
		if e.does[r.Action] != nil && e.keys.Is(k, r.Action) {
			return r.Action, true
		}
	}
	return "", false
}

// rows is where the caret is, and how many rows there are.
func (e *editor) rows() (row, of int) {
	row, _ = e.buf.Locate(e.buf.Caret())
	return row, e.buf.RowCount()
}
