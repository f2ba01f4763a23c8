package slash

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// jobsCommand lists the background jobs, or stops one.
func jobsCommand(s *Session, arg string) (tea.Cmd, error) {
	verb, number, _ := strings.Cut(arg, " ")
	id, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case arg == "":
		s.agent.SendCommand(event.ListJobs{Ref: screen.Await(&s.agent.Answers, s.showJobs)})
	case verb == "stop" && err == nil:
		s.agent.SendCommand(event.StopJob{ID: id})
	default:
		return nil, errors.New("usage: /jobs [stop N]")
	}
	return nil, nil
}

// showJobs shows the answer to /jobs.
func (s *Session) showJobs(now event.JobsNow) {
	s.Show(&transcript.JobList{Jobs: now.Jobs, Now: s.Now()})
}
