package editor

import (
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/editor/text"
	"agent/internal/tui/ink"
)

// Lines draws the rows around the cursor and returns the cursor position in them.
func (e *Editor) Lines() ([]string, *tea.Cursor) {
	row, col := e.doc.Rows().Locate(e.doc.Caret())
	count := e.doc.Rows().Count()
	e.top = max(0, min(e.top, row, count-e.limit), row-e.limit+1)
	var out []string
	for i := e.top; i < min(e.top+e.limit, count); i++ {
		mark := "  "
		switch {
		case i == 0:
			mark = e.st.Cyan.Render(ink.MarkUser) + " "
		case i == e.top:
			mark = e.st.Dim.Render(ink.MarkAbove) + " "
		case i == e.top+e.limit-1 && i < count-1:
			mark = e.st.Dim.Render(ink.MarkBelow) + " "
		}
		out = append(out, ink.Truncate(mark+e.row(i), e.width))
	}
	at := tea.NewCursor(max(min(ink.Gutter+col, e.width-1), 0), row-e.top)
	at.Shape, at.Blink = tea.CursorBar, false
	if e.Mode.Hint() != "" {
		at.Shape = tea.CursorBlock
	}
	if e.History.Searching() {
		line, x := e.History.line(e.st, e.width)
		out, at.X, at.Y = append([]string{line}, out...), max(x, 0), 0
	}
	return ink.TrimLines(out), at
}

// HiddenLines describes how many rows are hidden; it is empty if none are.
func (e *Editor) HiddenLines() string {
	above, below := e.top, e.doc.Rows().Count()-e.top-e.limit
	switch {
	case above > 0 && below > 0:
		return phrase.Count(above, "line") + " above, " + strconv.Itoa(below) + " below"
	case above > 0:
		return phrase.Count(above, "line") + " above"
	case below > 0:
		return phrase.Count(below, "line") + " below"
	}
	return ""
}

// row draws a row of the text.
func (e *Editor) row(i int) string {
	var b, run strings.Builder
	now := e.st.Plain
	flush := func() {
		if run.Len() > 0 {
			b.WriteString(now.Render(run.String()))
			run.Reset()
		}
	}
	look := e.look()
	was := plainly
	e.doc.Rows().Draw(i, func(at int, drawn string, _ int) {
		if how := look(at); how != was {
			flush()
			was, now = how, how.style(e.st)
		}
		run.WriteString(drawn)
	})
	flush()
	if from, to, ok := e.marked(); ok && e.doc.Rows().At(i).To >= from && e.doc.Rows().At(i).To < to {
		b.WriteString(marked.style(e.st).Render(" ")) // the newline is selected
	}
	return ink.Truncate(b.String(), max(e.width-ink.Gutter, 1))
}

// manner selects the style of a character.
type manner int

const (
	plainly manner = iota
	asToken
	marked
	matched
)

func (m manner) style(st *ink.Styles) lipgloss.Style {
	switch m {
	case asToken:
		return st.Cyan
	case marked:
		return st.Plain.Reverse(true)
	case matched:
		return st.Bold.Underline(true)
	}
	return st.Plain
}

// look returns a function that returns the manner of the character at an offset.
func (e *Editor) look() func(at int) manner {
	raw := e.Raw()
	from, to, marks := e.marked()
	begin, end := e.History.matched()
	return func(at int) manner {
		r, _ := utf8.DecodeRuneInString(raw[at:])
		switch {
		case marks && at >= from && at < to:
			return marked
		case at >= begin && at < end:
			return matched
		case text.IsToken(r):
			return asToken
		}
		return plainly
	}
}

// marked returns the range selected by the mouse, by keys or in visual mode.
func (e *Editor) marked() (from, to int, ok bool) {
	if from, to = e.Selection.now.ends(); from < to && to <= len(e.Raw()) {
		return from, to, true
	}
	return e.Mode.selection()
}
