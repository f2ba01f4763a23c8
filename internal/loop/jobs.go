package loop

import (
	"fmt"
	"time"

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

// Job is a command in the background.
type Job struct {
	ID    int
	Title string // its command, in one line
	State string // how it ended, in words; empty while it runs
	Began time.Time
	Lines int64 // that it has written so far
}

// jobsChanged is ready when there is something new to tell of jobs.
func (a *Agent) jobsChanged() <-chan struct{} {
	if a.o.Jobs == nil {
		return nil
	}
	return a.o.Jobs.Changed()
}

func (a *Agent) jobsNow() JobsNow {
	var now JobsNow
	if a.o.Jobs == nil {
		return now
	}
	for _, j := range a.o.Jobs.List() {
		now.Jobs = append(now.Jobs, Job{ID: j.ID, Title: j.Title, State: j.State, Began: j.Began, Lines: j.Lines})
	}
	return now
}

// stopJob stops a job without keeping the person's next command waiting.
func (a *Agent) stopJob(id int) {
	if a.o.Jobs == nil {
		_ = a.emit(Notice{Text: "nothing runs in the background here"})
		return
	}
	a.asides.Go(func() {
		if err := a.o.Jobs.Stop(id); err != nil {
			_ = a.emit(Notice{Text: err.Error()})
		}
	})
}

// news is what the model has to be told before its next step: of the mode, and
// of jobs.
func (a *Agent) news() []string {
	out := a.planNews()
	if a.o.Jobs == nil {
		return out
	}
	for _, j := range a.o.Jobs.Ended() {
		out = append(out, fmt.Sprintf("[job %d (%s) ended: %s. Use jobs to read its output]", j.ID, j.Title, j.State))
	}
	return out
}
