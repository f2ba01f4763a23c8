package slash

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// webCommand allows the web search of the provider in this session, or ends that.
// Without an argument it asks whether it is allowed.
func webCommand(s *Session, arg string) (tea.Cmd, error) {
	var set event.SetWebSearch
	switch arg {
	case "":
	case "on", "off":
		on := arg == "on"
		set.On = &on
	default:
		return nil, errors.New("unknown setting “" + ink.SanitizeLine(arg) + "”: use on or off")
	}
	s.agent.SendCommand(set)
	return nil, nil
}
