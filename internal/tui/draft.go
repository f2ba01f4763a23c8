package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
)

// draftPause is how often at most a draft is saved.
const draftPause = time.Second

// draftDue says that a draft is to be saved.
type draftDue struct{}

// typedAt is a state of all that is being typed.
type typedAt struct {
	prompt int // the editor's revision
	note   dialog.Revision
}

func (m *model) typedAt() typedAt {
	return typedAt{m.editor.Revision(), m.dialog.CommentRevision()}
}

// restoreDraft puts what was typed before into the editor, and what waited for
// the end of a turn into the queue, where it waits for the person. The comment on
// a question goes into the editor too: the question is gone, or comes again.
func (m *model) restoreDraft(d event.Draft) {
	m.saved = d
	if d.Text != "" {
		m.editor.RestoreDraft(d)
	}
	for _, w := range d.Queue {
		if w.About != "" {
			m.giveBack(w.Text)
			m.unsaid = unsaid{w.About, m.editor.Raw(), w.Text}
			continue
		}
		said := editor.Typed{Text: w.Text, Images: w.Images}
		m.editor.History.Remember(said)
		m.waits = append(m.waits, queued{Typed: said})
	}
	m.hold("unsent")
	m.savedAt, m.waited = m.typedAt(), m.unsentQueue()
}

// unsaid is a comment that was typed before the program ended.
type unsaid struct {
	about string // the title of the question
	raw   string // all that is in the editor since, with the comment first
	text  string
}

// takeUp opens the comment on a question that comes again with what was typed
// before the program ended, unless the user edited that.
func (m *model) takeUp(ask event.Ask) {
	was := m.unsaid
	if was.about == "" || was.about != ask.Title || m.dialog.Count() > 1 || ask.AboutTurn() {
		return
	}
	m.unsaid = unsaid{}
	rest, found := strings.CutPrefix(m.editor.Raw(), m.editor.History.WithTokens(was.text))
	if m.editor.Raw() != was.raw || !found {
		return
	}
	m.editor.Set(strings.TrimPrefix(rest, "\n"))
	m.dialog.Resume(was.text)
}

// keepWords puts what was being said to a question that goes away into the
// editor.
func (m *model) keepWords() {
	if text := m.dialog.Comment(); text != "" {
		m.giveBack(text)
	}
}

// draft is what the person has not sent yet, and what the agent has yet to take
// into the turn that runs.
func (m *model) draft() event.Draft {
	d := m.editor.Draft()
	if text := m.dialog.Comment(); text != "" {
		d.Queue = append(d.Queue, event.Waiting{Text: text, About: m.dialog.First().Title})
	}
	d.Queue = append(d.Queue, m.unsentQueue()...)
	return d
}

// unsentQueue is what the agent has yet to take into the turn that runs, and
// what waits for its end. Of the first the agent knows the images.
func (m *model) unsentQueue() (all []event.Waiting) {
	for _, p := range m.feed.Pending {
		if p.Steers {
			all = append(all, event.Waiting{Text: p.Text})
		}
	}
	for _, w := range m.waits {
		all = append(all, event.Waiting{Text: w.Text, Images: w.Images})
	}
	return all
}

// touched reports whether the draft may be another than was saved last. It
// costs the same however long the draft is.
func (m *model) touched() bool {
	return m.typedAt() != m.savedAt || !slices.EqualFunc(m.unsentQueue(), m.waited, sameWaiting)
}

// sameWaiting reports whether a and b are one message.
func sameWaiting(a, b event.Waiting) bool {
	return a.Text == b.Text && a.About == b.About && editor.SameImages(a.Images, b.Images)
}

// keepDraft sees to it that the draft is saved soon; that there is none any
// more, at once.
func (m *model) keepDraft() tea.Cmd {
	switch {
	case !m.touched():
	case m.editor.Blank() && m.dialog.Comment() == "" && len(m.unsentQueue()) == 0:
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
	m.savedAt, m.waited = m.typedAt(), m.unsentQueue()
	if d.Text != m.saved.Text || !editor.SameImages(d.Images, m.saved.Images) || !slices.EqualFunc(d.Queue, m.saved.Queue, sameWaiting) {
		m.saved = d
		m.send(event.SaveDraft{Draft: d})
	}
}
