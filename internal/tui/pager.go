package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
)

func viewCommand(m *model, _ string) (tea.Cmd, error) {
	m.pager.show()
	return nil, nil
}

// pager shows the whole transcript uncut in the full screen.
type pager struct {
	*session
	dialog *dialog.Dialog
	find   *finder
	hints  *hints
	mouse  *mouse
	layers *stack

	atEnd bool // it was opened at the end of the transcript
}

// show shows everything uncut in all of the window. It is the same
// transcript, drawn in another way.
func (p *pager) show() {
	p.find.close()
	p.atEnd, p.find.inPager = p.list.Follow, true
	p.layers.push(p)
	p.list.ShowFull(true)
}

// close goes back to the end if one came from there, and else stays at what
// one looked at.
func (p *pager) close() {
	p.find.close()
	p.find.inPager = false
	p.layers.remove(p)
	p.list.ShowFull(false)
	if p.atEnd {
		p.list.ShowEnd()
	}
}

// open reports whether the pager is shown.
func (p *pager) open() bool { return p.layers.has(p) }

// Paste implements layer.
func (p *pager) Paste(string) (tea.Cmd, bool) { return nil, true }

// Key implements layer.
func (p *pager) Key(msg tea.KeyPressMsg) (tea.Cmd, offer) {
	k := msg.String()
	page := max(p.list.Height-2, 1)
	switch {
	case p.keys.Is(k, keys.ViewClose) && p.find.open && p.keys.Is(k, keys.Dismiss):
		p.find.close()
	case p.keys.Is(k, keys.ViewClose), p.keys.Is(k, keys.Clear), p.keys.Is(k, keys.View):
		p.close()
	case p.keys.Is(k, keys.ViewUp):
		p.list.Scroll(-1)
	case p.keys.Is(k, keys.ViewDown):
		p.list.Scroll(1)
	case p.keys.Is(k, keys.ViewPageUp), p.keys.Is(k, keys.PageUp):
		p.list.Scroll(-page)
	case p.keys.Is(k, keys.ViewPageDown), p.keys.Is(k, keys.PageDown):
		p.list.Scroll(page)
	case p.keys.Is(k, keys.ViewHalfUp):
		p.list.Scroll(-max(p.list.Height/2, 1))
	case p.keys.Is(k, keys.ViewHalfDown):
		p.list.Scroll(max(p.list.Height/2, 1))
	case p.keys.Is(k, keys.ViewTop), p.keys.Is(k, keys.Top):
		p.list.ShowStart()
	case p.keys.Is(k, keys.ViewBottom), p.keys.Is(k, keys.Bottom):
		p.list.ShowEnd()
	case p.keys.Is(k, keys.ViewFind), p.keys.Is(k, keys.Find):
		p.find.start()
	case p.keys.Is(k, keys.ViewOlder):
		p.find.goOlder()
	case p.keys.Is(k, keys.ViewNewer):
		p.find.goNewer()
	case p.keys.Is(k, keys.JumpBack), p.keys.Is(k, keys.JumpOn):
		p.jump(p.keys.Is(k, keys.JumpBack))
	case p.keys.Is(k, keys.Mouse):
		p.mouse.toggle()
	case p.keys.Is(k, keys.Suspend):
		return tea.Suspend, taken
	case p.keys.Is(k, keys.Redraw):
		return tea.ClearScreen, taken
	}
	return nil, taken
}
