package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
)

// looked handles the terminal's reports about its background and colors. On other
// messages, such as focus or resume, it queries the background, which may have changed
// while the terminal was hidden.
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

// restyle applies the look l to all parts of the screen.
func (m *model) restyle(l ink.Look) {
	if l == m.Look {
		return
	}
	m.Look = l
	m.Styles = l.Styles()
	m.session.Transcript.Restyle(m.Styles)
	m.layers.Restyle()
}
