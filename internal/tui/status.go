package tui

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/pager"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/transcript"
)

// hints say what a turn is doing, and which keys mean something now.
type hints struct {
	*screen.Conversation
	dialog *dialog.Dialog
	editor *editor.Editor
	find   *pager.Finder
	prompt *prompt.Prompt
	pager  *pager.Pager
	chord  string // keys that were pressed, and more of which are to come
	tokens int    // that the model wrote in this turn, as of the last tick
}

// workingHeight is the least height of a window that has a line of its own for what
// a turn is doing.
const workingHeight = 10

// working says in a line what a turn is doing and what interrupts it; empty if
// nothing runs, or the line has no place.
func (h *hints) working() string {
	if !h.Busy() || h.dialog.Waits() || h.pager.Open() || h.Height < workingHeight {
		return ""
	}
	activity, key := h.Feed.Activity(), h.stopKey()+" to interrupt"
	switch {
	case h.Feed.Killing:
		activity, key = "killing the command", ""
	case h.Feed.Stopping:
		activity, key = "interrupting", h.stopKey()+" again to kill the command"
	}
	facts := []string{phrase.Seconds(h.elapsed())}
	if h.tokens > 0 && h.Feed.Running {
		facts = append(facts, phrase.Thousands(h.tokens)+" tokens")
	}
	return fitWorking(transcript.Spinner(h.Transcript.Frame)+" ", activity, facts, key, h.Width)
}

// fitWorking joins the parts of the line that says what a turn is doing. In a narrow
// window it leaves out facts, the last first, and shortens the activity.
func fitWorking(spinner, activity string, facts []string, key string, width int) string {
	const least = 16 // columns of the activity
	for {
		tail := ""
		for _, f := range append(facts[:len(facts):len(facts)], key) {
			if f != "" {
				tail += " · " + f
			}
		}
		room := width - lipgloss.Width(spinner+tail)
		if room >= min(least, lipgloss.Width(activity)) || len(facts) == 0 {
			return spinner + ink.Truncate(activity, max(room, 1)) + tail
		}
		facts = facts[:len(facts)-1]
	}
}

// elapsed is how long the turn has run, in whole seconds.
func (h *hints) elapsed() time.Duration {
	return h.Now().Sub(h.Feed.Since).Truncate(time.Second)
}

// behindPager says what a turn is doing behind the pager, empty if nothing runs.
func (h *hints) behindPager() string {
	if h.Busy() || h.chord != "" {
		return h.doing()
	}
	return ""
}

// doing is the hint at the right of the last line.
func (h *hints) doing() string {
	switch {
	case h.chord != "":
		return h.chord + " …"
	case h.prompt.Leaving():
		return h.Keys.Name(keys.Clear) + " again to quit" + h.lost()
	case h.prompt.Rewinding():
		return h.Keys.Name(keys.Rewind) + " again to edit a message"
	case h.dialog.Waits() && h.pager.Open():
		return "a question waits"
	case h.dialog.Waits(), h.working() != "":
		return ""
	case h.Busy():
		return h.briefly()
	case h.CanRetry() && h.prompt.Queue.Len() == 0 && h.editor.Empty():
		verb := " to retry · "
		if h.Feed.Cut {
			verb = " to continue · "
		}
		return h.Keys.Name(keys.Send) + verb + h.Keys.Name(keys.Help) + " help"
	}
	return h.idleHint()
}

// briefly says what a turn is doing where there is no line for it.
func (h *hints) briefly() string {
	words := h.stopKey() + " to interrupt"
	switch {
	case h.Feed.Killing:
		words = "killing the command"
	case h.Feed.Stopping:
		words = "interrupting · " + h.stopKey() + " again to kill the command"
	}
	return transcript.Spinner(h.Transcript.Frame) + " " + phrase.Seconds(h.elapsed()) + " · " + words
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
	hint := h.Keys.Name(keys.Help) + " help"
	if h.Feed.Turns == 0 && h.Width >= wide {
		hint += " · / commands · @ files · ! shell"
	}
	return hint
}

// sendHint says what the key that sends does with what is typed, where it does
// anything with it that is not told elsewhere.
func (h *hints) sendHint() string {
	e, does := h.editor, " to send"
	typed := e.Raw()
	_, _, command := slash.Parse(typed)
	_, _, shell := prompt.ParseShell(typed)
	switch {
	case h.find.Open():
		k := h.Keys.Name
		return k(keys.Older) + " previous · " + k(keys.Newer) + " next · " + k(keys.Dismiss) + " to close"
	case h.prompt.Suggestions.Open() || e.History.Searching() || e.Blank():
		return ""
	case strings.HasSuffix(e.Before(), `\`):
		does = " for a new line"
	case command:
		does = " to run it"
	case shell:
		does = " to run it"
	}
	return h.Keys.Name(keys.Send) + does
}

// lost says what ends with the program.
func (h *hints) lost() string {
	if n := transcript.Running(h.Feed.Jobs); n > 0 {
		return " and stop " + phrase.Count(n, "job")
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
