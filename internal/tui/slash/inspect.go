package slash

import (
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/transcript"
)

// inspected is a request that was rebuilt from the log of the session.
type inspected struct {
	summary, request string
	err              error
}

// inspectCommand shows the request of a step.
func inspectCommand(s *Session, arg string) (tea.Cmd, error) {
	step := 0
	if arg != "" {
		var err error
		if step, err = strconv.Atoi(arg); err != nil || step < 1 {
			return nil, errors.New("usage: /inspect [STEP], where STEP is the number of a step, from 1")
		}
	}
	read := s.Options.Session.Inspect
	if read == nil {
		s.Say("This session is not saved, so its requests cannot be inspected.")
		return nil, nil
	}
	return func() tea.Msg {
		summary, request, err := read(step)
		return inspected{summary, request, err}
	}, nil
}

// showInspected adds the answer of /inspect to the transcript.
func (s *Session) showInspected(r inspected) {
	if r.err != nil {
		s.Say("Cannot inspect: " + r.err.Error())
		return
	}
	s.Show(&transcript.Report{Summary: r.summary, Text: r.request})
}
