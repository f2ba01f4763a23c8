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
	"agent/internal/tui/transcript"
)

// draftPause is the minimum time between two saves of the draft.
const draftPause = time.Second

// draftDue reports that draftPause has passed.
type draftDue struct{}

// Drafts saves the user's unsent input, and restores it.
type Drafts struct {
	*screen.Window
	feed   *transcript.Feed
	send   func(event.Command) // to the agent
	editor *editor.Editor
	dialog *dialog.Dialog
	queue  *Queue

	pending    bool // a draftDue is on its way
	saved      event.Draft
	savedAt    revisions       // when saved was taken
	savedQueue []event.Waiting // unsentQueue when saved was taken
	comment    savedComment
}

// revisions identifies a state of the typed text.
type revisions struct {
	prompt  int // of the editor
	comment dialog.Revision
}

func (d *Drafts) revisions() revisions {
	return revisions{d.editor.Revision(), d.dialog.CommentRevision()}
}

// Restore restores a saved draft: the text and an unfinished comment on a question in
// the editor, queued messages in the queue, which holds them until the user sends
// them.
func (d *Drafts) Restore(saved event.Draft) {
	d.saved = saved
	if saved.Text != "" {
		d.editor.RestoreDraft(saved)
	}
	for _, w := range saved.Queue {
		if w.About != "" {
			d.editor.Prepend(w.Text)
			d.comment = savedComment{w.About, d.editor.Raw(), w.Text}
			continue
		}
		message := editor.Typed{Text: w.Text, Images: w.Images}
		d.editor.History.Remember(message)
		d.queue.messages = append(d.queue.messages, queued{Typed: message})
	}
	d.queue.hold("unsent")
	d.savedAt, d.savedQueue = d.revisions(), d.unsentQueue()
}

// savedComment is an unfinished comment on a question of an earlier run of the program.
type savedComment struct {
	about string // the title of the question
	raw   string // the editor's text since Restore, which begins with the comment
	text  string
}

// Resume moves a restored comment from the editor back to its question, if that is
// asked again and the user has not edited the text.
func (d *Drafts) Resume(ask event.Ask) {
	c := d.comment
	if c.about == "" || c.about != ask.Title || d.dialog.Count() > 1 || ask.AboutTurn() {
		return
	}
	d.comment = savedComment{}
	rest, found := strings.CutPrefix(d.editor.Raw(), d.editor.History.WithTokens(c.text))
	if d.editor.Raw() != c.raw || !found {
		return
	}
	d.editor.Set(strings.TrimPrefix(rest, "\n"))
	d.dialog.Resume(c.text)
}

// KeepComment moves the unfinished comment on a question that closes into the editor.
func (d *Drafts) KeepComment() {
	if text := d.dialog.Comment(); text != "" {
		d.editor.Prepend(text)
	}
}

// draft returns the unsent input of the user, with the messages that have yet to
// reach the running turn.
func (d *Drafts) draft() event.Draft {
	draft := d.editor.Draft()
	if text := d.dialog.Comment(); text != "" {
		draft.Queue = append(draft.Queue, event.Waiting{Text: text, About: d.dialog.First().Title})
	}
	draft.Queue = append(draft.Queue, d.unsentQueue()...)
	return draft
}

// unsentQueue returns the messages that have yet to reach the running turn, without
// their images, which the agent has, and the queued messages.
func (d *Drafts) unsentQueue() (all []event.Waiting) {
	for _, p := range d.feed.Pending {
		if p.Steers {
			all = append(all, event.Waiting{Text: p.Text})
		}
	}
	for _, w := range d.queue.messages {
		all = append(all, event.Waiting{Text: w.Text, Images: w.Images})
	}
	return all
}

// changed reports whether the draft may differ from the saved one. Its cost does not
// depend on the length of the draft.
func (d *Drafts) changed() bool {
	return d.revisions() != d.savedAt || !slices.EqualFunc(d.unsentQueue(), d.savedQueue, sameWaiting)
}

// sameWaiting reports whether a and b are equal.
func sameWaiting(a, b event.Waiting) bool {
	return a.Text == b.Text && a.About == b.About && editor.SameImages(a.Images, b.Images)
}

// Keep saves a changed draft: an empty one at once, others after draftPause.
func (d *Drafts) Keep() tea.Cmd {
	switch {
	case !d.changed():
	case d.editor.Blank() && d.dialog.Comment() == "" && len(d.unsentQueue()) == 0:
		d.Save()
	case !d.pending:
		d.pending = true
		return d.After(draftPause, draftDue{})
	}
	return nil
}

// Save saves the draft if it has changed.
func (d *Drafts) Save() {
	if !d.changed() {
		return
	}
	draft := d.draft()
	d.savedAt, d.savedQueue = d.revisions(), d.unsentQueue()
	if draft.Text != d.saved.Text || !editor.SameImages(draft.Images, d.saved.Images) || !slices.EqualFunc(draft.Queue, d.saved.Queue, sameWaiting) {
		d.saved = draft
		d.send(event.SaveDraft{Draft: draft})
	}
}
