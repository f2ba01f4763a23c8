package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
)

// looked takes what the terminal tells of itself, whenever it does. Its
// background may have changed while it was out of sight, so it is asked again.
func (m *model) looked(msg tea.Msg) tea.Cmd {
	l := m.Look
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		l.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		l.Can = msg.Profile
	default:
		return tea.RequestBackgroundColor
	}
	m.restyle(l)
	return nil
}

// restyle draws everything as l says.
func (m *model) restyle(l ink.Look) {
	if l == m.Look {
		return
	}
	m.Look = l
	m.Styles = l.Styles()
	m.Transcript.Restyle(m.Styles)
	m.editor.Restyle(m.Styles)
	m.dialog.Restyle(m.Styles)
	if m.lists.over != nil {
		m.lists.over.Restyle(m.Styles)
	}
}
