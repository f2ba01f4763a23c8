package tui

import (
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/pager"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/transcript"
)

// hints say what goes on, and which keys mean something now.
type hints struct {
	*screen.Conversation
	dialog *dialog.Dialog
	editor *editor.Editor
	find   *pager.Finder
	prompt *prompt.Prompt
	pager  *pager.Pager
	chord  string // keys that were pressed, and more of which are to come
}

// behindPager says what goes on behind the pager, empty if nothing does.
func (h *hints) behindPager() string {
	if h.Busy() || h.chord != "" {
		return h.doing()
	}
	return ""
}

// doing says what goes on, and what ends it.
func (h *hints) doing() string {
	stops := h.stopKey() + " stops"
	words := stops + " · " + phrase.Seconds(h.Now().Sub(h.Feed.Since).Truncate(time.Second))
	switch {
	case h.chord != "":
		return h.chord + " …"
	case h.prompt.Leaving():
		return h.Keys.Name(keys.Clear) + " again leaves" + h.lost()
	case h.prompt.Rewinding():
		return h.Keys.Name(keys.Rewind) + " again goes back"
	case h.dialog.Waits():
		return "waits for you · " + stops
	case !h.Busy() && h.Feed.Cut && h.prompt.Queue.Len() == 0 && h.editor.Empty():
		return h.Keys.Name(keys.Send) + " goes on · " + h.Keys.Name(keys.Help) + " keys"
	case !h.Busy():
		return h.idleHint()
	case !h.Feed.Running && !h.Feed.Stopping:
		words = stops
	case h.Feed.Killing:
		words = "killing"
	case h.Feed.Stopping:
		words = "stopping · " + h.stopKey() + " again: kill the command"
	}
	if h.pager.Open() || !h.Feed.Working() {
		words = transcript.Spinner(h.Transcript.Frame) + " " + words
	}
	return words
}

// stopKey is the key that stops what runs: one that does not only go back from
// what is shown or begun.
func (h *hints) stopKey() string {
	for _, k := range h.Keys.Keys(keys.Interrupt) {
		if (!h.pager.Open() || !h.Keys.Is(k, keys.ViewClose)) && !h.dismisses(k) {
			return k
		}
	}
	return h.Keys.Name(keys.Interrupt)
}

// idleHint says how one finds the rest: all of it to who has said nothing yet.
// Where something is typed, it says what sending it does.
func (h *hints) idleHint() string {
	const wide = 100
	if !h.editor.Empty() || h.find.Open() {
		return h.sendHint()
	}
	hint := h.Keys.Name(keys.Help) + " keys"
	if h.Feed.Turns == 0 && h.Width >= wide {
		hint += " · / commands · @ files · ! shell"
	}
	return hint
}

// sendHint says what the key that sends does with what is typed, where it does
// anything with it that is not told elsewhere.
func (h *hints) sendHint() string {
	e, does := h.editor, " sends"
	typed := e.Raw()
	_, _, command := slash.Parse(typed)
	_, _, shell := prompt.ParseShell(typed)
	switch {
	case h.find.Open():
		k := h.Keys.Name
		return k(keys.Older) + " above · " + k(keys.Newer) + " below · " + k(keys.Dismiss) + " closes"
	case h.prompt.Suggestions.Open() || e.History.Searching() || e.Blank():
		return ""
	case strings.HasSuffix(e.Before(), `\`):
		does = " begins a new line"
	case command:
		does = " does it"
	case shell:
		does = " runs it"
	}
	return h.Keys.Name(keys.Send) + does
}

// lost says what ends with the program.
func (h *hints) lost() string {
	if n := transcript.Running(h.Feed.Jobs); n > 0 {
		return " and ends " + phrase.Count(n, "job")
	}
	return ""
}

// dismisses reports whether a key takes something away that stands before the
// turn: suggestions, a search, a mode of vi.
func (h *hints) dismisses(k string) bool {
	switch {
	case !h.Keys.Is(k, keys.Dismiss):
		return false
	case h.dialog.Takes():
		return h.dialog.Dismisses()
	}
	return h.find.Typing || h.prompt.Suggestions.Open() || h.editor.History.Searching() || h.editor.Mode.HandlesEscape() || h.editor.Selection.ByKeys()
}
