package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tools/shell"
)

//go:embed jobs.md
var jobsText string

const (
	maxWait = 60                     // seconds
	first   = 500 * time.Millisecond // in which a job that cannot run has said so
	sending = 2 * time.Second        // for a job to take a line
)

type jobsArgs struct {
	Action  string `json:"action" jsonschema:"start, list, read, send or stop"`
	Command string `json:"command,omitempty" jsonschema:"start: what to run in the background"`
	ID      int    `json:"id,omitempty" jsonschema:"read, send, stop: the number of the job"`
	Input   string `json:"input,omitempty" jsonschema:"send: one line for the job to read, without its end"`
	Wait    int    `json:"wait_seconds,omitempty" jsonschema:"read: wait for the job to end, at most so long, from 1 to 60; not at all if it is not given"`
}

// prepareJob prepares a call of the tool for commands in the background.
func (s *shellTool) prepareJob(_ context.Context, a jobsArgs) (Call, error) {
	switch a.Action {
	case "start":
		if err := checkCommand(a.Command); err != nil {
			return Call{}, err
		}
		at := s.where()
		return Call{
			Title: "start job " + oneLine(a.Command), Effect: Execute, Targets: []Target{{Kind: Command, Value: a.Command, Dir: at.dir}},
			Run: func(ctx context.Context, _ Approved) (Result, error) { return s.start(ctx, a.Command, at) },
		}, nil
	case "list":
		return Call{Title: "list jobs", Effect: Read, Run: func(context.Context, Approved) (Result, error) { return s.jobs.table(), nil }}, nil
	case "read", "send", "stop":
	default:
		return Call{}, fmt.Errorf("there is no action %q: use start, list, read, send or stop", a.Action)
	}
	b, err := s.jobs.find(a.ID)
	if err != nil {
		return Call{}, err
	}
	switch a.Action {
	case "read":
		if a.Wait < 0 || a.Wait > maxWait {
			return Call{}, fmt.Errorf("wait_seconds is %d: it must be from 1 to %d", a.Wait, maxWait)
		}
		return Call{Title: "read job " + b.String(), Effect: Read, Run: func(ctx context.Context, _ Approved) (Result, error) {
			return s.jobs.read(ctx, b, time.Duration(a.Wait)*time.Second)
		}}, nil
	case "stop":
		return Call{Title: "stop job " + b.String(), Effect: Read, Run: func(ctx context.Context, ok Approved) (Result, error) {
			return s.jobs.stop(ctx, b, ok.Force)
		}}, nil
	}
	if strings.ContainsAny(a.Input, "\n\r") {
		return Call{}, errors.New("input is one line: send one at a time")
	}
	return Call{
		Title: fmt.Sprintf("send to job %d: %s", b.id, oneLine(a.Input)), Effect: Execute,
		Targets: []Target{{Kind: Command, Value: fmt.Sprintf("job %d < %s", b.id, a.Input)}},
		Run:     func(context.Context, Approved) (Result, error) { return b.send(a.Input) },
	}, nil
}

// start starts a command in the background, and waits a moment to see whether
// it does run.
func (s *shellTool) start(ctx context.Context, command string, at location) (Result, error) {
	note, err := s.enter(ctx, at)
	if err != nil {
		return Result{}, err
	}
	b, err := s.jobs.begin(command, func() (*shell.Running, *os.File, error) {
		theirs, ours, err := os.Pipe()
		if err != nil {
			return nil, nil, fmt.Errorf("make a pipe for its input: %w", err)
		}
		defer theirs.Close()
		c := s.command(command, at.dir)
		c.Input, c.Whole = theirs, s.Workspace.OutputFile()
		r, err := shell.Start(c)
		if err != nil {
			return nil, nil, errors.Join(err, ours.Close())
		}
		return r, ours, nil
	})
	if err != nil {
		return Result{}, fmt.Errorf("%w. The command did not run", err)
	}
	r, err := s.jobs.read(ctx, b, first)
	r.Text = fmt.Sprintf("[job %d]\n", b.id) + note + r.Text
	r.Summary = fmt.Sprintf("job %d · %s", b.id, r.Summary)
	return r, err
}

// table lists the jobs.
func (j *Jobs) table() Result {
	jobs := j.List()
	var text strings.Builder
	running := 0
	for _, b := range jobs {
		state := b.State
		if state == "" {
			running++
			state = "running for " + seconds(time.Since(b.Began).Round(time.Second))
		}
		fmt.Fprintf(&text, "%d  %s · %s · %s\n", b.ID, state, phrase.Count(int(b.Lines), "line"), b.Title)
	}
	if text.Len() == 0 {
		text.WriteString("nothing runs in the background, and nothing did\n")
	}
	return Result{Text: text.String(), Summary: fmt.Sprintf("%d running, %d ended", running, len(jobs)-running)}
}

// read returns what a job has written since it was last read, and waits for its
// end first.
func (j *Jobs) read(ctx context.Context, b *job, wait time.Duration) (Result, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-b.over:
	case <-timer.C:
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	return j.report(b), nil
}

// report is what the model reads of a job: what it does not know yet.
func (j *Jobs) report(b *job) Result {
	state, failed := j.end(b) // before the output, which is whole only if it has ended by then
	text, cut := b.run.Take()
	how := "running"
	end := "still running after " + seconds(time.Since(b.began).Round(time.Second))
	if state != "" {
		how, end = state, "ended: "+state
	}
	if text == "" {
		text = "[no new output]\n"
	}
	text = ended(text)
	if cut {
		text += fileNote(b.run.Whole(), b.run.Lines())
	}
	return Result{
		Text:    fmt.Sprintf("%s[job %d %s]\n", text, b.id, end),
		Summary: how + " · " + phrase.Count(int(b.run.Lines()), "line"),
		IsError: failed,
	}
}

// stop ends a job, and tells the model what it wrote last.
func (j *Jobs) stop(ctx context.Context, b *job, force <-chan struct{}) (Result, error) {
	if _, err := j.running(b.id, true); err != nil {
		return Result{}, fmt.Errorf("%w. Read its output with the action read", err)
	}
	b.run.Stop()
	select {
	case <-b.over:
	case <-force:
		b.run.Kill()
		<-b.over
	}
	return j.report(b), ctx.Err()
}

// send gives a job a line to read.
func (b *job) send(line string) (Result, error) {
	if b.input == nil {
		return Result{}, fmt.Errorf("job %d has nothing to read from: it began as a shell command. Stop it, and start it with the action start", b.id)
	}
	_ = b.input.SetWriteDeadline(time.Now().Add(sending))
	n, err := b.input.WriteString(line + "\n")
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Result{}, fmt.Errorf("job %d does not read: it took %d of %d bytes in %s", b.id, n, len(line)+1, seconds(sending))
	case err != nil:
		return Result{}, fmt.Errorf("job %d does not read any more. Read its output with the action read", b.id)
	}
	return Result{Text: fmt.Sprintf("[job %d was sent the line. Read what it says to it with the action read]\n", b.id), Summary: "sent"}, nil
}
