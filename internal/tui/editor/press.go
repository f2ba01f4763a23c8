package editor

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
)

// actions are what keys do to the text.
func (e *Editor) actions() map[keys.Action]func() {
	b := e.Buffer
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

// Press takes a key that means text or moves in it.
func (e *Editor) Press(msg tea.KeyPressMsg) {
	k := msg.String()
	if !e.keys.Types(msg) {
		return
	}
	switch act, ok := e.action(k); {
	case e.ModeHint() == "" && e.pressMarked(msg, act):
	case e.Vi != nil && e.Vi.Press(k):
	case k == "backspace":
		e.Buffer.EraseLeft()
	case ok:
		e.does[act]()
		if e.Vi != nil {
			e.Vi.Moved()
		}
	case msg.Text != "" && msg.Mod != keys.Virtual:
		e.Type(msg.Text)
	}
	e.held = Selection{}
	e.Tokens.Number(e.Buffer)
}

// action is what a key does to the text.
func (e *Editor) action(k string) (keys.Action, bool) {
	for _, r := range e.keys.Bindings {
		if e.does[r.Action] != nil && e.keys.Is(k, r.Action) {
			return r.Action, true
		}
	}
	return "", false
}

// CaretRow is where the caret is, and how many rows there are.
func (e *Editor) CaretRow() (row, of int) {
	row, _ = e.Buffer.Locate(e.Buffer.Caret())
	return row, e.Buffer.RowCount()
}
