package transcript

import (
	"strconv"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// JobList is an item that lists what runs in the background, and what did.
type JobList struct {
	Jobs []event.Job
	Now  time.Time
}

func (j *JobList) Class() Class { return Apart }

func (j *JobList) Draw(c Canvas) []string {
	if len(j.Jobs) == 0 {
		return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap("nothing runs in the background", c.Inner())))
	}
	var lines []string
	for _, job := range j.Jobs {
		state := ink.SanitizeLine(job.State)
		if state == "" {
			state = "runs · " + phrase.Seconds(j.Now.Sub(job.Began))
		}
		left := strconv.Itoa(job.ID) + "  " + ink.SanitizeLine(job.Title)
		if c.Width >= 60 {
			state += " · " + phrase.Count(int(job.Lines), "line")
		}
		lines = append(lines, ink.Spread(left, c.Styles.Dim.Render(state), c.Inner()))
	}
	if Running(j.Jobs) > 0 {
		lines = append(lines, ink.RenderLines(c.Styles.Dim, ink.Wrap("/jobs stop N stops one", c.Inner()))...)
	}
	return ink.Hang(" ", lines)
}

// Running is how many of jobs run.
func Running(jobs []event.Job) int {
	n := 0
	for _, j := range jobs {
		if j.State == "" {
			n++
		}
	}
	return n
}
