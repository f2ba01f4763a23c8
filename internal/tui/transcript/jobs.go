package transcript

import (
	"strconv"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// JobList is an item that lists the background jobs, including finished ones.
type JobList struct {
	Jobs []event.Job
	Now  time.Time // for their running times
}

// Draw implements Item.
func (j *JobList) Draw(c Canvas) []string {
	if len(j.Jobs) == 0 {
		return dimText(c, "no background jobs")
	}
	var lines []string
	for _, job := range j.Jobs {
		state := ink.SanitizeLine(job.State)
		if state == "" {
			state = "running · " + phrase.Seconds(j.Now.Sub(job.Began))
		}
		left := strconv.Itoa(job.ID) + "  " + ink.SanitizeLine(job.Title)
		if c.Width >= 60 {
			state += " · " + phrase.Count(int(job.Lines), "line")
		}
		lines = append(lines, ink.Spread(left, c.Styles.Dim.Render(state), c.Inner()))
	}
	if Running(j.Jobs) > 0 {
		lines = append(lines, ink.RenderLines(c.Styles.Dim, ink.Wrap("/jobs stop N stops a job", c.Inner()))...)
	}
	return ink.Hang(" ", lines)
}

// Running returns the number of running jobs.
func Running(jobs []event.Job) int {
	n := 0
	for _, j := range jobs {
		if j.State == "" {
			n++
		}
	}
	return n
}
