package editor

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Selection is what the mouse or keys mark in the draft, between two places of its
// text. It lasts until the next key.
type Selection struct {
	from, to int
	Keys     bool // marked it, to do something to it
}

// ends are its ends in the order of the text.
func (s Selection) ends() (from, to int) { return min(s.from, s.to), max(s.from, s.to) }

// Click places the caret at a cell of the editor, and begins to mark there. The
// second click at the same place marks the word, the third the line.
func (e *Editor) Click(x, y, clicks int) {
	if e.Search != nil {
		e.endSearch(false)
		y--
	}
	at := e.OffsetAt(x, y)
	e.MoveCaret(at)
	e.Selection = Selection{from: at, to: at}
	raw := e.Buffer.String()
	switch clicks {
	case 2:
		e.Selection.from, e.Selection.to = ink.WordAround(raw, at)
	case 3:
		e.Selection.from = strings.LastIndexByte(raw[:at], '\n') + 1
		if n := strings.IndexByte(raw[at:], '\n'); n >= 0 {
			e.Selection.to = at + n
		} else {
			e.Selection.to = len(raw)
		}
	}
}

// ExtendSelection marks as far as a cell, and scrolls where that is out of sight.
func (e *Editor) ExtendSelection(x, y int) {
	at := e.OffsetAt(x, y)
	e.Selection.to = at
	e.MoveCaret(at)
}

// SelectedText is what is marked, pastes written out.
func (e *Editor) SelectedText() string {
	from, to := e.Selection.ends()
	if to > len(e.Buffer.String()) {
		return ""
	}
	return e.Tokens.expand(e.Buffer.String()[from:to])
}

// MoveCaret moves the caret.
func (e *Editor) MoveCaret(at int) {
	e.Buffer.MoveTo(at)
	if e.Vi != nil {
		e.Vi.Moved()
	}
}

// OffsetAt is the place in the text that is nearest to a cell of the editor.
func (e *Editor) OffsetAt(x, y int) int {
	row := max(0, min(e.top+y, e.Buffer.RowCount()-1))
	return e.Buffer.Offset(row, max(x-ink.Gutter, 0))
}

// markings are the keys that mark from the caret on, and copy what is marked.
func (e *Editor) markings() map[keys.Action]func() {
	b := e.Buffer
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

// ReleaseSelection takes away what is marked, but for the key that is pressed now.
func (e *Editor) ReleaseSelection() { e.held, e.Selection = e.Selection, Selection{} }

// mark marks what a move passes over, with what was marked up to the caret.
func (e *Editor) mark(move func()) {
	from := e.Buffer.Caret()
	if e.held.to == from {
		from = e.held.from
	}
	move()
	e.Selection = Selection{from: from, to: e.Buffer.Caret(), Keys: true}
}

// chosen is what was marked by keys, until another key is pressed.
func (e *Editor) chosen() (from, to int, ok bool) {
	from, to = e.held.ends()
	return from, to, e.held.Keys && from < to && to <= len(e.Buffer.String())
}

// HasKeySelection reports whether keys marked something, which esc takes away.
func (e *Editor) HasKeySelection() bool { return e.held.Keys || e.Selection.Keys }

// pressMarked takes a key that does something to what is marked. Text that is
// typed takes its place.
func (e *Editor) pressMarked(msg tea.KeyPressMsg, act keys.Action) bool {
	from, to, ok := e.chosen()
	switch {
	case !ok:
		return false
	case act == keys.CopyMarked:
		e.Buffer.Copy(from, to)
		text := e.Tokens.expand(e.Buffer.String()[from:to])
		e.gives = &text
	case act == keys.EraseWord, act == keys.EraseToHead, act == keys.EraseToTail:
		e.Buffer.Cut(from, to)
	case act == keys.EraseLeft, act == keys.EraseRight, act == keys.ErasePart, act == keys.EraseWordR, msg.String() == "backspace":
		e.Buffer.Replace(from, to, "")
	case act == keys.Yank:
		e.Buffer.Replace(from, to, "")
		e.Buffer.Yank()
	case act == "" && msg.Text != "" && msg.Mod != keys.Virtual:
		e.Buffer.TypeOver(from, to, e.Tokens.Literal(Typable(msg.Text)))
	default:
		return false
	}
	return true
}
