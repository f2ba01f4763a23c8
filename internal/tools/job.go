package tools

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/tools/shell"
)

const (
	maxJobs   = 16 // that run at the same time
	endedJobs = 16 // that have ended and are remembered
)

// Job is a command that runs in the background, or did.
type Job struct {
	ID    int       // from 1 on, never used twice
	Title string    // its command in one printable line
	Began time.Time // when the command was started
	// State is how it ended, in words ("exit 1", "stopped"); empty while it runs.
	State string
	Lines int64 // that it has written so far
}

// Jobs are the commands in the background. Tools start them. None survives
// Close, nor this program. It is safe for concurrent use.
type Jobs struct {
	changed chan struct{}

	mu     sync.Mutex
	last   int    // the id given last
	jobs   []*job // oldest first
	closed bool
}

// job is one of Jobs. What may change is guarded by the mutex of those.
type job struct {
	id    int
	title string
	began time.Time
	run   *shell.Running
	input *os.File      // what goes to its input; nil if nothing can
	over  chan struct{} // closed when state says how it ended

	state   string
	failed  bool // it ended in another way than with exit code 0, or being stopped
	stopped bool // somebody wanted it to end
	known   bool // the model knows that it has ended
}

// NewJobs returns an empty collection. The caller closes it.
func NewJobs() *Jobs { return &Jobs{changed: make(chan struct{}, 1)} }

// Changed holds a token whenever a job was started or has ended since it was
// last received from.
func (j *Jobs) Changed() <-chan struct{} { return j.changed }

// List returns the jobs that run, and those that have ended lately, oldest first.
func (j *Jobs) List() []Job { return j.choose(func(*job) bool { return true }) }

// Ended returns the jobs that have ended without the model's knowing, each once.
func (j *Jobs) Ended() []Job {
	return j.choose(func(b *job) bool {
		news := b.state != "" && !b.known
		b.known = b.known || news
		return news
	})
}

// choose returns the jobs for which ok returns true, oldest first.
func (j *Jobs) choose(ok func(*job) bool) []Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []Job
	for _, b := range j.jobs {
		if ok(b) {
			out = append(out, Job{ID: b.id, Title: b.title, Began: b.began, State: b.state, Lines: b.run.Lines()})
		}
	}
	return out
}

// Stop ends a job and waits until it has ended, no longer than two seconds as a
// rule. The model is told by Ended.
func (j *Jobs) Stop(id int) error {
	b, err := j.running(id, false)
	if err != nil {
		return err
	}
	b.run.Stop()
	<-b.over
	return nil
}

// Close ends all jobs and waits until they have. None can be started then.
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
		<-b.over
	}
}

var errClosed = errors.New("the session is about to end, so nothing is started in the background any more")

// begin makes a job of what start starts, or has started. Its input may be nil.
// Where there is no room, start is not called.
func (j *Jobs) begin(command string, start func() (*shell.Running, *os.File, error)) (*job, error) {
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
		return nil, fmt.Errorf("%d jobs run already, and there can be no more: stop one of %s", maxJobs, strings.Join(running, ", "))
	}
	run, input, err := start()
	if err != nil {
		return nil, err
	}
	j.last++
	b := &job{id: j.last, title: oneLine(command), began: run.Began(), run: run, input: input, over: make(chan struct{})}
	j.jobs = append(j.jobs, b)
	j.tell()
	go j.see(b)
	return b, nil
}

// see waits for the end of a job.
func (j *Jobs) see(b *job) {
	<-b.run.Done()
	how := b.run.How()
	j.mu.Lock()
	defer j.mu.Unlock()
	b.state, b.failed = how.Ended, how.Code != 0
	if b.stopped {
		b.state, b.failed = "stopped", false
	}
	if how.Lost {
		b.state += ", but something of it may be running yet"
	}
	if b.input != nil {
		_ = b.input.Close()
	}
	j.forget()
	close(b.over)
	j.tell()
}

// forget drops the oldest job that has ended, where there are many.
func (j *Jobs) forget() {
	var ended []int
	for i, b := range j.jobs {
		if b.state != "" {
			ended = append(ended, i)
		}
	}
	if len(ended) > endedJobs {
		j.jobs = slices.Concat(j.jobs[:ended[0]], j.jobs[ended[0]+1:])
	}
}

func (j *Jobs) tell() {
	select {
	case j.changed <- struct{}{}:
	default:
	}
}

// find returns a job that is remembered.
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
		return nil, fmt.Errorf("there is no job %d, nor any other", id)
	}
	return nil, fmt.Errorf("there is no job %d: there are %s", id, strings.Join(all, ", "))
}

// running returns a job that is about to be stopped, by the model if known.
func (j *Jobs) running(id int, known bool) (*job, error) {
	b, err := j.find(id)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.state != "" {
		return nil, fmt.Errorf("job %d has ended already: %s", id, b.state)
	}
	b.stopped, b.known = true, known
	return b, nil
}

// end returns how a job has ended, "" if it runs, and notes that the model knows.
func (j *Jobs) end(b *job) (state string, failed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.state != "" {
		b.known = true
	}
	return b.state, b.failed
}

func (b *job) String() string { return fmt.Sprintf("%d (%s)", b.id, b.title) }
