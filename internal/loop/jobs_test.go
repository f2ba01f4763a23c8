package loop_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// jobs implements loop.Jobs; a test starts and ends the jobs.
type jobs struct {
	mu      sync.Mutex
	list    []tools.Job
	ended   []tools.Job
	changed chan struct{}
}

func newJobs() *jobs { return &jobs{changed: make(chan struct{}, 1)} }

func (j *jobs) List() []tools.Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]tools.Job(nil), j.list...)
}

func (j *jobs) Stop(id int) error {
	if id > len(j.List()) {
		return errors.New("there is no job 9")
	}
	j.end(id, "stopped")
	return nil
}

func (j *jobs) Changed() <-chan struct{} { return j.changed }

func (j *jobs) Ended() []tools.Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := j.ended
	j.ended = nil
	return out
}

func (j *jobs) begin(title string) {
	j.mu.Lock()
	j.list = append(j.list, tools.Job{ID: len(j.list) + 1, Title: title})
	j.mu.Unlock()
	j.tell()
}

func (j *jobs) end(id int, state string) {
	j.mu.Lock()
	j.list[id-1].State = state
	j.ended = append(j.ended, j.list[id-1])
	j.mu.Unlock()
	j.tell()
}

func (j *jobs) NewTurn() {}

func (j *jobs) tell() {
	select {
	case j.changed <- struct{}{}:
	default:
	}
}

// The model gets the end of a job once, with its next step: within a turn or at the
// beginning of one.
func TestModelGetsEndsOfJobs(t *testing.T) {
	j := newJobs()
	begin := tool("begin", tools.Execute, func(context.Context, string) (string, error) {
		j.begin("make test")
		j.begin("npm run dev")
		j.end(1, "exit 2")
		return "begun", nil
	})
	p := script.New(script.Call("c1", "begin", args("a")), script.Say("done"), script.Say("again"))
	o := options(p, begin)
	o.Workspace.Jobs = j
	play(t, o, []string{"go", "and now"}, func(e event.Event) []event.Command {
		if end, ok := e.(*event.TurnEnd); ok && end.Steps == 2 {
			j.end(2, "killed")
		}
		return nil
	})
	want := dedent(`
		user "go"
		call c1 begin {"text":"a"}
		result c1 "begun"
		user "[Job 1 (make test) ended: exit 2. Read its output with jobs.]"
		assistant "done"
		user "[Job 2 (npm run dev) ended: killed. Read its output with jobs.]"
		user "and now"`)
	if d := cmp.Diff(conversation(p.Requests()[2]), want); d != "" {
		t.Error(d)
	}
}

// The user sees changes of jobs while no turn runs, and can stop a job.
func TestJobsAreShown(t *testing.T) {
	j := newJobs()
	j.begin("npm run dev")
	o := options(script.New())
	o.Workspace.Jobs = j
	commands, events := make(chan event.Command, 4), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(t.Context(), commands, events)
	var got []string
	for e := range events {
		switch e := e.(type) {
		case event.JobsNow:
			got = append(got, fmt.Sprintf("%d %s %q", e.Jobs[0].ID, e.Jobs[0].Title, e.Jobs[0].State))
			if len(got) == 1 {
				commands <- event.StopJob{ID: 1}
			} else {
				commands <- event.StopJob{ID: 9}
			}
		case event.Notice:
			got = append(got, e.Text)
			close(commands)
		}
	}
	if d := cmp.Diff(got, []string{`1 npm run dev ""`, `1 npm run dev "stopped"`, "there is no job 9"}); d != "" {
		t.Error(d)
	}
}
