package loop

import (
	"errors"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Jobs are the background jobs of a session. The agent lists them, stops one at the
// user's request, and tells the model when one has ended. Implementations start
// them and must be safe for concurrent use.
type Jobs interface {
	// List returns running and finished jobs by ascending ID.
	List() []tools.Job
	// Stop stops a job and waits for its end.
	Stop(id int) error
	// Changed returns a channel that receives a value after List has changed.
	Changed() <-chan struct{}
	// NewTurn begins a new turn for the file changes of running jobs.
	NewTurn()
	// Ended returns the jobs that have ended since its previous call.
	Ended() []tools.Job
}

// noJobs implements Jobs for a session without background jobs.
type noJobs struct{}

func (noJobs) List() []tools.Job        { return nil }
func (noJobs) Stop(int) error           { return errors.New("background jobs are not available") }
func (noJobs) Changed() <-chan struct{} { return nil }
func (noJobs) NewTurn()                 {}
func (noJobs) Ended() []tools.Job       { return nil }

// jobsNow returns the list of jobs, which answers the command to if that has an ID.
func jobsNow(jobs Jobs, to event.Ref) event.JobsNow {
	now := event.JobsNow{Ref: to}
	for _, j := range jobs.List() {
		now.Jobs = append(now.Jobs, event.Job{ID: j.ID, Title: j.Title, State: j.State, Began: j.Began, Lines: j.Lines})
	}
	return now
}

// stopJob stops a job in the background.
func (a *Agent) stopJob(id int) {
	a.background.Go(func() {
		if err := a.o.Workspace.Jobs.Stop(id); err != nil {
			a.rec.notify(err.Error())
		}
	})
}
