package tui

import (
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

const (
	editorLines = 8      // that the editor grows to at most
	typedLines  = 10_000 // that it holds
)

// editor is the box one types into.
type editor struct {
	area   textarea.Model
	keys   keymap
	pastes pastes

	walked int    // how many prompts back the text shown is; 0 is the draft
	draft  string // what was typed before walking

	width, limit int
	top          int      // the first line that is shown
	view         []string // cached until the text or the size changes; nil is not drawn yet
	cursor       *tea.Cursor
}

func newEditor(keys keymap, st *Styles) *editor {
	a := textarea.New()
	a.ShowLineNumbers = false
	a.SetVirtualCursor(false)
	a.MaxWidth = 0
	a.DynamicHeight, a.MinHeight, a.MaxHeight = true, 1, typedLines
	a.KeyMap = keys.textarea()
	a.Focus()
	e := &editor{area: a, keys: keys, pastes: pastes{}, limit: editorLines}
	e.restyle(st)
	e.resize(80, editorLines)
	return e
}

// restyle draws the editor with st.
func (e *editor) restyle(st *Styles) {
	plain := textarea.StyleState{}
	e.area.SetStyles(textarea.Styles{Focused: plain, Blurred: plain, Cursor: textarea.CursorStyle{Shape: tea.CursorBar}})
	mark := st.Cyan.Render(markUser) + " "
	e.area.SetPromptFunc(gutter, func(at textarea.PromptInfo) string {
		if at.LineNumber == 0 {
			return mark
		}
		return "  "
	})
	e.view = nil
}

// resize gives the editor the width of the window, and at most limit lines.
func (e *editor) resize(width, limit int) {
	e.limit = max(1, min(limit, editorLines))
	if width != e.width {
		e.width = width
		e.area.SetWidth(max(width, gutter+2))
		e.view = nil
	}
}

// value is the text as it is shown, with tokens for what was pasted.
func (e *editor) value() string { return e.area.Value() }

// whole is the text with pastes written out.
func (e *editor) whole() string { return e.pastes.expand(e.value()) }

// empty reports whether nothing is typed.
func (e *editor) empty() bool { return e.area.Length() == 0 }

// set replaces the text.
func (e *editor) set(text string) {
	e.area.SetValue(text)
	e.area.MoveToEnd()
	e.view = nil
}

// restore replaces the text by one that was typed or pasted before.
func (e *editor) restore(text string) {
	e.pastes = pastes{}
	e.set(e.pastes.collapse(text, 0))
}

// take empties the editor and returns what was in it, pastes written out.
func (e *editor) take() string {
	text := e.whole()
	e.set("")
	e.walked, e.draft = 0, ""
	e.pastes = pastes{}
	return text
}

// press takes a key that means text or moves in it.
func (e *editor) press(msg tea.KeyPressMsg) {
	if !e.keys.types(msg) {
		return
	}
	if e.keys.is(msg.String(), actEraseLeft) {
		e.eraseToken()
	}
	e.area, _ = e.area.Update(msg)
	e.view = nil
}

// eraseToken erases all of a token but its last letter, if the cursor stands
// behind one.
func (e *editor) eraseToken() {
	lines := strings.Split(e.value(), "\n")
	line := []rune(lines[min(e.area.Line(), len(lines)-1)])
	before := string(line[:min(e.area.Column(), len(line))])
	token := e.pastes.endOf(before)
	if token == "" {
		return
	}
	for range len([]rune(token)) - 1 {
		e.area, _ = e.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
}

// paste inserts text. Much of it becomes a token.
func (e *editor) paste(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	e.area.InsertString(e.pastes.collapse(text, len(e.value())))
	e.view = nil
}

// newline breaks the line at the cursor.
func (e *editor) newline() {
	e.area.InsertRune('\n')
	e.view = nil
}

// continued reports whether the letter before the cursor is a backslash, which
// it takes away: enter is to break the line then.
func (e *editor) continued() bool {
	lines := strings.Split(e.value(), "\n")
	line := []rune(lines[min(e.area.Line(), len(lines)-1)])
	at := min(e.area.Column(), len(line))
	if at == 0 || line[at-1] != '\\' {
		return false
	}
	e.area, _ = e.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	return true
}

// walk shows an earlier prompt, or a later one, if the cursor is in the first
// line or the last. It reports whether it did.
func (e *editor) walk(back bool, prompts []string) bool {
	info := e.area.LineInfo()
	switch {
	case back && (e.area.Line() > 0 || info.RowOffset > 0 || e.walked >= len(prompts)):
		return false
	case !back && (e.area.Line() < e.area.LineCount()-1 || info.RowOffset < info.Height-1 || e.walked == 0):
		return false
	}
	if e.walked == 0 {
		e.draft = e.value()
	}
	if back {
		e.walked++
	} else {
		e.walked--
	}
	if e.walked == 0 {
		e.set(e.draft)
		return true
	}
	e.set(e.pastes.collapse(prompts[len(prompts)-e.walked], 0))
	return true
}

// lines returns the part of the editor around the cursor, and where the cursor
// stands in it. The text area draws all it holds, so that it never scrolls by
// itself.
func (e *editor) lines() ([]string, *tea.Cursor) {
	if e.view == nil {
		e.view = fit(strings.Split(e.area.View(), "\n"))
		e.cursor = e.area.Cursor()
		for i, l := range e.view {
			if lipgloss.Width(l) > e.width {
				e.view[i] = Truncate(l, e.width)
			}
		}
	}
	at := *e.cursor
	e.top = max(0, min(e.top, at.Y, len(e.view)-e.limit), at.Y-e.limit+1)
	at.Y -= e.top
	return e.view[e.top:min(e.top+e.limit, len(e.view))], &at
}
