package slash

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// jobsCommand lists the background jobs, or stops one.
func jobsCommand(s *Session, arg string) (tea.Cmd, error) {
	verb, number, _ := strings.Cut(arg, " ")
	id, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case arg == "":
		s.listing = true
		s.SendCommand(event.ListJobs{})
	case verb == "stop" && err == nil:
		s.SendCommand(event.StopJob{ID: id})
	default:
		return nil, errors.New("usage: /jobs [stop N]")
	}
	return nil, nil
}

// listJobs shows the jobs, if /jobs requested them.
func (s *Session) listJobs(jobs []event.Job) {
	if s.listing {
		s.listing = false
		s.Transcript.Add(&transcript.JobList{Jobs: jobs, Now: s.Now()})
		s.Transcript.ShowEnd()
	}
}
