package tui

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

func jobsCommand(m *model, arg string) (tea.Cmd, error) {
	verb, number, _ := strings.Cut(arg, " ")
	id, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case arg == "":
		m.listing = true
		m.order(event.ListJobs{})
	case verb == "stop" && err == nil:
		m.order(event.StopJob{ID: id})
	default:
		return nil, errors.New("use /jobs, or /jobs stop N")
	}
	return nil, nil
}

// listJobs shows what /jobs asked for.
func (s *session) listJobs(jobs []event.Job) {
	if s.listing {
		s.listing = false
		s.list.Add(&transcript.JobList{Jobs: jobs, Now: s.now()})
		s.list.ShowEnd()
	}
}
