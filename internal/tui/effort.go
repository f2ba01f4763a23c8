package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// effortCommand has the model think as hard as level says; without one, it says
// how hard it does.
func effortCommand(m *model, level string) (tea.Cmd, error) {
	switch {
	case m.Feed.Model == "":
		m.Say(m.AboutModel())
	case level == "" && m.Feed.Effort == "":
		m.Say(ink.SanitizeLine(m.Feed.Model) + " thinks as hard as it does by itself. /effort LEVEL changes it: low, medium, high")
	case level == "":
		m.Say(ink.SanitizeLine(m.Feed.Model) + " thinks with effort " + ink.SanitizeLine(m.Feed.Effort) + ". /effort " + event.DefaultEffort + " leaves it to the model")
	default:
		m.SendCommand(event.SetModel{Model: m.Feed.Model, Effort: level})
	}
	return nil, nil
}
