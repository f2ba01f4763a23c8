package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/shell/checks"
)

//go:embed jobs.md
var jobsText string

const (
	maxWait     = 60                     // seconds
	startGrace  = 500 * time.Millisecond // time for a broken command to fail
	startMax    = 2 * time.Second        // time for the first output or the port of a server
	startPoll   = 100 * time.Millisecond // how often the ports are looked at
	sendTimeout = 2 * time.Second        // time for a job to read a line
)

type jobsArgs struct {
	Action  string `json:"action" enum:"start,list,read,send,stop"`
	Command string `json:"command,omitempty"`
	ID      int    `json:"id,omitempty" jsonschema:"job number"`
	Input   string `json:"input,omitempty" jsonschema:"for send: one line"`
	Wait    int    `json:"wait_seconds,omitempty" jsonschema:"for read: at most 60"`
	Access  string `json:"access,omitempty" jsonschema:"as in shell"`
}

// prepareJob prepares a call of the jobs tool.
func (s *shellTool) prepareJob(_ context.Context, a jobsArgs) (Call, error) {
	if err := checkCopiedCommand(a.Command + a.Input); err != nil {
		return Call{}, err
	}
	switch a.Action {
	case "start":
		if err := checkCommand(a.Command); err != nil {
			return Call{}, err
		}
		at := s.nextDir()
		effective, err := startedCommand(a)
		if err != nil {
			return Call{}, err
		}
		request, err := parseAccess(a.Access, at.dir)
		if err != nil {
			return Call{}, err
		}
		return Call{
			Title: "start job " + oneLine(a.Command), Effect: Execute, Targets: []Target{{Kind: Command, Value: a.Command, Dir: at.dir}},
			Instead:   insteadOfCommand,
			Request:   request,
			Alone:     true, // its job is there for the next calls
			Effective: effective,
			Run:       func(ctx context.Context, ok Approved) (Result, error) { return s.start(ctx, a, at, ok) },
		}, nil
	case "list":
		return Call{Title: "list jobs", Effect: Read, Run: func(context.Context, Approved) (Result, error) { return s.jobs.listJobs(), nil }}, nil
	}
	b, err := s.jobs.find(a.ID)
	if err != nil {
		return Call{}, err
	}
	switch a.Action {
	case "read":
		return Call{Title: "read job " + b.String(), Effect: Read, Run: func(ctx context.Context, _ Approved) (Result, error) { return s.readJob(ctx, b, a.Wait) }}, nil
	case "stop":
		return Call{Title: "stop job " + b.String(), Effect: Read, Run: func(ctx context.Context, ok Approved) (Result, error) {
			r, err := s.jobs.stop(ctx, b, ok.Force)
			r.Blocked = nil
			return r, err
		}}, nil
	}
	if strings.ContainsAny(a.Input, "\n\r") {
		return Call{}, errors.New("input has several lines; send one line per call")
	}
	return Call{
		Title: fmt.Sprintf("send to job %d: %s", b.id, oneLine(a.Input)), Effect: Execute,
		Targets: []Target{{Kind: Command, Value: fmt.Sprintf("job %d < %s", b.id, a.Input)}},
		Instead: insteadOfCommand,
		Run:     func(context.Context, Approved) (Result, error) { return b.send(a.Input) },
	}, nil
}

// startedCommand returns the call of shell that starting a job is in effect.
func startedCommand(a jobsArgs) (*Effective, error) {
	type command struct {
		Command string `json:"command"`
		Access  string `json:"access,omitempty"`
	}
	args, err := json.Marshal(command{a.Command, a.Access})
	return &Effective{Tool: "shell", Arguments: args, Wrap: func(args json.RawMessage) (json.RawMessage, error) {
		var changed command
		if err := json.Unmarshal(args, &changed); err != nil {
			return nil, err
		}
		a.Command, a.Access = changed.Command, changed.Access
		return json.Marshal(a)
	}}, err
}

// start starts a command in the background. It waits until a server accepts connections,
// at most as awaitStart does, or for the end as long as the model asked for.
func (s *shellTool) start(ctx context.Context, a jobsArgs, at location, ok Approved) (Result, error) {
	note, err := s.checkDir(ctx, at)
	if err != nil {
		return Result{}, err
	}
	b, err := s.jobs.add(a.Command, func() (launched, error) {
		theirs, ours, err := os.Pipe()
		if err != nil {
			return launched{}, fmt.Errorf("create a pipe for the input: %w", err)
		}
		defer theirs.Close()
		c := s.approved(a.Command, at, ok)
		c.Input = theirs
		l, err := s.launch(ctx, c, ok)
		if err != nil {
			return l, errors.Join(err, ours.Close())
		}
		l.input, l.ports = ours, l.run.Listeners()
		return l, nil
	})
	if err != nil {
		return Result{}, fmt.Errorf("%w; the command did not run", err)
	}
	wait := time.Duration(a.Wait) * time.Second
	if a.Wait == 0 {
		b.awaitStart(ctx)
	}
	r, err := s.jobs.read(ctx, b, wait)
	if r.Blocked == nil {
		r.Blocked = s.offerNetwork(b, a.Wait)
	}
	r.Text = note + r.Text
	r.Summary, r.Job = fmt.Sprintf("job %d · %s", b.id, r.Summary), b.id
	return r, err
}

