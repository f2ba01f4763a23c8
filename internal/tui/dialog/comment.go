package dialog

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
)

// comment is the text that the user adds to an answer: the reason of a no, or an
// answer in their own words. Closing it keeps the text.
type comment struct {
	make func() *editor.Editor
	Edit *editor.Editor // nil until something is typed
	Open bool           // it has the keys
	line int            // the line of the dialog in which it begins
}

// start opens the comment and types text at its end.
func (c *comment) start(text string) {
	e := c.begin()
	e.Buffer.MoveTo(len(e.Buffer.String()))
	if text != "" {
		e.Buffer.Type(e.Tokens.Literal(editor.Typable(text)))
	}
}

// paste opens the comment and pastes text at the cursor, or at its end if it
// was closed.
func (c *comment) paste(text string) {
	if !c.Open {
		c.start("")
	}
	c.Edit.Paste(text)
}

// restore opens the comment with a text that was typed before.
func (c *comment) restore(text string) { c.begin().Restore(text) }

func (c *comment) begin() *editor.Editor {
	if c.Edit == nil {
		c.Edit = c.make()
	}
	if !c.Open && c.Edit.Vi != nil {
		c.Edit.Vi.Begin()
	}
	c.Open = true
	return c.Edit
}

// clear closes the comment and drops its text.
func (c *comment) clear() { c.Open, c.Edit = false, nil }

// Blank reports whether nothing but blanks is typed.
func (c *comment) Blank() bool { return c.Edit == nil || c.Edit.Blank() }

// Text is what was typed, with pastes written out.
func (c *comment) Text() string {
	if c.Edit == nil {
		return ""
	}
	return c.Edit.Text()
}

// leaves reports whether a key goes back to the rows.
func (c *comment) leaves(k string) bool {
	switch k {
	case "esc":
		return !c.Edit.HandlesEscape()
	case "tab":
		return true
	case "up":
		row, _ := c.Edit.CaretRow()
		return row == 0
	}
	return false
}

// lines draws the comment in a window of that width.
func (c *comment) lines(width int) ([]string, *tea.Cursor) {
	c.Edit.Resize(width, editor.MaxLines)
	return c.Edit.Lines()
}
