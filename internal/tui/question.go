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
	covered   func() bool // another part of the screen receives keys before the dialog
	interrupt func()
	setMode   func(event.Mode)
	// editPlan and editHunk open a plan or a hunk in the user's editor.
	editPlan func(id, plan string) tea.Cmd
	editHunk func(dialog.Hunk) tea.Cmd
	copy     func(text, what string) tea.Cmd
	open     func(url string) tea.Cmd // opens a page in the browser
	show     func(url string) tea.Cmd // shows the URL of a page
}

// Place implements layer.Drawn.
func (q *question) Place() layer.Place { return layer.AbovePrompt }

// View implements layer.Drawn.
func (q *question) View(width, height int) ([]string, *tea.Cursor) {
	if !q.dialog.Waits() {
		return nil, nil
	}
	return q.dialog.Lines(width, q.maxHeight()-(q.Height-height))
}

// maxHeight returns the maximum height of the dialog and of the lines above it in the
// panel. Some of the transcript stays visible, unless the dialog is in full view.
func (q *question) maxHeight() int {
	if q.dialog.Full() {
		return max(q.Height-4, 2)
	}
	const low = 12
	return max(q.Height*2/3, min(q.Height-3, low), 2)
}

// Mouse implements layer.Pointed. A click moves the marker; the wheel scrolls.
func (q *question) Mouse(msg tea.MouseMsg, _ int) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		q.dialog.Scroll(layer.WheelLines(msg))
	case tea.MouseClickMsg:
		q.dialog.Click(msg.X, msg.Y)
	}
	return nil, true
}

// Animates implements layer.Animated: keys are judged differently as time passes.
func (q *question) Animates() bool { return !q.covered() && q.dialog.Animates() }

// Tick implements layer.Animated. It lets the dialog take keys after a pause in typing.
func (q *question) Tick() {
	if !q.covered() {
		q.dialog.Tick()
	}
}

// Closes implements layer.Closer: for a comment, the editor of a plan, the review and the
// full view.
func (q *question) Closes(key string) bool {
	return q.dialog.Takes() && q.Keys.Is(key, keys.Dismiss) && q.dialog.Dismisses()
}

// Restyle implements layer.Styled.
func (q *question) Restyle() { q.dialog.Restyle(q.Styles) }

// Cancel implements layer.Canceler. It chooses the last row of a question of the program.
// A question of the agent stays: only an interrupt of the turn withdraws it.
func (q *question) Cancel() (cmd tea.Cmd, done bool) {
	r, done := q.dialog.Cancel()
	if done {
		cmd, _ = q.carryOut(r)
	}
	return cmd, done
}

// Key implements layer.Layer. The interrupt key works even while the dialog ignores
// keys.
func (q *question) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	if !q.dialog.Takes() && q.Keys.Is(msg.String(), keys.Interrupt) && q.feed.Busy() {
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
	case r.Local != nil:
		return r.Local.Give(), layer.Taken
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
