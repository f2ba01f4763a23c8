package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop"
)

// draftPause is how often at most a draft is saved.
const draftPause = time.Second

// draftDue says that a draft is to be saved.
type draftDue struct{}

// restoreDraft puts what was not sent before into the editor: what waited for
// the end of a turn, then what was typed.
func (m *model) restoreDraft(d loop.Draft) {
	m.saved = d
	for _, text := range d.Queue {
		m.list.add(&notice{"not sent before: " + strings.Join(strings.Fields(text), " ")})
	}
	parts := slices.Clone(d.Queue)
	if d.Text != "" {
		parts = append(parts, d.Text)
	}
	if len(parts) > 0 {
		m.editor.restore(strings.Join(parts, "\n\n"))
	}
}

// draft is what the person has not sent yet, and what the agent has yet to take
// into the turn that runs.
func (m *model) draft() loop.Draft {
	d := loop.Draft{Text: m.editor.whole()}
	if strings.TrimSpace(d.Text) == "" {
		d.Text = ""
	}
	for _, p := range m.feed.pending {
		if p.steers {
			d.Queue = append(d.Queue, p.text)
		}
	}
	return d
}

// unsaved returns the draft, and whether it is another than was saved last.
func (m *model) unsaved() (loop.Draft, bool) {
	d := m.draft()
	return d, d.Text != m.saved.Text || !slices.Equal(d.Queue, m.saved.Queue)
}

// keepDraft sees to it that the draft is saved soon; that there is none any
// more, at once.
func (m *model) keepDraft() tea.Cmd {
	d, changed := m.unsaved()
	switch {
	case !changed:
	case d.Text == "" && len(d.Queue) == 0:
		m.saveDraft()
	case !m.saving:
		m.saving = true
		return m.after(draftPause, draftDue{})
	}
	return nil
}

func (m *model) saveDraft() {
	if d, changed := m.unsaved(); changed {
		m.saved = d
		m.send(loop.SaveDraft{Draft: d})
	}
}
