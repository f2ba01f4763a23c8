package tui

import tea "charm.land/bubbletea/v2"

// dismisses reports whether a key takes something away that stands before the
// turn: suggestions, a search, a mode of vi.
func (m *model) dismisses(k string) bool {
	return m.keys.is(k, actDismiss) && !m.dialog.takes() && (m.popup.open() || m.editor.search != nil || m.editor.escapes())
}

// pressTyping takes a key for what helps to type: the suggestions, the search
// for an earlier prompt, what opens them.
func (m *model) pressTyping(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	k := msg.String()
	if m.editor.search != nil {
		return nil, m.editor.pressSearch(msg, m.prompts())
	}
	if cmd, taken := m.pressPopup(k); taken {
		return cmd, true
	}
	switch {
	case m.keys.is(k, actSearch) && m.editor.mode() == "":
		m.editor.beginSearch()
	default:
		return nil, false
	}
	return nil, true
}
