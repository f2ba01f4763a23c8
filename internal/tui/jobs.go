package tui

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// jobList is an item that lists what runs in the background, and what did.
type jobList struct {
	jobs []event.Job
	now  time.Time
}

func (j *jobList) class() class { return said }

func (j *jobList) draw(c canvas) []string {
	if len(j.jobs) == 0 {
		return ink.Hang(" ", ink.RenderLines(c.st.Dim, ink.Wrap("nothing runs in the background", c.inner())))
	}
	var lines []string
	for _, job := range j.jobs {
		state := ink.SanitizeLine(job.State)
		if state == "" {
			state = "runs · " + phrase.Seconds(j.now.Sub(job.Began))
		}
		left := strconv.Itoa(job.ID) + "  " + ink.SanitizeLine(job.Title)
		if c.width >= 60 {
			state += " · " + phrase.Count(int(job.Lines), "line")
		}
		lines = append(lines, ink.Spread(left, c.st.Dim.Render(state), c.inner()))
	}
	if alive(j.jobs) > 0 {
		lines = append(lines, ink.RenderLines(c.st.Dim, ink.Wrap("/jobs stop N stops one", c.inner()))...)
	}
	return ink.Hang(" ", lines)
}

// alive is how many of jobs run.
func alive(jobs []event.Job) int {
	n := 0
	for _, j := range jobs {
		if j.State == "" {
			n++
		}
	}
	return n
}

func (m *model) slashJobs(arg string) tea.Cmd {
	verb, number, _ := strings.Cut(arg, " ")
	id, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case arg == "":
		m.listing = true
		m.order(event.ListJobs{})
	case verb == "stop" && err == nil:
		m.order(event.StopJob{ID: id})
	default:
		m.misuse("use /jobs, or /jobs stop N")
	}
	return nil
}

// listJobs shows what /jobs asked for.
func (m *model) listJobs(jobs []event.Job) {
	if m.listing {
		m.listing = false
		m.list.add(&jobList{jobs, m.now()})
		m.list.end()
	}
}
