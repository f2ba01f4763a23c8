package tui

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
)

func jobsCommand(m *model, arg string) (tea.Cmd, error) {
	verb, number, _ := strings.Cut(arg, " ")
	id, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case arg == "":
		m.Listing = true
		m.SendCommand(event.ListJobs{})
	case verb == "stop" && err == nil:
		m.SendCommand(event.StopJob{ID: id})
	default:
		return nil, errors.New("use /jobs, or /jobs stop N")
	}
	return nil, nil
}
