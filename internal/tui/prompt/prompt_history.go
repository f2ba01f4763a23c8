package prompt

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// History is the prompt history: the prompts of this session and of earlier ones.
// Those are read when the user first recalls or searches a prompt.
type History struct {
	*screen.Window
	log    *transcript.PromptLog
	editor *editor.Editor

	requested bool     // earlier has been or is being read
	recall    bool     // show the last of earlier once it is read
	earlier   []string // prompts of earlier sessions, the latest last
}

// earlierRead holds the prompts of earlier sessions, the latest last.
type earlierRead struct{ prompts []string }

// earlierLimit is the maximum number of prompts of earlier sessions.
const earlierLimit = 1000

// prompts returns all prompts, the latest last.
func (h *History) prompts() []string {
	return append(h.earlier[:len(h.earlier):len(h.earlier)], h.log.Recall...)
}

// add adds a prompt that was not sent.
func (h *History) add(text string) { h.log.Recall = append(h.log.Recall, text) }

// sent reports whether the conversation has prompts.
func (h *History) sent() bool { return len(h.log.Prompts) > 0 }

// read reads the prompts of earlier sessions, once.
func (h *History) read() tea.Cmd {
	if h.requested || h.Options.Session.Earlier == nil {
		return nil
	}
	h.requested = true
	read := h.Options.Session.Earlier
	return func() tea.Msg { return earlierRead{read(context.Background(), earlierLimit)} }
}

// apply adds the prompts of earlier sessions.
func (h *History) apply(msg earlierRead) {
	h.earlier = slices.DeleteFunc(msg.prompts, func(p string) bool { return slices.Contains(h.log.Recall, p) })
	switch {
	case h.editor.History.Searching():
		h.editor.History.Extend("", h.prompts())
	case h.recall:
		h.editor.History.Navigate(true, h.prompts())
	}
	h.recall = false
}

// previous shows the previous prompt, if the cursor is in the first row.
func (h *History) previous() (cmd tea.Cmd, taken bool) {
	if h.editor.CaretRow() > 0 {
		return nil, false
	}
	cmd = h.read()
	if h.editor.History.Navigate(true, h.prompts()) {
		return cmd, true
	}
	h.recall = cmd != nil
	return cmd, true
}
