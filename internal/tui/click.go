package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop"
)

// clickPanel takes a click on a cell of the panel: on the draft, a suggestion or
// a choice.
func (m *model) clickPanel(x, y int) tea.Cmd {
	p := &m.panel
	switch {
	case p.asked.has(y) && m.dialog.takes():
		m.decided = m.now()
		m.give(m.dialog.click(x, y-p.asked.from))
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

// click takes a click on a cell of the dialog. It marks the choice there, and
// takes it, or gives it back, where several may be; on the marked one it answers.
func (d *dialog) click(x, y int) (answer *loop.Answer) {
	if d.note != nil {
		if y -= d.noteAt; y >= 0 {
			d.note.place(d.note.cell(x, y))
		}
		return nil
	}
	i := d.choiceAt(y - 1 + d.scroll)
	switch many := i >= 0 && d.asks[0].Many && i < len(d.asks[0].Choices); {
	case i < 0 || y < 1 || y > d.shown:
	case many:
		d.mark(i)
		d.toggle()
	case i == d.at:
		return d.answerMarked()
	default:
		d.mark(i)
	}
	return nil
}

// choiceAt is the choice that a line of the body is of, negative for none.
func (d *dialog) choiceAt(line int) int {
	for i := len(d.rows) - 2; i >= 0; i-- {
		if d.rows[i] <= line && line < d.rows[i+1] {
			return i
		}
	}
	return -1
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
