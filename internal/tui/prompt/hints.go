package prompt

import (
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/transcript"
)

// hints says what the keys of the prompt do now.
type hints struct {
	*screen.Window
	feed        *transcript.Feed
	editor      *editor.Editor
	waits       func() bool // reports whether a dialog waits for the user
	suggestions *Suggestions
	queue       *Queue
	canRetry    func() bool             // reports whether an empty prompt sends the last request again
	background  func() []event.Delegate // returns the delegates that run in the background
	known       func(name string) bool  // reports whether there is a slash command
}

// rule returns the hint in the rule above the prompt: what the send key does during a turn,
// or the vi mode.
func (h *hints) rule() string {
	switch {
	case h.feed.Running && !h.waits() && len(Mentioned(h.editor.Raw())) > 0:
		return h.Keys.Name(keys.Send) + " to delegate"
	case h.feed.Running && !h.waits() && !h.editor.Empty():
		return h.Keys.Name(keys.Send) + " to steer · " + h.Keys.Name(keys.Queue) + " to queue"
	}
	return h.editor.Mode.Name()
}

// keys returns the hint in the status line: what the send key does, or how to get help,
// with more detail before the first turn.
func (h *hints) keys() string {
	const wide = 100
	help := h.Keys.Name(keys.Help) + " help"
	switch agents := h.Keys.Name(keys.Agents); {
	case h.canRetry() && h.queue.Len() == 0 && h.editor.Empty():
		verb := " to retry · "
		if h.feed.Cut || h.feed.Exited {
			verb = " to continue · "
		}
		return h.Keys.Name(keys.Send) + verb + help
	case !h.editor.Empty():
		return h.send()
	case agents != "" && len(h.background()) > 0:
		return agents + " delegates · " + help
	case h.feed.State.Turns == 0 && h.Width >= wide:
		return help + " · / commands · @ files · ! shell"
	}
	return help
}

// send returns what the send key does with the text in the prompt. It returns "" for a
// blank prompt, and while suggestions or the prompt search are open.
func (h *hints) send() string {
	e, does := h.editor, " to send"
	typed := e.Raw()
	name, _, command := slash.Parse(typed)
	_, _, shell := ParseShell(typed)
	switch {
	case h.suggestions.Open() || e.History.Searching() || e.Blank():
		return ""
	case strings.HasSuffix(e.Before(), `\`):
		does = " for a new line"
	case command && !h.known(name):
		return "unknown command"
	case len(Mentioned(typed)) > 0:
		does = " to delegate"
	case command, shell:
		does = " to run it"
	}
	return h.Keys.Name(keys.Send) + does
}
