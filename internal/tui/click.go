package tui

import tea "charm.land/bubbletea/v2"

// clickPanel takes a click on a cell of the panel: on the draft, a suggestion or
// a choice.
func (m *model) clickPanel(x, y int) tea.Cmd {
	p := &m.panel
	switch {
	case p.asked.has(y) && m.dialog.takes():
		m.dialog.took(m.now())
		m.dialog.held.release()
		m.dialog.click(x, y-p.asked.from)
	case p.suggested.has(y):
		if i := m.popup.top + y - p.suggested.from; i < len(m.popup.rows) {
			m.accept(m.popup.rows[i])
		}
	case p.draft.has(y):
		m.pointer.sweeps = true
		m.editor.click(x, y-p.draft.from, m.pointer.clicks)
	}
	return nil
}

// flipAt opens or closes the item that has a line of the window, if it is one by
// which that is done: its first, or, while it is closed, its last, which tells
// that there is more. That line stays where it is.
func (t *transcript) flipAt(y int) *row {
	if y < 0 || y >= len(t.cells) || t.whole {
		return nil
	}
	c := t.cells[y]
	r := t.pages[c.at.page].rows[c.at.row]
	o, is := r.item.(opener)
	lines, gap := t.lines(c.at)
	if !is || !o.more() || c.line != 0 && (o.opened() || c.line != len(lines)-1) {
		return nil
	}
	t.flip(r)
	t.follow, t.owed, t.aim = false, 0, nil
	t.top, t.skip = c.at, gap-max(y-c.line, 0)
	t.scrollUp()
	return r
}

// flip opens an item or closes it.
func (t *transcript) flip(r *row) {
	if o, is := r.item.(opener); is {
		o.setOpen(!o.opened())
		r.touch()
	}
}
