package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
)

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.ReportFocus = true, true
	v.WindowTitle, v.ProgressBar = m.Styles.Letters.Write(m.notify.title()), m.notify.progress()
	if m.mouse.on {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.Width <= 0 || m.Height <= 0 {
		return v
	}
	if full := m.layers.Full(); full != nil {
		lines, cursor := full.View(m.Width, m.Height)
		v.SetContent(m.Styles.Letters.Write(strings.Join(ink.ClipLines(lines, m.Width), "\n")))
		v.Cursor = cursor
		return v
	}
	lines := m.pager.Find.Paint()
	for range m.Height - len(m.display.panel.Lines) - len(lines) {
		lines = append(lines, "")
	}
	v.SetContent(m.Styles.Letters.Write(strings.Join(ink.ClipLines(append(lines, m.display.panel.Lines...), m.Width), "\n")))
	if c := m.display.panel.Cursor; c != nil && c.Y >= 0 && !m.Done {
		at := *c
		at.Y += m.Height - len(m.display.panel.Lines)
		at.X = min(at.X, m.Width-1)
		v.Cursor = &at
	}
	return v
}
