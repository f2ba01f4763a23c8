package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/tools/confine"
)

const (
	maxJobs  = 16 // running at the same time
	keptJobs = 16 // finished jobs kept for display
)

// Job is a command that runs, or ran, in the background.
type Job struct {
	ID    int       // from 1, never reused
	Title string    // the command in one printable line
	Began time.Time // when the command was started
	// State is how it ended ("exit 1", "stopped"); empty while it runs.
	State string
	Code  *int  // exit code of a job that ended; nil if it was stopped or has none
	Lines int64 // lines of output so far
}

// Jobs holds the background commands of a session. Tools start them; Close stops
// them. No job outlives the program. It is safe for concurrent use.
type Jobs struct {
	changed chan struct{}

	mu     sync.Mutex
	last   int    // last assigned ID
	jobs   []*job // oldest first
	closed bool
}

// job is an entry of Jobs. The mutex of Jobs guards the fields that change.
type job struct {
	id    int
	title string
	line  string // the command
	began time.Time
	launched
	done chan struct{} // closed when state is set

	state    string
	failed   bool // it exited with another code than 0, and was not stopped
	code     *int
	stopped  bool     // Stop or Close was called
	reported bool     // the model knows that it ended
	offered  bool     // the network was offered for it
	told     []uint16 // the ports of its servers that the model knows
	undone   []confine.Notice
}

// NewJobs returns an empty collection. The caller closes it.
func NewJobs() *Jobs { return &Jobs{changed: make(chan struct{}, 1)} }

// Changed returns a channel that has a token if a job started or ended since the
// last receive.
func (j *Jobs) Changed() <-chan struct{} { return j.changed }

// List returns the running jobs and the last finished ones, oldest first.
func (j *Jobs) List() []Job { return j.filter(func(*job) bool { return true }) }

// running reports whether a job runs. A nil j has none.
func (j *Jobs) running() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.jobs, func(b *job) bool { return b.state == "" })
}

// Unapproved reports whether a job runs that nobody approved. A nil j has none.
func (j *Jobs) Unapproved() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.jobs, func(b *job) bool { return b.state == "" && b.unapproved })
}

// Ended returns the finished jobs that the model does not know of, each once.
func (j *Jobs) Ended() []Job {
	return j.filter(func(b *job) bool {
		news := b.state != "" && !b.reported
		b.reported = b.reported || news
		return news
	})
}

// filter returns the jobs for which ok returns true, oldest first.
func (j *Jobs) filter(ok func(*job) bool) []Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []Job
	for _, b := range j.jobs {
		if ok(b) {
			out = append(out, Job{ID: b.id, Title: b.title, Began: b.began, State: b.state, Code: b.code, Lines: b.run.Lines()})
		}
	}
	return out
}

// Stop stops a job and waits for its end, usually at most two seconds. Ended then
// reports it to the model.
func (j *Jobs) Stop(id int) error {
	b, err := j.markStopped(id, false)
	if err != nil {
		return err
	}
	b.run.Stop()
	<-b.done
	return nil
}

// Close stops all jobs and waits for their end. Later jobs are rejected.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	jobs := j.jobs
	for _, b := range jobs {
		b.stopped = true
		b.run.Stop()
	}
	j.mu.Unlock()
	for _, b := range jobs {
		<-b.done
	}
}

// NewTurn begins a new turn for the files that running jobs change: see
// shell.Running.NewTurn.
func (j *Jobs) NewTurn() {
	j.mu.Lock()
	jobs := slices.Clone(j.jobs)
	j.mu.Unlock()
	for _, b := range jobs {
		b.run.NewTurn() // does nothing for jobs that have ended
	}
}

// Undone describes changes of jobs that were undone and that the model does not know of
// yet.
func (j *Jobs) Undone() (texts []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, b := range j.jobs {
		for _, n := range b.undone {
			if !b.reported {
				texts = append(texts, n.Text)
			}
		}
	}
	return texts
}

var errClosed = errors.New("the session is ending; background commands cannot be started")

// add adds the job that start returns. It does not call start if there are too many
// jobs.
func (j *Jobs) add(command string, start func() (launched, error)) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, errClosed
	}
	var running []string
	for _, b := range j.jobs {
		if b.state == "" {
			running = append(running, b.String())
		}
	}
	if len(running) >= maxJobs {
		return nil, fmt.Errorf("%d jobs are running, the maximum; stop one of %s", maxJobs, strings.Join(running, ", "))
	}
	l, err := start()
	if err != nil {
		return nil, err
	}
	j.last++
	b := &job{id: j.last, title: oneLine(command), line: command, began: l.run.Began(), launched: l, done: make(chan struct{})}
	j.jobs = append(j.jobs, b)
	j.notify()
	go j.watch(b)
	return b, nil
}

// watch waits for the end of a job and records it.
func (j *Jobs) watch(b *job) {
	<-b.run.Done()
	how := b.run.How()
	undone := b.end()
	j.mu.Lock()
	defer j.mu.Unlock()
	b.undone = undone
	b.state, b.failed = how.Ended, how.Code != 0
	switch {
	case b.stopped:
		b.state, b.failed = "stopped", false
	case how.Code >= 0:
		b.code = &how.Code
	}
	if how.Lost {
		b.state += ", but processes of it may still be running"
	}
	if b.input != nil {
		_ = b.input.Close()
	}
	j.dropOldest()
	close(b.done)
	j.notify()
}

// dropOldest removes the oldest finished job if there are more than keptJobs.
func (j *Jobs) dropOldest() {
	var ended []int
	for i, b := range j.jobs {
		if b.state != "" {
			ended = append(ended, i)
		}
	}
	if len(ended) > keptJobs {
		j.jobs = slices.Concat(j.jobs[:ended[0]], j.jobs[ended[0]+1:])
	}
}

func (j *Jobs) notify() {
	select {
	case j.changed <- struct{}{}:
	default:
	}
}

// find returns the job with that ID.
func (j *Jobs) find(id int) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []string
	for _, b := range j.jobs {
		if b.id == id {
			return b, nil
		}
		all = append(all, b.String())
	}
	if all == nil {
		return nil, fmt.Errorf("there is no job %d; no jobs exist", id)
	}
	return nil, fmt.Errorf("there is no job %d; the jobs are %s", id, strings.Join(all, ", "))
}

// markStopped marks a running job as stopped. reported is whether the model knows
// it.
func (j *Jobs) markStopped(id int, reported bool) (*job, error) {
	b, err := j.find(id)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.state != "" {
		return nil, fmt.Errorf("job %d has already ended: %s", id, b.state)
	}
	b.stopped, b.reported = true, reported
	return b, nil
}

// takeState returns how a job ended, "" if it runs, and marks the end as
// reported.
func (j *Jobs) takeState(b *job) (state string, failed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.state != "" {
		b.reported = true
	}
	return b.state, b.failed
}

func (b *job) String() string { return fmt.Sprintf("%d (%s)", b.id, b.title) }
