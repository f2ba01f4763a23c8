package slash

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/transcript"
)

// evidenceCommand lists the checks and edits of the last turn that had any.
func evidenceCommand(s *Session, _ string) (tea.Cmd, error) {
	e := s.feed.State.Evidence
	if e == nil {
		s.Say("No checks or edits are recorded yet.")
		return nil, nil
	}
	lines := append([]string{"Last turn with checks or edits: " + e.Line()}, e.List()...)
	s.Show(&transcript.Report{Summary: strings.Join(lines, "\n")})
	return nil, nil
}
