package loop

import (
	"fmt"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Jobs are the commands in the background of a session. Whoever makes them
// starts and ends them; the agent shows them, stops one for the person, and
// tells the model when one has ended. It is safe for concurrent use.
type Jobs interface {
	// List returns those that run and those that did, in the order of their ids.
	List() []tools.Job
	// Stop ends a job. It may take as long as the job needs to go.
	Stop(id int) error
	// Changed gets a value after List has changed.
	Changed() <-chan struct{}
	// Ended returns the jobs that have ended and of whose end the model knows
	// nothing yet, each once.
	Ended() []tools.Job
}

// jobsChanged is ready when there is something new to tell of jobs.
func (a *Agent) jobsChanged() <-chan struct{} {
	if a.o.Jobs == nil {
		return nil
	}
	return a.o.Jobs.Changed()
}

func (a *Agent) jobsNow() event.JobsNow {
	var now event.JobsNow
	if a.o.Jobs == nil {
		return now
	}
	for _, j := range a.o.Jobs.List() {
		now.Jobs = append(now.Jobs, event.Job{ID: j.ID, Title: j.Title, State: j.State, Began: j.Began, Lines: j.Lines})
	}
	return now
}

// stopJob stops a job without keeping the person's next command waiting.
func (a *Agent) stopJob(id int) {
	if a.o.Jobs == nil {
		_ = a.emit(event.Notice{Text: "nothing runs in the background here"})
		return
	}
	a.asides.Go(func() {
		if err := a.o.Jobs.Stop(id); err != nil {
			_ = a.emit(event.Notice{Text: err.Error()})
		}
	})
}

// news is what the model has to be told before its next step: of the mode, and
// of jobs.
func (a *Agent) news(c *conversation) []string {
	out := a.planNews(c)
	if a.o.Jobs == nil {
		return out
	}
	for _, j := range a.o.Jobs.Ended() {
		out = append(out, fmt.Sprintf("[job %d (%s) ended: %s. Use jobs to read its output]", j.ID, j.Title, j.State))
	}
	return out
}
