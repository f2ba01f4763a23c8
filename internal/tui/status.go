package tui

import (
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
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

// hints renders the activity of the turn and the key hints.
type hints struct {
	*screen.Conversation
	dialog *dialog.Dialog
	editor *editor.Editor
	find   *pager.Finder
	prompt *prompt.Prompt
	pager  *pager.Pager
	slash  *slash.Session
	chord  string // the keys pressed so far of an incomplete key sequence
	tokens int    // output tokens of this turn, as of the last tick
}

// workingHeight is the minimum window height for a separate activity line.
const workingHeight = 10

// countTokens reads the number of tokens that the turn has received.
func (h *hints) countTokens() { h.tokens = h.Spending.TurnOutput() }

// showsWorking reports whether the activity line is shown.
func (h *hints) showsWorking() bool {
	return h.Busy() && !h.dialog.Waits() && !h.pager.Open() && h.Height >= workingHeight
}

// working returns the activity line: what the turn is doing and which key interrupts
// it. It returns "" if no turn runs or the line is not shown.
func (h *hints) working() string {
	if !h.showsWorking() {
		return ""
	}
	activity, since := h.Feed.Activity()
	key := h.stopKey() + " to interrupt"
	switch {
	case h.Feed.Killing:
		activity, key = "killing the command", ""
	case h.Feed.Stopping:
		activity, key = "interrupting", h.killHint()
	}
	var facts []string
	if h.Feed.Running { // a shell command of the user's is no turn
		if since.IsZero() {
			since = h.Feed.Since
		}
		facts = append(facts, phrase.Seconds(h.elapsed(since)))
		if h.tokens > 0 {
			facts = append(facts, phrase.Thousands(h.tokens)+" tokens")
		}
		if k := h.Keys.Name(keys.Agents); k != "" && slices.ContainsFunc(h.Feed.Delegates, event.Delegate.Running) {
			facts = append(facts, k+" delegates")
		}
	}
	return fitWorking(transcript.Spinner(h.Transcript.Frame)+" ", activity, facts, key, h.Width)
}

// fitWorking joins the parts of the activity line. In a narrow window it drops facts,
// the last first, and truncates the activity.
func fitWorking(spinner, activity string, facts []string, key string, width int) string {
	const least = 16 // minimum columns for the activity
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

// killHint says how to kill a command that does not end, "" if none is running.
func (h *hints) killHint() string {
	if !h.Feed.RunsCommand() {
		return ""
	}
	return h.stopKey() + " again to kill the command"
}

// elapsed returns the time since a moment of the turn, in whole seconds.
func (h *hints) elapsed(since time.Time) time.Duration {
	return h.Now().Sub(since).Truncate(time.Second)
}

// behindPager returns the hint that the pager shows while a turn runs, or "".
func (h *hints) behindPager() string {
	if h.Busy() || h.chord != "" {
		return h.statusHint()
	}
	return ""
}

// statusHint returns the hint at the right of the status line.
func (h *hints) statusHint() string {
	switch {
	case h.chord != "":
		return h.chord + " …"
	case h.prompt.Quitting():
		return h.Keys.Name(keys.Clear) + " again to quit" + h.stopped()
	case h.prompt.Rewinding():
		return h.Keys.Name(keys.Rewind) + " again to edit a message"
	case h.dialog.Waits() && h.pager.Open():
		return "a question waits"
	case h.dialog.Waits(), h.showsWorking():
		return ""
	case h.Busy():
		return h.shortActivity()
	case h.CanRetry() && h.prompt.Queue.Len() == 0 && h.editor.Empty():
		verb := " to retry · "
		if h.Feed.Cut || h.Feed.Exited {
			verb = " to continue · "
		}
		return h.Keys.Name(keys.Send) + verb + h.Keys.Name(keys.Help) + " help"
	}
	return h.idleHint()
}

// shortActivity returns the activity of the turn for windows without an activity line.
func (h *hints) shortActivity() string {
	words := h.stopKey() + " to interrupt"
	switch {
	case h.Feed.Killing:
		words = "killing the command"
	case h.Feed.Stopping:
		words = "interrupting"
		if hint := h.killHint(); hint != "" {
			words += " · " + hint
		}
	}
	if h.Feed.Running {
		words = phrase.Seconds(h.elapsed(h.Feed.Since)) + " · " + words
	}
	return transcript.Spinner(h.Transcript.Frame) + " " + words
}

// stopKey returns a key that interrupts the turn now. It prefers one that does not
// close the pager, suggestions or a search first.
func (h *hints) stopKey() string {
	for _, k := range h.Keys.Keys(keys.Interrupt) {
		if (!h.pager.Open() || !h.Keys.Is(k, keys.ViewClose)) && !h.dismisses(k) {
			return k
		}
	}
	return h.Keys.Name(keys.Interrupt)
}

// idleHint returns the hint for the time between turns: how to get help, with more
// detail before the first turn. With text in the prompt or an open search, it returns
// sendHint.
func (h *hints) idleHint() string {
	const wide = 100
	if !h.editor.Empty() || h.find.Open() {
		return h.sendHint()
	}
	hint := h.Keys.Name(keys.Help) + " help"
	if key := h.Keys.Name(keys.Agents); key != "" && len(h.Background()) > 0 {
		return key + " delegates · " + hint
	}
	if h.Feed.Turns == 0 && h.Width >= wide {
		hint += " · / commands · @ files · ! shell"
	}
	return hint
}

// sendHint returns what the send key does with the text in the prompt, or the keys of
// the search if it is open. It returns "" for a blank prompt, and while suggestions or
// the prompt search are open.
func (h *hints) sendHint() string {
	e, does := h.editor, " to send"
	typed := e.Raw()
	name, _, command := slash.Parse(typed)
	_, _, shell := prompt.ParseShell(typed)
	switch {
	case h.find.Open():
		k := h.Keys.Name
		return k(keys.Older) + " previous · " + k(keys.Newer) + " next · " + k(keys.Dismiss) + " to close"
	case h.prompt.Suggestions.Open() || e.History.Searching() || e.Blank():
		return ""
	case strings.HasSuffix(e.Before(), `\`):
		does = " for a new line"
	case command && !h.slash.Has(name):
		return "unknown command"
	case len(prompt.Mentioned(typed)) > 0:
		does = " to delegate"
	case command, shell:
		does = " to run it"
	}
	return h.Keys.Name(keys.Send) + does
}

// stopped returns the part of the quit hint that names the running jobs and delegates,
// or "".
func (h *hints) stopped() string {
	if all := h.StopsAtEnd(); all != "" {
		return " and stop " + all
	}
	return ""
}

// dismisses reports whether the key k would close something rather than interrupt the
// turn: suggestions, a search, a selection or a vi mode.
func (h *hints) dismisses(k string) bool {
	switch {
	case !h.Keys.Is(k, keys.Dismiss):
		return false
	case h.dialog.Takes():
		return h.dialog.Dismisses()
	}
	return h.find.Typing || h.prompt.Suggestions.Open() || h.editor.History.Searching() || h.editor.Mode.HandlesEscape() || h.editor.Selection.ByKeys()
}
