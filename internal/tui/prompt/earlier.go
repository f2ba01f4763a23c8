package prompt

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
	"agent/internal/tui/screen"
)

// History holds the prompts of earlier sessions, which are read when the
// user walks back or searches for the first time.
type History struct {
	*screen.Conversation
	editor *editor.Editor

	asked bool
	walks bool // once they are there, the first of them is shown
	past  []string
}

// earlierRead brings them, the latest last.
type earlierRead struct{ prompts []string }

// earlierWanted is how many are asked for.
const earlierWanted = 1000

// prompts are those that one can walk back to, the latest last.
func (h *History) prompts() []string {
	return append(h.past[:len(h.past):len(h.past)], h.Feed.Recall...)
}

// read reads the prompts of earlier sessions, once.
func (h *History) read() tea.Cmd {
	if h.asked || h.Options.Session.Earlier == nil {
		return nil
	}
	h.asked = true
	read := h.Options.Session.Earlier
	return func() tea.Msg { return earlierRead{read(context.Background(), earlierWanted)} }
}

func (h *History) take(msg earlierRead) {
	h.past = slices.DeleteFunc(msg.prompts, func(p string) bool { return slices.Contains(h.Feed.Recall, p) })
	switch {
	case h.editor.History.Searching():
		h.editor.History.Extend("", h.prompts())
	case h.walks:
		h.editor.History.Walk(true, h.prompts())
	}
	h.walks = false
}

// walkBack shows an earlier prompt, as far as the cursor is where that is meant.
func (h *History) walkBack() (cmd tea.Cmd, taken bool) {
	if h.editor.CaretRow() > 0 {
		return nil, false
	}
	cmd = h.read()
	if h.editor.History.Walk(true, h.prompts()) {
		return cmd, true
	}
	h.walks = cmd != nil
	return cmd, true
}
