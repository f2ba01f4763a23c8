package list

import tea "charm.land/bubbletea/v2"

// previewsKept is the maximum number of previews in memory.
const previewsKept = 50

// previews reads and keeps the previews of sessions.
type previews struct {
	source Source
	wanted string             // ID of the session to preview
	kept   map[string]Preview // by ID
}

// want says which session is to be previewed. It reports whether its preview must be read.
func (v *previews) want(id string) bool {
	if id == v.wanted || v.source.Preview == nil {
		return false
	}
	v.wanted = id
	return id != "" && v.kept[id] == nil
}

// read returns the command that reads a preview, or nil if another session is wanted now.
func (v *previews) read(id string) tea.Cmd {
	if id != v.wanted || v.kept[id] != nil {
		return nil
	}
	return func() tea.Msg {
		events, err := v.source.Preview(id)
		return previewRead{id, events, err}
	}
}

// apply renders a preview that was read.
func (v *previews) apply(r previewRead) {
	if len(v.kept) >= previewsKept {
		clear(v.kept)
	}
	v.kept[r.id] = v.source.Render(r.events, r.err)
}

// preview returns the command that requests a preview of the marked session after a pause.
func (p *Picker) preview() tea.Cmd {
	if id := p.marked(); p.below() > 0 && p.previews.want(id) {
		return p.After(previewPause, previewDue{id})
	}
	return nil
}

// end draws the preview of the marked session.
func (p *Picker) end(height int) []string {
	t := p.previews.kept[p.marked()]
	if t == nil {
		return nil
	}
	return t.Window(p.St, p.Width, height)
}