// awaitStart returns when the job has ended, or accepts connections, or has written output
// after startGrace, at the latest after startMax.
func (b *job) awaitStart(ctx context.Context) {
	began := time.Now()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		select {
		case <-b.done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		passed := time.Since(began)
		if passed >= startMax || passed >= startGrace && b.run.Lines() > 0 || len(b.servers()) > 0 {
			return
		}
	}
}

// listJobs lists the jobs.
func (j *Jobs) listJobs() Result {
	jobs := j.List()
	var text strings.Builder
	var times []string
	running := 0
	for _, b := range jobs {
		state := b.State
		if state == "" {
			running++
			state = "running for " + seconds(time.Since(b.Began).Round(time.Second))
			times = append(times, state)
		}
		fmt.Fprintf(&text, "%d  %s · %s · %s\n", b.ID, state, phrase.Count(int(b.Lines), "line"), b.Title)
	}
	if text.Len() == 0 {
		text.WriteString("no background jobs\n")
	}
	return Result{Text: text.String(), References: times, Summary: fmt.Sprintf("%d running, %d ended", running, len(jobs)-running)}
}

// read waits for the end of a job, at most wait, and returns its new output.
func (j *Jobs) read(ctx context.Context, b *job, wait time.Duration) (Result, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-b.done:
	case <-timer.C:
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	return j.report(b), nil
}

// report returns the new output and the state of a job for the model.
func (j *Jobs) report(b *job) Result {
	state, failed := j.takeState(b) // before Take: the output is complete only if the job has ended
	text, cut := b.run.Take()
	how := runningJob
	end := "still running after " + seconds(time.Since(b.began).Round(time.Second))
	if state != "" {
		how, end = state, "ended: "+state
	}
	if text == "" {
		text = noNewOutput
	}
	text = phrase.EndLine(text)
	r := Result{Summary: how + " · " + phrase.Count(int(b.run.Lines()), "line"), IsError: failed}
	if cut {
		file := outputFileNote(b.run.Whole(), b.run.Lines())
		text, r.References = text+file, append(r.References, file)
	}
	switch {
	case state == "":
		text += j.serverNote(b)
	default:
		if failed {
			r.Blocked = b.blocked(text, b.run.How().Code)
		}
		text += undoneNote(b.undone) + r.Blocked.note()
		r.Summary += undoneSummary(b.undone)
	}
	end = fmt.Sprintf("[job %d %s]\n", b.id, end)
	r.Text, r.References = text+end, append(r.References, end)
	return r
}

// serverNote returns the note on the servers of a job, if the model does not know of them.
func (j *Jobs) serverNote(b *job) string {
	ports := b.servers()
	j.mu.Lock()
	defer j.mu.Unlock()
	if slices.Equal(ports, b.told) {
		return ""
	}
	b.told = ports
	return serverNote(ports)
}

// runningJob begins the Summary of a job that has not ended.
const runningJob = "running"

// noNewOutput stands for the output of a job that has written nothing.
const noNewOutput = "[no new output]\n"

// stop stops a job and returns its last output.
func (j *Jobs) stop(ctx context.Context, b *job, force <-chan struct{}) (Result, error) {
	if _, err := j.markStopped(b.id, true); err != nil {
		return Result{}, advice.Add(err, "Use the action read for its output")
	}
	b.run.Stop()
	select {
	case <-b.done:
	case <-force:
		b.run.Kill()
		<-b.done
	}
	return j.report(b), ctx.Err()
}

// killNote says how to stop the running jobs, after a command that may have tried to kill them,
// as the sandbox prevents that. A nil j has no jobs.
func (j *Jobs) killNote(command string) string {
	if !j.running() || !checks.Kills(command) {
		return ""
	}
	note := ""
	for _, b := range j.filter(func(b *job) bool { return b.state == "" }) {
		note += fmt.Sprintf("[stop job %d (%s) with jobs (action stop, id %d), not with kill]\n", b.ID, b.Title, b.ID)
	}
	return note
}

// send writes a line to the input of a job.
func (b *job) send(line string) (Result, error) {
	if b.input == nil {
		return Result{}, advice.Add(fmt.Errorf("job %d has no input, because it was started by shell", b.id), "Stop it, and start it with the action start")
	}
	_ = b.input.SetWriteDeadline(time.Now().Add(sendTimeout))
	n, err := b.input.WriteString(line + "\n")
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Result{}, fmt.Errorf("job %d does not read its input: it took %d of %d bytes in %s", b.id, n, len(line)+1, seconds(sendTimeout))
	case err != nil:
		return Result{}, advice.Add(fmt.Errorf("job %d has closed its input", b.id), "Use the action read for its output")
	}
	return Result{Text: fmt.Sprintf("[sent to job %d. Use the action read for its response]\n", b.id), Summary: "sent"}, nil
}
