package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// earlier are the prompts of earlier sessions. They are read when somebody walks
// back, or searches, for the first time.
type earlier struct {
	asked   bool
	walks   bool // once they are there, the first of them is shown
	prompts []string
}

// earlierRead brings them, the latest last.
type earlierRead struct{ prompts []string }

// earlierWanted is how many are asked for.
const earlierWanted = 1000

// prompts are those that one can walk back to, the latest last.
func (m *model) prompts() []string {
	return append(m.earlier.prompts[:len(m.earlier.prompts):len(m.earlier.prompts)], m.feed.Recall...)
}

// readEarlier reads the prompts of earlier sessions, once.
func (m *model) readEarlier() tea.Cmd {
	if m.earlier.asked || m.o.Earlier == nil {
		return nil
	}
	m.earlier.asked = true
	read := m.o.Earlier
	return func() tea.Msg { return earlierRead{read(context.Background(), earlierWanted)} }
}

func (m *model) earlierCame(msg earlierRead) {
	m.earlier.prompts = slices.DeleteFunc(msg.prompts, func(p string) bool { return slices.Contains(m.feed.Recall, p) })
	switch {
	case m.editor.History.Searching():
		m.editor.History.Extend("", m.prompts())
	case m.earlier.walks:
		m.editor.History.Walk(true, m.prompts())
	}
	m.earlier.walks = false
}

// walkBack shows an earlier prompt, as far as the cursor is where that is meant.
func (m *model) walkBack() (cmd tea.Cmd, taken bool) {
	if m.editor.CaretRow() > 0 {
		return nil, false
	}
	cmd = m.readEarlier()
	if m.editor.History.Walk(true, m.prompts()) {
		return cmd, true
	}
	m.earlier.walks = cmd != nil
	return cmd, true
}
