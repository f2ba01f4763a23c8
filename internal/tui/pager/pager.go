package pager

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Pager shows the complete transcript in the full screen, with all output expanded.
type Pager struct {
	*screen.Window
	Layers     *layer.Stack
	Transcript *transcript.Transcript
	Feed       *transcript.Feed
	Find       *Finder
	// Doing describes the activity behind the pager; empty for none. Waits reports
	// whether a question waits there.
	Doing func() string
	Waits func() bool
	// ToggleMouse turns mouse capture on or off.
	ToggleMouse func()

	atEnd bool // opened at the end of the transcript
}

// Show opens the pager. It draws the transcript of the prompt screen, expanded.
func (p *Pager) Show() {
	p.Find.Close()
	p.atEnd, p.Find.inPager = p.Transcript.Follow, true
	p.Layers.Push(p)
	p.Transcript.ShowFull(true)
}

// close closes the pager. The prompt screen shows the end if the pager was opened
// there, otherwise the place where the pager was.
func (p *Pager) close() {
	p.Find.Close()
	p.Find.inPager = false
	p.Layers.Remove(p)
	p.Transcript.ShowFull(false)
	if p.atEnd {
		p.Transcript.ShowEnd()
	}
}

// Open reports whether the pager is shown.
func (p *Pager) Open() bool { return p.Layers.Has(p) }

// Place implements layer.Drawn.
func (p *Pager) Place() layer.Place { return layer.LastLine }

// View implements layer.Drawn. It draws the line below the transcript.
func (p *Pager) View(width, _ int) ([]string, *tea.Cursor) {
	line, cursor := p.line(width)
	return []string{line}, cursor
}

// Closes implements layer.Closer.
func (p *Pager) Closes(key string) bool { return p.Keys.Is(key, keys.ViewClose) }

// Cancel implements layer.Canceler.
func (p *Pager) Cancel() (tea.Cmd, bool) {
	p.close()
	return nil, true
}

// Paste implements layer.Layer.
func (p *Pager) Paste(string) (tea.Cmd, bool) { return nil, true }

// Key implements layer.Layer.
func (p *Pager) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	page := max(p.Transcript.Height-2, 1)
	switch {
	case p.Keys.Is(k, keys.ViewClose) && p.Find.Open() && p.Keys.Is(k, keys.Dismiss):
		p.Find.Close()
	case p.Keys.Is(k, keys.ViewClose), p.Keys.Is(k, keys.View):
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
		p.Find.Start()
	case p.Keys.Is(k, keys.ViewOlder):
		p.Find.goOlder()
	case p.Keys.Is(k, keys.ViewNewer):
		p.Find.goNewer()
	case p.Keys.Is(k, keys.PreviousTurn), p.Keys.Is(k, keys.NextTurn):
		p.Feed.Log.Jump(p.Transcript, p.Keys.Is(k, keys.PreviousTurn))
	case p.Keys.Is(k, keys.Mouse):
		p.ToggleMouse()
	case p.Keys.Is(k, keys.Suspend):
		return tea.Suspend, layer.Taken
	case p.Keys.Is(k, keys.Redraw):
		return tea.ClearScreen, layer.Taken
	}
	return nil, layer.Taken
}
