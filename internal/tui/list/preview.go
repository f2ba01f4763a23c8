package list

import tea "charm.land/bubbletea/v2"

// preview returns the command that requests a preview of the marked session after a pause.
func (p *Picker) preview() tea.Cmd {
	id := p.marked()
	if id == p.wanted || p.src.Preview == nil || p.below() == 0 {
		return nil
	}
	p.wanted = id
	if id == "" || p.previews[id] != nil {
		return nil
	}
	return p.After(previewPause, previewDue{id})
}

// readPreview returns the command that reads a preview, or nil if another session is
// marked now.
func (p *Picker) readPreview(id string) tea.Cmd {
	if id != p.wanted || p.previews[id] != nil {
		return nil
	}
	return func() tea.Msg {
		events, err := p.src.Preview(id)
		return previewRead{id, events, err}
	}
}

// previewed renders a preview that was read.
func (p *Picker) previewed(r previewRead) {
	if len(p.previews) >= previewsKept {
		clear(p.previews)
	}
	p.previews[r.id] = p.src.Render(r.events, r.err)
}

// end draws the preview of the marked session.
func (p *Picker) end(height int) []string {
	t := p.previews[p.marked()]
	if t == nil {
		return nil
	}
	return t.Window(p.St, p.Width, height)
}
