package slash

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// effortCommand sets the reasoning effort. Without a level it shows the current one.
func effortCommand(s *Session, level string) (tea.Cmd, error) {
	switch {
	case s.Feed.Model == "":
		s.Say(s.AboutModel())
	case level == "" && s.Feed.Effort == "":
		s.Say("Reasoning effort of " + ink.SanitizeLine(s.Feed.Model) + ": default. Change it with /effort LEVEL, for example low, medium or high.")
	case level == "":
		s.Say("Reasoning effort of " + ink.SanitizeLine(s.Feed.Model) + ": " + ink.SanitizeLine(s.Feed.Effort) + ". Restore the default with /effort " + event.DefaultEffort + ".")
	default:
		s.SendCommand(event.SetModel{Model: s.Feed.Model, Effort: level})
	}
	return nil, nil
}
