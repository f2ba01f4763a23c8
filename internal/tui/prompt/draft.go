package prompt

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/screen"
)

// draftPause is how often at most a draft is saved.
const draftPause = time.Second

// draftDue says that a draft is to be saved.
type draftDue struct{}

// Drafts saves what the user has not sent yet, and brings it back.
type Drafts struct {
	*screen.Conversation
	editor *editor.Editor
	dialog *dialog.Dialog
	queue  *Queue

	saving  bool // the draft is going to be saved
	saved   event.Draft
	savedAt typedAt         // what was typed then
	waited  []event.Waiting // and what waited
	unsaid  unsaid
}

// typedAt is a state of all that is being typed.
type typedAt struct {
	prompt int // the editor's revision
	note   dialog.Revision
}

func (d *Drafts) typedAt() typedAt {
	return typedAt{d.editor.Revision(), d.dialog.CommentRevision()}
}

// Restore puts what was typed before into the editor, and what waited for
// the end of a turn into the queue, where it waits for the person. The comment on
// a question goes into the editor too: the question is gone, or comes again.
func (m *Drafts) Restore(d event.Draft) {
	m.saved = d
	if d.Text != "" {
		m.editor.RestoreDraft(d)
	}
	for _, w := range d.Queue {
		if w.About != "" {
			m.editor.PutBefore(w.Text)
			m.unsaid = unsaid{w.About, m.editor.Raw(), w.Text}
			continue
		}
		said := editor.Typed{Text: w.Text, Images: w.Images}
		m.editor.History.Remember(said)
		m.queue.waits = append(m.queue.waits, queued{Typed: said})
	}
	m.queue.hold("unsent")
	m.savedAt, m.waited = m.typedAt(), m.unsentQueue()
}

// unsaid is a comment that was typed before the program ended.
type unsaid struct {
	about string // the title of the question
	raw   string // all that is in the editor since, with the comment first
	text  string
}

// Resume opens the comment on a question that comes again with what was typed
// before the program ended, unless the user edited that.
func (d *Drafts) Resume(ask event.Ask) {
	was := d.unsaid
	if was.about == "" || was.about != ask.Title || d.dialog.Count() > 1 || ask.AboutTurn() {
		return
	}
	d.unsaid = unsaid{}
	rest, found := strings.CutPrefix(d.editor.Raw(), d.editor.History.WithTokens(was.text))
	if d.editor.Raw() != was.raw || !found {
		return
	}
	d.editor.Set(strings.TrimPrefix(rest, "\n"))
	d.dialog.Resume(was.text)
}

// KeepComment puts what was being said to a question that goes away into the
// editor.
func (d *Drafts) KeepComment() {
	if text := d.dialog.Comment(); text != "" {
		d.editor.PutBefore(text)
	}
}

// draft is what the person has not sent yet, and what the agent has yet to take
// into the turn that runs.
func (m *Drafts) draft() event.Draft {
	d := m.editor.Draft()
	if text := m.dialog.Comment(); text != "" {
		d.Queue = append(d.Queue, event.Waiting{Text: text, About: m.dialog.First().Title})
	}
	d.Queue = append(d.Queue, m.unsentQueue()...)
	return d
}

// unsentQueue is what the agent has yet to take into the turn that runs, and
// what waits for its end. Of the first the agent knows the images.
func (d *Drafts) unsentQueue() (all []event.Waiting) {
	for _, p := range d.Feed.Pending {
		if p.Steers {
			all = append(all, event.Waiting{Text: p.Text})
		}
	}
	for _, w := range d.queue.waits {
		all = append(all, event.Waiting{Text: w.Text, Images: w.Images})
	}
	return all
}

// touched reports whether the draft may be another than was saved last. It
// costs the same however long the draft is.
func (d *Drafts) touched() bool {
	return d.typedAt() != d.savedAt || !slices.EqualFunc(d.unsentQueue(), d.waited, sameWaiting)
}

// sameWaiting reports whether a and b are one message.
func sameWaiting(a, b event.Waiting) bool {
	return a.Text == b.Text && a.About == b.About && editor.SameImages(a.Images, b.Images)
}

// Keep sees to it that the draft is saved soon; that there is none any
// more, at once.
func (d *Drafts) Keep() tea.Cmd {
	switch {
	case !d.touched():
	case d.editor.Blank() && d.dialog.Comment() == "" && len(d.unsentQueue()) == 0:
		d.Save()
	case !d.saving:
		d.saving = true
		return d.After(draftPause, draftDue{})
	}
	return nil
}

func (m *Drafts) Save() {
	if !m.touched() {
		return
	}
	d := m.draft()
	m.savedAt, m.waited = m.typedAt(), m.unsentQueue()
	if d.Text != m.saved.Text || !editor.SameImages(d.Images, m.saved.Images) || !slices.EqualFunc(d.Queue, m.saved.Queue, sameWaiting) {
		m.saved = d
		m.Send(event.SaveDraft{Draft: d})
	}
}
