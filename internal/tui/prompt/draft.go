package prompt

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
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
	log    *transcript.PromptLog
	send   func(event.Command) // to the agent
	editor *editor.Editor
	dialog *dialog.Dialog
	queue  *Queue

	pending    bool // a draftDue is on its way
	saved      event.Draft
	savedAt    revisions       // when saved was taken
	savedQueue []event.Waiting // unsentQueue when saved was taken
	answer     savedAnswer
}

// revisions identifies a state of the typed text.
type revisions struct {
	prompt int // of the editor
	dialog dialog.Revision
}

func (d *Drafts) revisions() revisions {
	return revisions{d.editor.Revision(), d.dialog.Revision()}
}

// Restore restores a saved draft: the text and an unfinished answer to a question in
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
			d.answer = savedAnswer{w.About, d.editor.Raw(), w.Text}
			continue
		}
		message := editor.Typed{Text: w.Text, Images: w.Images}
		d.editor.History.Remember(message)
		d.queue.messages = append(d.queue.messages, queued{Typed: message})
	}
	d.queue.hold("unsent")
	d.savedAt, d.savedQueue = d.revisions(), d.unsentQueue()
}

// savedAnswer is an unfinished answer to a question of an earlier run of the program: a
// comment or an edited plan.
type savedAnswer struct {
	about string // as in event.Waiting
	raw   string // the editor's text since Restore, which begins with the answer
	text  string
}

// aboutPlan returns the About of an edited plan. It has the first line of the plan as
// the model presented it, because all plans may have the same title.
func aboutPlan(ask event.Ask) string {
	first, _, _ := strings.Cut(strings.TrimSpace(ask.Plan), "\n")
	return "edited plan: " + strings.TrimLeft(first, "# ")
}

// Resume moves a restored answer from the editor back to its question, if that is
// asked again and the user has not edited the text.
func (d *Drafts) Resume(ask event.Ask) {
	a := d.answer
	plan := ask.Plan != "" && a.about == aboutPlan(ask)
	if a.about == "" || a.about != ask.Title && !plan || d.dialog.Count() > 1 || ask.AboutTurn() || ask.Form != nil {
		return
	}
	d.answer = savedAnswer{}
	rest, found := strings.CutPrefix(d.editor.Raw(), d.editor.History.WithTokens(a.text))
	if d.editor.Raw() != a.raw || !found {
		return
	}
	d.editor.Set(strings.TrimPrefix(rest, "\n"))
	if plan {
		d.dialog.SetPlan(d.dialog.First().ID, a.text)
		return
	}
	d.dialog.Resume(a.text)
}

// KeepTyped moves the unfinished answer to a question that closes into the editor.
func (d *Drafts) KeepTyped() {
	for _, text := range []string{d.dialog.Comment(), d.dialog.LineComments(), d.dialog.Plan().Edited()} {
		if text != "" {
			d.editor.Prepend(text)
		}
	}
}

// draft returns the unsent input of the user, with the messages that have yet to
// reach the running turn.
func (d *Drafts) draft() event.Draft {
	draft := d.editor.Draft()
	if llm.IsAPIKey(strings.TrimPrefix(draft.Text, "/connect ")) {
		draft = event.Draft{}
	}
	ask := d.dialog.First()
	if text := d.dialog.Plan().Edited(); text != "" {
		draft.Queue = append(draft.Queue, event.Waiting{Text: text, About: aboutPlan(ask)})
	}
	if text := d.dialog.Comment(); text != "" {
		draft.Queue = append(draft.Queue, event.Waiting{Text: text, About: ask.Title})
	}
	draft.Queue = append(draft.Queue, d.unsentQueue()...)
	return draft
}

// unsentQueue returns the messages that have yet to reach the running turn, without
// their images, which the agent has, and the queued messages.
func (d *Drafts) unsentQueue() (all []event.Waiting) {
	for _, p := range d.log.Pending {
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
	case d.editor.Blank() && d.dialog.Comment() == "" && d.dialog.Plan().Edited() == "" && len(d.unsentQueue()) == 0:
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
