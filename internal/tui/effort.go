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
	case m.feed.Model == "":
		m.say(m.answering())
	case level == "" && m.feed.Effort == "":
		m.say(ink.SanitizeLine(m.feed.Model) + " thinks as hard as it does by itself. /effort LEVEL changes it: low, medium, high")
	case level == "":
		m.say(ink.SanitizeLine(m.feed.Model) + " thinks with effort " + ink.SanitizeLine(m.feed.Effort) + ". /effort " + event.DefaultEffort + " leaves it to the model")
	default:
		m.order(event.SetModel{Model: m.feed.Model, Effort: level})
	}
	return nil, nil
}
