package slash

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// effortCommand has the model think as hard as level says; without one, it says
// how hard it does.
func effortCommand(s *Session, level string) (tea.Cmd, error) {
	switch {
	case s.Feed.Model == "":
		s.Say(s.AboutModel())
	case level == "" && s.Feed.Effort == "":
		s.Say(ink.SanitizeLine(s.Feed.Model) + " thinks as hard as it does by itself. /effort LEVEL changes it: low, medium, high")
	case level == "":
		s.Say(ink.SanitizeLine(s.Feed.Model) + " thinks with effort " + ink.SanitizeLine(s.Feed.Effort) + ". /effort " + event.DefaultEffort + " leaves it to the model")
	default:
		s.SendCommand(event.SetModel{Model: s.Feed.Model, Effort: level})
	}
	return nil, nil
}
