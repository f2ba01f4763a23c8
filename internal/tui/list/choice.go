package list

import tea "charm.land/bubbletea/v2"

// Choice is a list of entries of one type. Call Fill after setting its fields.
type Choice[T any] struct {
	Chooser
	Head, None, Hint string
	All              []T
	Text             func(T) string                    // the text that the filter searches
	Columns          func(T) (when, what, side string) // the columns of a row; sanitized
	// Detail draws details of the marked entry in that size.
	Detail func(e T, width, height int) []string
	Chose  func(T) tea.Cmd
	Marked func(T) // called with the marked entry after every message; may be nil
	Cancel func()  // called when the list is closed without a choice; may be nil

	found []T
}

// Fill shows the entries and marks the one with index at.
func (c *Choice[T]) Fill(at int) {
	c.refine()
	c.At = at
}

// Update implements Overlay.
func (c *Choice[T]) Update(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch c.Chooser.Update(msg) {
	case Narrowed:
		c.refine()
	case Chosen:
		return c.Chose(c.found[c.At]), true
	case Closed:
		if c.Cancel != nil {
			c.Cancel()
		}
		return nil, true
	}
	c.Clamp()
	if c.Marked != nil && c.At < len(c.found) {
		c.Marked(c.found[c.At])
	}
	return nil, false
}

// refine lists the entries that match the filter.
func (c *Choice[T]) refine() {
	c.found = nil
	for _, e := range c.All {
		if c.fits(c.Text(e)) {
			c.found = append(c.found, e)
		}
	}
	c.count = len(c.found)
	c.Clamp()
}

// Lines implements Overlay.
func (c *Choice[T]) Lines() ([]string, *tea.Cursor) {
	return c.Draw(Page{Head: c.Head, Row: c.Row, None: c.None, Marked: c.detail, Hint: c.Hint})
}

// Row draws an entry.
func (c *Choice[T]) Row(i int) string {
	when, what, side := c.Columns(c.found[i])
	return c.Entry(i, when, what, side)
}

// detail draws details of the marked entry.
func (c *Choice[T]) detail(height int) []string {
	if c.At >= len(c.found) {
		return nil
	}
	lines := c.Detail(c.found[c.At], max(c.Width, 1), height)
	return lines[:min(len(lines), height)]
}
