package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/transcript"
)

// preview wants the end of the marked session, once the mark rests on it.
func (p *picker) preview() tea.Cmd {
	id := ""
	if p.at < len(p.found) {
		id = p.found[p.at].ID
	}
	if id == p.wanted || p.o.Preview == nil || p.below() == 0 {
		return nil
	}
	p.wanted = id
	if id == "" || p.previews[id] != nil {
		return nil
	}
	return p.after(previewPause, previewDue{id})
}

// readPreview returns the command that reads the end of a session, unless it is
// not wanted any more.
func (p *picker) readPreview(id string) tea.Cmd {
	if id != p.wanted || p.previews[id] != nil {
		return nil
	}
	return func() tea.Msg {
		events, err := p.o.Preview(id)
		return previewRead{id, events, err}
	}
}

// previewed draws the end of a session as it looked in it.
func (p *picker) previewed(r previewRead) {
	t := transcript.New(p.st)
	f := transcript.NewFeed(t, p.now)
	for _, ev := range r.events {
		f.Apply(ev)
	}
	f.FinishReplay()
	if r.err != nil {
		t.Add(&transcript.Problem{Text: r.err.Error()})
	}
	if len(p.previews) >= previewsKept {
		clear(p.previews)
	}
	p.previews[r.id] = t
}

// end is the last lines of the marked session.
func (p *picker) end(height int) []string {
	if p.at >= len(p.found) {
		return nil
	}
	t := p.previews[p.found[p.at].ID]
	if t == nil {
		return nil
	}
	if t.Styles != p.st {
		t.Restyle(p.st)
	}
	t.Layout(p.width, height)
	return t.Window
}
