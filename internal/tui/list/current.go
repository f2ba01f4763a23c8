package list

import tea "charm.land/bubbletea/v2"

// Current holds the list that is open.
type Current struct {
	Open Overlay // nil if no list is open
}

// Show opens o in a window of the given size.
func (c *Current) Show(o Overlay, width, height int) tea.Cmd {
	c.Open = o
	cmd, _ := o.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return cmd
}

// Update passes msg to the open list, if any. It reports whether the list is closed
// now: it is done, and has not opened another one.
func (c *Current) Update(msg tea.Msg) (cmd tea.Cmd, closed bool) {
	open := c.Open
	if open == nil {
		return nil, false
	}
	cmd, done := open.Update(msg)
	if !done || c.Open != open {
		return cmd, false
	}
	c.Open = nil
	return cmd, true
}
