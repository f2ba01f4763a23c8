package editor

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
)

// actions returns the edits that are bound to keys.
func (d *document) actions() map[keys.Action]func() {
	return map[keys.Action]func(){
		keys.PrevPrompt:      func() { d.Up() },
		keys.NextPrompt:      func() { d.Down() },
		keys.LineStart:       d.LineStart,
		keys.LineEnd:         d.LineEnd,
		keys.WordLeft:        d.WordLeft,
		keys.WordRight:       d.WordRight,
		keys.Left:            d.Left,
		keys.Right:           d.Right,
		keys.DeleteLeft:      d.EraseLeft,
		keys.DeleteRight:     d.EraseRight,
		keys.DeleteWord:      d.KillBlankWord,
		keys.DeleteWordLeft:  d.KillWordLeft,
		keys.DeleteWordRight: d.KillWordRight,
		keys.DeleteToStart:   d.KillToStart,
		keys.DeleteToEnd:     d.KillToEnd,
		keys.Yank:            d.Yank,
		keys.YankOlder:       d.YankOlder,
		keys.TextStart:       d.TextStart,
		keys.TextEnd:         d.TextEnd,
		keys.RightOrFind:     d.Right,
		keys.UpOrPalette:     func() { d.Up() },
		keys.Upper:           d.UpperWord,
		keys.Lower:           d.LowerWord,
		keys.Capital:         d.CapitalWord,
		keys.SwapWords:       d.SwapWords,
		keys.SwapLetters:     d.SwapLetters,
		keys.Undo:            func() { d.Undo() },
		keys.Redo:            func() { d.Redo() },
		keys.Expand:          d.expandToken,
	}
}

// Press handles a key that types, edits or moves the caret.
func (e *Editor) Press(msg tea.KeyPressMsg) {
	k := msg.String()
	if !e.keys.Types(msg) {
		return
	}
	switch act, ok := e.action(k); {
	case e.Mode.Hint() == "" && e.Selection.press(msg, act):
	case e.Mode.vi != nil && e.Mode.vi.Press(k):
	case k == "backspace":
		e.doc.EraseLeft()
	case ok:
		e.does[act]()
		e.Mode.moved()
	case msg.Text != "" && msg.Mod != keys.Virtual:
		e.Type(msg.Text)
	}
	e.Selection.before = span{}
	e.doc.number()
}

// action returns the edit bound to k.
func (e *Editor) action(k string) (keys.Action, bool) {
	for _, r := range e.keys.Bindings {
		if e.does[r.Action] != nil && e.keys.Is(k, r.Action) {
			return r.Action, true
		}
	}
	return "", false
}
