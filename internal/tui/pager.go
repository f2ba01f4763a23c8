package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
)

func viewCommand(m *model, _ string) (tea.Cmd, error) {
	m.pager.show()
	return nil, nil
}

// pager shows the whole transcript uncut in the full screen.
type pager struct {
	*screen.Conversation
	dialog *dialog.Dialog
	find   *finder
	hints  *hints
	mouse  *mouse
	layers *layer.Stack

	atEnd bool // it was opened at the end of the transcript
}

// show shows everything uncut in all of the window. It is the same
// transcript, drawn in another way.
func (p *pager) show() {
	p.find.close()
	p.atEnd, p.find.inPager = p.Transcript.Follow, true
	p.layers.Push(p)
	p.Transcript.ShowFull(true)
}

// close goes back to the end if one came from there, and else stays at what
// one looked at.
func (p *pager) close() {
	p.find.close()
	p.find.inPager = false
	p.layers.Remove(p)
	p.Transcript.ShowFull(false)
	if p.atEnd {
		p.Transcript.ShowEnd()
	}
}

// open reports whether the pager is shown.
func (p *pager) open() bool { return p.layers.Has(p) }

// Paste implements layer.
func (p *pager) Paste(string) (tea.Cmd, bool) { return nil, true }

// Key implements layer.
func (p *pager) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	page := max(p.Transcript.Height-2, 1)
	switch {
	case p.Keys.Is(k, keys.ViewClose) && p.find.open && p.Keys.Is(k, keys.Dismiss):
		p.find.close()
	case p.Keys.Is(k, keys.ViewClose), p.Keys.Is(k, keys.Clear), p.Keys.Is(k, keys.View):
		p.close()
	case p.Keys.Is(k, keys.ViewUp):
		p.Transcript.Scroll(-1)
	case p.Keys.Is(k, keys.ViewDown):
		p.Transcript.Scroll(1)
	case p.Keys.Is(k, keys.ViewPageUp), p.Keys.Is(k, keys.PageUp):
		p.Transcript.Scroll(-page)
	case p.Keys.Is(k, keys.ViewPageDown), p.Keys.Is(k, keys.PageDown):
		p.Transcript.Scroll(page)
	case p.Keys.Is(k, keys.ViewHalfUp):
		p.Transcript.Scroll(-max(p.Transcript.Height/2, 1))
	case p.Keys.Is(k, keys.ViewHalfDown):
		p.Transcript.Scroll(max(p.Transcript.Height/2, 1))
	case p.Keys.Is(k, keys.ViewTop), p.Keys.Is(k, keys.Top):
		p.Transcript.ShowStart()
	case p.Keys.Is(k, keys.ViewBottom), p.Keys.Is(k, keys.Bottom):
		p.Transcript.ShowEnd()
	case p.Keys.Is(k, keys.ViewFind), p.Keys.Is(k, keys.Find):
		p.find.start()
	case p.Keys.Is(k, keys.ViewOlder):
		p.find.goOlder()
	case p.Keys.Is(k, keys.ViewNewer):
		p.find.goNewer()
	case p.Keys.Is(k, keys.JumpBack), p.Keys.Is(k, keys.JumpOn):
		p.JumpToPrompt(p.Keys.Is(k, keys.JumpBack))
	case p.Keys.Is(k, keys.Mouse):
		p.mouse.toggle()
	case p.Keys.Is(k, keys.Suspend):
		return tea.Suspend, layer.Taken
	case p.Keys.Is(k, keys.Redraw):
		return tea.ClearScreen, layer.Taken
	}
	return nil, layer.Taken
}
