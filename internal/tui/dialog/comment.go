package dialog

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
)

// comment is the text that the user adds to an answer: the reason of a no, or an
// answer in their own words. Closing it keeps the text.
type comment struct {
	make func() *editor.Editor
	edit *editor.Editor // nil until something is typed
	open bool           // it has the keys
	line int            // the line of the dialog in which it begins
}

// Revision is a state of the comment, to be compared with others.
type Revision struct {
	edit *editor.Editor
	text int
}

// start opens the comment and types text at its end.
func (c *comment) start(text string) {
	e := c.begin()
	e.MoveToEnd()
	e.Type(text)
}

// paste opens the comment and pastes text at the cursor, or at its end if it
// was closed.
func (c *comment) paste(text string) {
	if !c.open {
		c.start("")
	}
	c.edit.Paste(text)
}

func (c *comment) begin() *editor.Editor {
	if c.edit == nil {
		c.edit = c.make()
	}
	if !c.open {
		c.edit.Mode.Begin()
	}
	c.open = true
	return c.edit
}

// clear closes the comment and drops its text.
func (c *comment) clear() { c.open, c.edit = false, nil }

// blank reports whether nothing but blanks is typed.
func (c *comment) blank() bool { return c.edit == nil || c.edit.Blank() }

// text is what was typed, with pastes written out.
func (c *comment) text() string {
	if c.edit == nil {
		return ""
	}
	return c.edit.Text()
}

// leaves reports whether a key goes back to the rows.
func (c *comment) leaves(k string) bool {
	switch k {
	case "esc":
		return !c.edit.Mode.HandlesEscape()
	case "tab":
		return true
	case "up":
		return c.edit.CaretRow() == 0
	}
	return false
}

// lines draws the comment in a window of that width.
func (c *comment) lines(width int) ([]string, *tea.Cursor) {
	c.edit.Resize(width, editor.MaxLines)
	return c.edit.Lines()
}
