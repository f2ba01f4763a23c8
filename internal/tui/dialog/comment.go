package dialog

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
)

// comment is the text that the user adds to an answer: the reason for rejecting, or
// an answer in their own words. Closing it keeps the text.
type comment struct {
	make func() *editor.Editor
	edit *editor.Editor // nil until something is typed
	open bool           // the comment has the focus
	line int            // the line of the dialog in which the comment begins
}

// Revision identifies a state of the text that the user typed in the dialog. Equal
// revisions have equal text.
type Revision struct {
	comment, plan         *editor.Editor
	commentText, planText int    // their revisions
	set                   string // the plan while it is not edited
	open                  bool   // the plan is edited
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

// blank reports whether the comment is empty or only whitespace.
func (c *comment) blank() bool { return c.edit == nil || c.edit.Blank() }

// text returns the comment with pastes expanded.
func (c *comment) text() string {
	if c.edit == nil {
		return ""
	}
	return c.edit.Text()
}

// leaves reports whether k closes the comment and returns to the rows.
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

// lines draws the comment at that width.
func (c *comment) lines(width int) ([]string, *tea.Cursor) {
	c.edit.Resize(width, editor.MaxLines)
	return c.edit.Lines()
}
