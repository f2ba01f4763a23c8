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
		keys.LineStart:       d.emacs.LineStart,
		keys.LineEnd:         d.emacs.LineEnd,
		keys.WordLeft:        d.emacs.WordLeft,
		keys.WordRight:       d.emacs.WordRight,
		keys.Left:            d.emacs.Left,
		keys.Right:           d.emacs.Right,
		keys.DeleteLeft:      d.EraseLeft,
		keys.DeleteRight:     d.EraseRight,
		keys.DeleteWord:      d.emacs.KillBlankWord,
		keys.DeleteWordLeft:  d.emacs.KillWordLeft,
		keys.DeleteWordRight: d.emacs.KillWordRight,
		keys.DeleteToStart:   d.emacs.KillToStart,
		keys.DeleteToEnd:     d.emacs.KillToEnd,
		keys.Yank:            d.emacs.Yank,
		keys.YankOlder:       d.emacs.YankOlder,
		keys.TextStart:       d.emacs.TextStart,
		keys.TextEnd:         d.emacs.TextEnd,
		keys.RightOrFind:     d.emacs.Right,
		keys.UpOrPalette:     func() { d.Up() },
		keys.Upper:           d.emacs.UpperWord,
		keys.Lower:           d.emacs.LowerWord,
		keys.Capital:         d.emacs.CapitalWord,
		keys.SwapWords:       d.emacs.SwapWords,
		keys.SwapLetters:     d.emacs.SwapLetters,
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
