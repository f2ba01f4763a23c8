package slash

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// effortCommand sets the reasoning effort. Without a level it shows the current one.
func effortCommand(s *Session, level string) (tea.Cmd, error) {
	switch {
	case s.feed.Facts.Model == "":
		s.Say(screen.AboutModel(&s.feed.Facts))
	case level == "" && s.feed.Facts.Effort == "":
		s.Say("Reasoning effort of " + ink.SanitizeLine(s.feed.Facts.Model) + ": default. Change it with /effort LEVEL, for example low, medium or high.")
	case level == "":
		s.Say("Reasoning effort of " + ink.SanitizeLine(s.feed.Facts.Model) + ": " + ink.SanitizeLine(s.feed.Facts.Effort) + ". Restore the default with /effort " + event.DefaultEffort + ".")
	default:
		s.agent.SendCommand(event.SetModel{Model: s.feed.Facts.Model, Effort: level})
	}
	return nil, nil
}
