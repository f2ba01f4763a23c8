package slash

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// planCommand shows the newest approved plan.
func planCommand(s *Session, _ string) (tea.Cmd, error) {
	if s.feed.State.Plan == nil {
		text := "No plan is approved in this session. To make one, "
		if event.Mode(s.feed.State.Mode) != event.ModePlan {
			text += "set the permission mode to plan" + s.modeKeys() + ", then "
		}
		s.Say(text + "describe the task. The model reads, asks, and presents a plan to approve.")
		return nil, nil
	}
	shown := &transcript.Plan{PlanSet: s.feed.State.Plan}
	shown.Open = true
	s.Show(shown)
	return nil, nil
}

// modeKeys says how to set the mode: " (shift+tab or /mode plan)".
func (s *Session) modeKeys() string {
	if key := s.Keys.Name(keys.Mode); key != "" && s.Front.Screen != nil {
		return " (" + key + " or /mode plan)"
	}
	return " (/mode plan)"
}
