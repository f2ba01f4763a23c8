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
	case s.feed.State.Model == "":
		s.Say(screen.AboutModel(&s.feed.State))
	case level == "" && s.feed.State.Effort == "":
		s.Say("Reasoning effort of " + ink.SanitizeLine(s.feed.State.Model) + ": default. Change it with /effort LEVEL, for example low, medium or high.")
	case level == "":
		s.Say("Reasoning effort of " + ink.SanitizeLine(s.feed.State.Model) + ": " + ink.SanitizeLine(s.feed.State.Effort) + ". Restore the default with /effort " + event.DefaultEffort + ".")
	default:
		s.agent.SendCommand(event.SetModel{Model: s.feed.State.Model, Effort: level})
	}
	return nil, nil
}
