package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// question is the layer of the dialog. It carries out the dialog's decision about each
// key.
type question struct {
	*screen.Window
	feed      *transcript.Feed
	answer    func(*event.Answer) // sends it to the agent
	dialog    *dialog.Dialog
	editor    *editor.Editor
	interrupt func()
	setMode   func(event.Mode)
	// editPlan and editHunk open a plan or a hunk in the user's editor.
	editPlan func(id, plan string) tea.Cmd
	editHunk func(dialog.Hunk) tea.Cmd
	copy     func(text, what string) tea.Cmd
	open     func(url string) tea.Cmd // opens a page in the browser
	show     func(url string) tea.Cmd // shows the URL of a page
}

// Key implements layer.Layer. The interrupt key works even while the dialog ignores
// keys.
func (q *question) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	if !q.dialog.Takes() && q.Keys.Is(msg.String(), keys.Interrupt) && q.feed.Busy() {
		return nil, layer.Below
	}
	if q.dialog.Own() != nil && q.Keys.Is(msg.String(), keys.Clear) && q.dialog.Takes() {
		return q.carryOut(q.dialog.CancelOwn())
	}
	if !q.feed.Busy() && q.Keys.Is(msg.String(), keys.Clear) { // a background delegate asks: nothing to interrupt
		return nil, layer.Below
	}
	return q.carryOut(q.dialog.Key(msg))
}

// Paste implements layer.Layer.
func (q *question) Paste(text string) (tea.Cmd, bool) { return nil, q.dialog.Paste(text) }

// carryOut carries out the dialog's decision about a key.
func (q *question) carryOut(r dialog.Result) (tea.Cmd, layer.Offer) {
	if r.Rest != "" {
		q.editor.Prepend(r.Rest)
	}
	switch {
	case r.Deferred != nil:
		return q.After(r.Deferred.After, *r.Deferred), layer.Taken
	case r.EditPlan:
		return q.editPlan(q.dialog.First().ID, q.dialog.Plan().Text()), layer.Taken
	case r.EditHunk:
		return q.editHunk(q.dialog.Hunk()), layer.Taken
	case r.Interrupt:
		q.interrupt()
	case r.Mode != "":
		q.setMode(r.Mode)
	case r.Draft != "":
		q.editor.Type(r.Draft)
	case r.Answer != nil:
		q.answer(r.Answer)
		return q.followUp(r), layer.Taken
	case r.Own != nil:
		return r.Own.Give(), layer.Taken
	case r.Pass == dialog.ToDraft:
		return nil, layer.Below
	case r.Pass == dialog.ToScreen:
		return nil, layer.Global
	}
	return nil, layer.Taken
}

// followUp opens or copies the page to which the user agreed. The command may be nil.
func (q *question) followUp(r dialog.Result) tea.Cmd {
	switch {
	case r.Copy != "":
		return tea.Batch(q.show(r.Copy), q.copy(r.Copy, "the URL"))
	case r.Open != "":
		return q.open(r.Open)
	}
	return nil
}
