// Package evidence records which checks ran in a turn, how they ended as far as
// exit codes prove it, and what was changed since: tests, builds, linters and
// formatters among the commands of the model and the user, and the configured
// checks. It is the only place that decides what a check is. It never reads what
// the model says. Start reading at Ledger.
package evidence

import (
	"cmp"
	"context"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/shell/checks"
)

const (
	maxChecks = 40  // of an event.Evidence
	maxFiles  = 100 // of an event.Evidence
	maxText   = 400 // bytes of a command or a report
)

// Jobs lists the background jobs.
type Jobs interface{ List() []tools.Job }

// Ledger records the checks and changes of a turn. It is a tools.RunInterceptor and
// must be the first, so that it sees the complete result. It is safe for concurrent
// use.
type Ledger struct {
	dir  string // the workspace
	jobs Jobs
	now  func() time.Time

	mu    sync.Mutex
	clock int // counts the beginnings and ends of calls
	from  int // when the turn began
	// edits holds when each file was last changed by a tool.
	edits    map[string]int
	commands []*command // those that may change files
	checks   []*run
}

// command is a command that may change files.
type command struct {
	began, ended int // math.MaxInt while it runs
	job          int // its background job; 0 if it is none
}

// run is a run of a check.
type run struct {
	event.CheckRun
	check check
	began int
	job   int      // its background job; 0 if it is none
	own   *command // that it is a part of; nil if that changes no files
	after bool     // own may change files while or after it runs
}

// New returns an empty ledger of the workspace dir. Now is the clock.
func New(dir string, jobs Jobs, now func() time.Time) *Ledger {
	return &Ledger{dir: dir, jobs: jobs, now: now, edits: map[string]int{}}
}

// run records a call of an agent.
func (l *Ledger) run(ctx context.Context, agent string, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	var at *command
	var runs []*run
	if c.Effect == tools.Execute {
		at, runs = l.begin(agent, in, c)
	}
	r, err := next(ctx, c, ok)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clock++
	for _, ch := range r.Changes {
		l.edits[filepath.ToSlash(ch.Path)] = l.clock
	}
	if at != nil {
		l.end(at, runs, r, err, ctx.Err() != nil)
	}
	l.addConfigured(agent, r.Checked)
	return r, err
}

