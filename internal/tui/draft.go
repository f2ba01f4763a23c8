package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop"
)

// draftPause is how often at most a draft is saved.
const draftPause = time.Second

// draftDue says that a draft is to be saved.
type draftDue struct{}

// restoreDraft puts what was typed before into the editor, and what waited for
// the end of a turn into the queue, where it waits for the person.
func (m *model) restoreDraft(d loop.Draft) {
	m.saved = d
	for _, text := range d.Queue {
		m.waits = append(m.waits, queued{typing: typing{text: text}})
	}
	m.hold("not sent before")
	if d.Text != "" {
		m.editor.restoreDraft(d)
	}
}

// restoreDraft shows a draft that was kept, with tokens for what was pasted.
func (e *editor) restoreDraft(d loop.Draft) {
	raw, at := "", 0
	for _, p := range d.Pasted {
		if p.From < at || p.To < p.From || p.To > len(d.Text) {
			break
		}
		raw += e.tokens.collapse(d.Text[at:p.From], raw)
		raw += e.tokens.pasted(d.Text[p.From:p.To], raw)
		at = p.To
	}
	e.set(raw + e.tokens.collapse(d.Text[at:], raw))
	e.buf.Forget()
}

// draft is what the person has not sent yet, and what the agent has yet to take
// into the turn that runs.
func (m *model) draft() loop.Draft {
	d := m.editor.draft()
	d.Queue = m.unsentQueue()
	return d
}

// unsentQueue is what the agent has yet to take into the turn that runs, and
// what waits for its end.
func (m *model) unsentQueue() (all []string) {
	for _, p := range m.feed.pending {
		if p.steers {
			all = append(all, p.text)
		}
	}
	return append(all, m.queue.texts()...)
}

// draft is what is in the editor; nothing where that is no more than blanks.
func (e *editor) draft() loop.Draft {
	if e.blank() {
		return loop.Draft{}
	}
	text, pasted := e.tokens.spans(e.buf.String())
	return loop.Draft{Text: text, Pasted: pasted}
}

// touched reports whether the draft may be another than was saved last. It
// costs the same however long the draft is.
func (m *model) touched() bool {
	return m.editor.buf.Revision() != m.savedAt || !slices.Equal(m.unsentQueue(), m.saved.Queue)
}

// keepDraft sees to it that the draft is saved soon; that there is none any
// more, at once.
func (m *model) keepDraft() tea.Cmd {
	switch {
	case !m.touched():
	case m.editor.blank() && len(m.unsentQueue()) == 0:
		m.saveDraft()
	case !m.saving:
		m.saving = true
		return m.after(draftPause, draftDue{})
	}
	return nil
}

func (m *model) saveDraft() {
	if !m.touched() {
		return
	}
	d := m.draft()
	m.savedAt = m.editor.buf.Revision()
	if d.Text != m.saved.Text || !slices.Equal(d.Queue, m.saved.Queue) {
		m.saved = d
		m.send(loop.SaveDraft{Draft: d})
	}
}
