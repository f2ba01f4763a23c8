package loop

import (
	"errors"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Jobs are the commands in the background of a session. Whoever makes them
// starts and ends them; the agent shows them, stops one for the user, and
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

// noJobs are the Jobs of a session without any.
type noJobs struct{}

func (noJobs) List() []tools.Job        { return nil }
func (noJobs) Stop(int) error           { return errors.New("nothing runs in the background here") }
func (noJobs) Changed() <-chan struct{} { return nil }
func (noJobs) Ended() []tools.Job       { return nil }

// listJobs emits the list of jobs.
func (a *Agent) listJobs() {
	var now event.JobsNow
	for _, j := range a.o.Jobs.List() {
		now.Jobs = append(now.Jobs, event.Job{ID: j.ID, Title: j.Title, State: j.State, Began: j.Began, Lines: j.Lines})
	}
	_ = a.rec.emit(now)
}

// stopJob stops a job while the agent takes other commands.
func (a *Agent) stopJob(id int) {
	a.background.Go(func() {
		if err := a.o.Jobs.Stop(id); err != nil {
			a.rec.notify(err.Error())
		}
	})
}