// begin records the beginning of a command of an agent, with the checks in it.
func (l *Ledger) begin(agent string, in tools.Info, c tools.Call) (*command, []*run) {
	at := &command{ended: math.MaxInt}
	var scripts []script
	changes := true
	for _, t := range c.Targets {
		if t.Kind == tools.Command {
			s := recognize(t.Value, t.Dir)
			changes = changes && len(scripts) > 0 || s.changes
			scripts = append(scripts, s)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clock++
	at.began = l.clock
	if changes {
		l.commands = append(l.commands, at)
	}
	var runs []*run
	for _, s := range scripts {
		for _, k := range s.checks {
			r := &run{CheckRun: event.CheckRun{
				Kind: k.kind, Command: phrase.Clip(k.command, maxText), Dir: l.relative(k.dir, k.where), Outcome: event.CheckRunning, Began: l.now(), Agent: agent,
			}, check: k, began: l.clock, own: at, after: k.after}
			if in.Step == 0 {
				r.By = event.ByUser
			}
			runs = append(runs, r)
		}
	}
	l.checks = append(l.checks, runs...)
	return at, runs
}

// end records the end of a command. Stopped is set if the user interrupted it.
func (l *Ledger) end(at *command, runs []*run, r tools.Result, err error, stopped bool) {
	if err != nil && !stopped { // it did not run
		at.ended = 0
		l.checks = slices.DeleteFunc(l.checks, func(c *run) bool { return slices.Contains(runs, c) })
		return
	}
	if at.job = r.Job; r.Job == 0 {
		at.ended = l.clock
	}
	how, _, _ := strings.Cut(r.Summary, " · ")
	for _, c := range runs {
		c.Report, c.job = lastLine(r.Text), r.Job
		switch {
		case stopped:
			c.Outcome = event.CheckInterrupted
		case r.Job == 0:
			c.finish(r.ExitCode, how)
			c.finishPart(r.Codes)
			l.addReported(c, r.Ended)
		}
	}
}

// addReported sets the outcome of a run from the exit codes that it reported. A check that ran several
// times, as in a loop, becomes several runs.
func (l *Ledger) addReported(c *run, ended []checks.Ended) {
	if c.check.silent {
		return
	}
	first := *c
	at := slices.Index(l.checks, c)
	n := 0
	for _, e := range ended {
		if e.At != c.check.at {
			continue
		}
		if n > 0 {
			next := first
			c = &next
			l.checks = slices.Insert(l.checks, at+n, c)
		}
		n++
		c.Command, c.Dir = phrase.Clip(e.Text, maxText), l.relative(e.Dir, "")
		c.Code = &e.Code
		c.Outcome, c.Why = reported(e.Code)
	}
}

// reported returns how a check ended that itself exited with code.
func reported(code int) (event.CheckOutcome, string) {
	switch code - 128 {
	case 13: // SIGPIPE: it wrote more than the next part read
		return event.CheckRan, whyPipe
	case 1, 2, 3, 9, 15: // SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM
		return event.CheckInterrupted, ""
	}
	return proof{zero: true, fail: true, runs: true}.outcome(code)
}

// finish sets the outcome of a run. Code is the exit code of its command; without
// one, how says how that ended.
func (c *run) finish(code *int, how string) {
	c.Code = code
	if code == nil {
		c.Outcome, c.Why = event.CheckInterrupted, how
		return
	}
	c.Outcome, c.Why = c.check.proof.outcome(*code)
}

// finishPart sets the outcome of a run that was a part of a pipeline, from the exit codes of all
// parts. Without them the outcome stays. A part that wrote more than the next one read proves nothing.
func (c *run) finishPart(codes []int) {
	const sigpipe = 128 + 13
	part := c.check.part
	if part == 0 || part > len(codes) || codes[part-1] == sigpipe {
		return
	}
	c.Code = &codes[part-1]
	c.Outcome, c.Why = reported(*c.Code)
}

// Exit codes of a shell that cannot run a program.
const (
	cannotRun = 126
	notFound  = 127
)

// outcome returns how a part of a script ended whose exit code is code.
func (p proof) outcome(code int) (o event.CheckOutcome, why string) {
	switch {
	case code == 0 && p.zero:
		return event.CheckPassed, ""
	case code == cannotRun, code == notFound:
		return event.CheckUnknown, "a program could not be run"
	case code != 0 && p.fail:
		return event.CheckFailed, ""
	case p.runs:
		return event.CheckRan, p.why
	}
	return event.CheckUnknown, p.why
}

// addConfigured records configured checks that ran after the changes of a call.
func (l *Ledger) addConfigured(agent string, all []tools.Checked) {
	for _, k := range all {
		l.clock++
		c := &run{CheckRun: event.CheckRun{
			Kind: event.CheckOther, Command: phrase.OneLine(k.Command, maxText), Report: lastLine(k.Output),
			Began: k.Began, By: event.ByConfiguration, Agent: agent,
		}, began: l.clock, check: check{proof: proof{zero: true, fail: true, runs: true}}}
		s := recognize(k.Command, l.dir)
		if len(s.checks) == 1 {
			c.Kind = s.checks[0].kind
			if s.checks[0].proof.why == whyNoProof {
				c.check.proof = s.checks[0].proof
			}
		}
		if s.changes {
			c.own, c.after = &command{began: l.clock, ended: l.clock}, true
			l.commands = append(l.commands, c.own)
		}
		c.finish(k.ExitCode, k.Ended)
		l.checks = append(l.checks, c)
	}
}

// End returns the evidence of the turn, nil if nothing was checked or edited, and
// begins the next turn. Runs that have not ended become part of the next turn too.
func (l *Ledger) End() *event.Evidence {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.collectJobs()
	e := l.evidence()
	l.checks = slices.DeleteFunc(l.checks, func(c *run) bool { return c.Outcome != event.CheckRunning })
	l.commands = slices.DeleteFunc(l.commands, func(c *command) bool { return len(l.checks) == 0 && c.ended < math.MaxInt })
	l.clock++
	l.from = l.clock
	return e
}

// collectJobs reads the ends of background jobs.
func (l *Ledger) collectJobs() {
	ended := map[int]tools.Job{}
	running := map[int]bool{}
	for _, j := range l.jobs.List() {
		if j.State != "" {
			ended[j.ID] = j
		} else {
			running[j.ID] = true
		}
	}
	l.clock++
	for _, c := range l.commands {
		if c.job > 0 && !running[c.job] {
			c.ended, c.job = l.clock, 0
		}
	}
	for _, c := range l.checks {
		if c.Outcome != event.CheckRunning || c.job == 0 || running[c.job] {
			continue
		}
		if j, ok := ended[c.job]; ok {
			c.finish(j.Code, j.State)
		} else {
			c.Outcome, c.Why = event.CheckUnknown, "the end of its job is not known"
		}
	}
}

// evidence returns the evidence of the turn; nil if there is none.
func (l *Ledger) evidence() *event.Evidence {
	e := &event.Evidence{}
	for _, name := range slices.Sorted(maps.Keys(l.edits)) {
		if l.edits[name] <= l.from {
			continue
		}
		if e.Edited++; e.Edited <= maxFiles {
			e.Files = append(e.Files, name)
		}
	}
	for _, c := range l.commands {
		if c.began > l.from && c.ended > 0 {
			e.Commands++
		}
	}
	news := e.Edited > 0
	for i, c := range l.checks {
		if slices.ContainsFunc(l.checks[i+1:], c.replacedBy) {
			continue // it ran again
		}
		news = news || c.began > l.from || c.Outcome != event.CheckRunning
		e.Checks = append(e.Checks, l.since(c))
	}
	if !news {
		return nil
	}
	e.Omitted = max(len(e.Checks)-maxChecks, 0)
	e.Checks = e.Checks[e.Omitted:]
	return e
}

// since returns a run with what was changed since it began.
func (l *Ledger) since(c *run) event.CheckRun {
	out := c.CheckRun
	for _, at := range l.edits {
		if at > c.began {
			out.EditedSince++
		}
	}
	for _, o := range l.commands {
		if o.ended > c.began && (o != c.own || c.after) {
			out.CommandsSince++
		}
	}
	return out
}

// relative returns dir relative to the workspace; empty for the workspace itself, and
// a directory outside it as it is. Where is the name of a directory that is not known.
func (l *Ledger) relative(dir, where string) string {
	if dir == "" {
		return cmp.Or(phrase.Clip(where, maxText), "an unknown directory")
	}
	rel, err := filepath.Rel(l.dir, dir)
	switch {
	case err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)):
		return filepath.ToSlash(dir)
	case rel == ".":
		return ""
	}
	return filepath.ToSlash(rel)
}

// lastLine returns the last line of an output that is no note of the program.
func lastLine(text string) string {
	lines := strings.Split(text, "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "[") {
			return phrase.Clip(line, maxText)
		}
	}
	return ""
}
