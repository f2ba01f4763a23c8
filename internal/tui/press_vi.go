package tui

import tea "charm.land/bubbletea/v2"

// pressVi takes a key of vi that means something to more than the text: what is
// begun with it belongs to the program.
func (m *model) pressVi(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	k, e := msg.String(), m.editor
	switch {
	case e.Mode.InCommandLine():
		e.Press(msg)
		return nil, true
	case !e.Mode.Normal():
	case k == ":":
		return m.table.showPalette(), true
	case k == "/" && e.Empty(): // there is nothing to look in: it begins a command
		e.Press(tea.KeyPressMsg{Code: 'i', Text: "i"})
	case k == "k":
		return m.earlier.walkBack()
	case k == "j":
		return nil, e.History.Walk(false, m.earlier.prompts())
	}
	return nil, false
}

// chords joins a key with those that were pressed before it, but for one that
// vi knows as a command of its own.
func (m *model) chords(msg tea.KeyPressMsg) (_ tea.KeyPressMsg, whole bool) {
	if e := m.editor; m.hints.chord == "" && e.Mode.Knows(msg.String()) {
		return msg, true
	}
	msg, m.hints.chord, whole = m.keys.Chord(m.hints.chord, msg)
	return msg, whole
}
