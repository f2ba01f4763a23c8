package prompt

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
)

// assist is the layer of the prompt history and its search, of the suggestions, and of
// the vi keys that do more than edit the text. The Prompt draws all of them.
type assist struct {
	*screen.Window
	editor      *editor.Editor
	again       *DoublePress
	images      *Attacher
	history     *History
	suggestions *Suggestions
	queue       *Queue
	edit        func() tea.Cmd                // opens the draft in the user's editor
	palette     func() tea.Cmd                // opens the command palette
	covered     func() bool                   // reports whether the dialog takes the place of the prompt
	press       func(tea.KeyPressMsg) tea.Cmd // passes a key to the editor
	edited      func(revision int)            // is called after a key, with the revision before it
}

// Key implements layer.Layer.
func (a *assist) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	defer a.edited(a.editor.Revision())
	a.again.quit = time.Time{}
	if !a.editor.Empty() || !a.Keys.Is(msg.String(), keys.Rewind) {
		a.again.rewind = time.Time{}
	}
	a.forget()
	if cmd, ok := a.handleKey(msg); ok {
		return cmd, layer.Taken
	}
	return nil, layer.Below
}

// forget ends the waits that a key ends: to send the prompt after its images were read, and
// to show an earlier prompt.
func (a *assist) forget() { a.images.send, a.images.queue, a.history.recall = false, false, false }

// Paste implements layer.Layer.
func (a *assist) Paste(string) (tea.Cmd, bool) { return nil, false }

// Hint implements layer.Hinted.
func (a *assist) Hint() string {
	if a.suggestions.Open() && !a.covered() {
		return a.suggestions.Place() + a.Keys.Name(keys.Complete) + " to accept · " + a.Keys.Name(keys.Dismiss) + " to close"
	}
	return a.editor.Mode.Hint()
}

// Closes implements layer.Closer: for suggestions, a search, a selection and a vi mode.
func (a *assist) Closes(key string) bool {
	e := a.editor
	return a.Keys.Is(key, keys.Dismiss) && (a.suggestions.Open() || e.History.Searching() || e.Mode.HandlesEscape() || e.Selection.ByKeys())
}

// Cancel implements layer.Canceler: for a search in the prompt history, and a vi search.
func (a *assist) Cancel() (tea.Cmd, bool) {
	defer a.edited(a.editor.Revision())
	if !a.editor.Empty() {
		a.again.quit = time.Time{}
	}
	a.again.rewind = time.Time{}
	a.forget()
	switch e := a.editor; {
	case e.History.Searching():
		e.History.CancelSearch()
	case e.Mode.InCommandLine():
		e.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
	default:
		return nil, false
	}
	return nil, true
}

// handleKey handles a key. It reports whether it did.
func (a *assist) handleKey(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) {
	k, e := msg.String(), a.editor
	if e.History.Searching() {
		return nil, e.History.Press(msg, a.history.prompts())
	}
	if cmd, ok := a.suggestions.press(k); ok {
		return cmd, true
	}
	if cmd, ok := a.vi(msg); ok {
		return cmd, true
	}
	switch {
	case a.Keys.Is(k, keys.Dismiss) && (e.Mode.HandlesEscape() || e.Selection.ByKeys()):
		return a.press(msg), true
	case a.Keys.Is(k, keys.RightOrFind) && e.Caret() < len(e.Raw()), a.Keys.Is(k, keys.UpOrPalette) && e.CaretRow() > 0:
		e.Press(msg)
		return nil, true
	case a.Keys.Is(k, keys.Search) && e.Mode.Hint() == "":
		e.History.Search()
		return a.history.read(), true
	case a.Keys.Is(k, keys.Edit):
		return a.edit(), true
	case a.Keys.Is(k, keys.Attach):
		return a.images.pasteClipboard(false), true
	case a.Keys.Is(k, keys.PrevPrompt) && a.queue.edit():
		return nil, true
	case a.Keys.Is(k, keys.PrevPrompt):
		return a.history.previous()
	case a.Keys.Is(k, keys.NextPrompt):
		return nil, e.History.Navigate(false, a.history.prompts())
	}
	return nil, false
}

// vi handles the vi keys that do more than edit the text. It reports whether it did.
func (a *assist) vi(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) {
	k, e := msg.String(), a.editor
	switch {
	case e.Mode.InCommandLine():
		e.Press(msg)
		return nil, true
	case !e.Mode.Normal():
	case k == ":":
		return a.palette(), true
	case k == "/" && e.Empty(): // nothing to search: begin a slash command
		e.Press(tea.KeyPressMsg{Code: 'i', Text: "i"})
	case k == "k":
		return a.history.previous()
	case k == "j":
		return nil, e.History.Navigate(false, a.history.prompts())
	}
	return nil, false
}
