package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/tools"
)

const (
	// maxCalls is how many calls of one reply are run; the rest are answered.
	maxCalls = 32
	// sideBySide is how many calls that only read run at once.
	sideBySide = 8
)

// job is one tool call on its way to its result.
type job struct {
	msg   llm.Message
	call  tools.Call
	err   error // of Prepare: the call cannot be run
	start time.Time
	end   ToolEnd
	ran   bool // the tool did what it does, even if what it ran failed
}

// results answers every call, in the calls' order, and reports whether any of
// them worked. With a reason not to run them, that is their result.
func (t *Turn) results(ctx context.Context, calls []llm.Message, notRun string) (out []llm.Message, worked bool) {
	jobs := make([]*job, len(calls))
	for i, c := range calls {
		jobs[i] = &job{msg: c}
	}
	done := func(js ...*job) {
		for _, j := range js {
			t.finish(j)
			out = append(out, j.end.Result)
			worked = worked || j.ran
		}
	}
	for i := 0; i < len(jobs); {
		j := jobs[i]
		why := notRun
		switch {
		case why != "":
		case i >= maxCalls:
			why = fmt.Sprintf("not run: a reply may have %d calls. Ask again for this one", maxCalls)
		case ctx.Err() != nil:
			why = "not run: the person stopped the turn"
		case t.logErr != nil:
			why = "not run: the session could not be saved"
		}
		if why != "" {
			j.say(Interrupted, why)
			done(j)
			i++
			continue
		}
		t.prepare(ctx, j)
		if !t.onlyReads(j) {
			t.decideAndRun(ctx, j)
			done(j)
			i++
			continue
		}
		group := t.readers(ctx, jobs[i:min(len(jobs), maxCalls)])
		t.runTogether(ctx, group)
		done(group...)
		i += len(group)
	}
	return out, worked
}

// readers returns the jobs from the first on that only read, prepared. What one
// of them prepares cannot be changed by another.
func (t *Turn) readers(ctx context.Context, jobs []*job) []*job {
	n := 1
	for n < len(jobs) {
		t.prepare(ctx, jobs[n])
		if !t.onlyReads(jobs[n]) {
			jobs[n].call, jobs[n].err = tools.Call{}, nil // prepared again when its turn comes
			break
		}
		n++
	}
	return jobs[:n]
}

// onlyReads reports whether j may run beside others of its kind, unasked.
func (t *Turn) onlyReads(j *job) bool {
	return j.err == nil && j.call.Effect == tools.Read && !t.Judge(j.call).Ask
}

// prepare asks the tool what the call would do.
func (t *Turn) prepare(ctx context.Context, j *job) {
	i := slices.IndexFunc(t.Tools, func(tool tools.Tool) bool { return tool.Spec().Name == j.msg.Name })
	switch {
	case i < 0:
		var names []string
		for _, tool := range t.Tools {
			names = append(names, tool.Spec().Name)
		}
		j.err = fmt.Errorf("there is no tool called %q. The tools are: %s", j.msg.Name, strings.Join(names, ", "))
	case j.msg.Cut:
		j.err = errors.New("not run: the call was cut before it was whole")
	case j.msg.Raw != "":
		spec := t.Tools[i].Spec()
		j.err = fmt.Errorf("the arguments are not a JSON object (%w). The schema of %s is %s",
			notObject(j.msg.Raw), spec.Name, spec.Schema)
	default:
		j.call, j.err = prepareSafely(ctx, t.Tools[i], j.msg)
	}
}

// decideAndRun judges one call, asks the person where that is the verdict, and
// runs it if it may.
func (t *Turn) decideAndRun(ctx context.Context, j *job) {
	if j.err != nil {
		j.fail(ctx, j.err)
		return
	}
	if v := t.Judge(j.call); v.Ask {
		if t.Approve == nil {
			j.say(Refused, "refused: "+v.Why+", and nobody can be asked here. Do without it, or tell the person to allow it with --mode edits or --mode all")
			return
		}
		answer, err := t.Approve(ctx, askOf(j, v.Why, v.Scope.String()), v.Scope)
		if err != nil {
			j.say(Interrupted, "not run: the person stopped the turn before answering whether it may run")
			return
		}
		t.emit(&Decided{Meta: t.now(), ID: j.msg.ID, Decision: answer.Decision, Scope: scopeOf(answer, v.Scope.String()), Note: answer.Note})
		if answer.Decision == Refuse {
			j.say(Refused, refusal(answer.Note))
			return
		}
	}
	if t.begin(ctx, j) {
		t.run(ctx, j, t.progress(j))
	}
}

// runTogether runs calls that only read, side by side.
func (t *Turn) runTogether(ctx context.Context, jobs []*job) {
	var wg sync.WaitGroup
	places := make(chan struct{}, sideBySide)
	for _, j := range jobs {
		if !t.begin(ctx, j) {
			continue
		}
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			t.run(ctx, j, nil)
		})
	}
	wg.Wait()
}

// begin puts the intent to run on record. It reports whether the call may run.
func (t *Turn) begin(ctx context.Context, j *job) bool {
	if ctx.Err() == nil {
		j.start = t.Now()
		t.emit(&ToolStart{Meta: Meta{Time: j.start}, ID: j.msg.ID, Title: j.call.Title,
			Effect: string(j.call.Effect), Targets: targets(j.call.Targets)})
	}
	switch {
	case t.logErr != nil:
		j.say(Interrupted, "not run: the session could not be saved")
		return false
	case ctx.Err() != nil:
		j.say(Interrupted, "not run: the person stopped the turn")
		return false
	}
	return true
}

// run runs a call that may. It touches nothing but j.
func (t *Turn) run(ctx context.Context, j *job, progress func(string)) {
	r, err := runSafely(ctx, j, progress)
	if err != nil {
		j.fail(ctx, err)
		if j.end.Outcome == Interrupted && r.Text != "" {
			j.end.Result.Text = "interrupted by the person; until then:\n" + r.Text
		}
		j.end.Diffs = diffs(r.Changes)
		return
	}
	outcome := OK
	if r.IsError {
		outcome = Failed
	}
	j.ran = true
	j.say(outcome, r.Text)
	j.end.Summary, j.end.Diffs, j.end.Result.Images = r.Summary, diffs(r.Changes), r.Images
}

// progress returns what shows the output of j while it runs.
func (t *Turn) progress(j *job) func(string) {
	return func(text string) { _ = t.Emit(Progress{ID: j.msg.ID, Text: text}) } // a preview: no loss if it is not seen
}

// finish puts the result of j on record.
func (t *Turn) finish(j *job) {
	j.end.Meta = t.now()
	j.end.Title = j.title()
	j.end.Effect = string(j.call.Effect)
	if !j.start.IsZero() {
		j.end.Duration = j.end.Time.Sub(j.start)
	}
	t.emit(&j.end)
}

// title is the call in one line: the tool's own, or its bare name.
func (j *job) title() string {
	if j.call.Title != "" {
		return j.call.Title
	}
	return j.msg.Name
}

// say sets the result of j.
func (j *job) say(outcome Outcome, text string) {
	j.end.Outcome = outcome
	j.end.Result = llm.Message{Kind: llm.ToolResult, Reply: j.msg.Reply, ID: j.msg.ID, Text: text, IsError: outcome != OK}
}

// fail sets an error as the result of j; the end of ctx is the person's.
func (j *job) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		j.say(Interrupted, "interrupted by the person")
		return
	}
	j.say(Failed, err.Error())
}

// prepareSafely is Prepare with a panic made an error.
func prepareSafely(ctx context.Context, tool tools.Tool, m llm.Message) (c tools.Call, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool %s broke down (%v). Try another way", m.Name, p)
		}
	}()
	return tool.Prepare(ctx, m.Input)
}

// runSafely is Run with a panic made an error.
func runSafely(ctx context.Context, j *job, progress func(string)) (r tools.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool %s broke down (%v). Try another way", j.msg.Name, p)
		}
	}()
	return j.call.Run(ctx, tools.Approved{Changes: j.call.Changes, Progress: progress})
}

// askOf is the question whether j may run.
func askOf(j *job, why, scope string) Ask {
	return Ask{
		ID: j.msg.ID, Title: j.title(), Effect: string(j.call.Effect), Targets: targets(j.call.Targets),
		Diffs: diffs(j.call.Changes), Warnings: j.call.Warnings, Why: why, Scope: scope,
	}
}

// scopeOf is the scope that an answer grants, in words.
func scopeOf(a Answer, scope string) string {
	if a.Decision == Always {
		return scope
	}
	return ""
}

// refusal is what the model reads when the person says no.
func refusal(note string) string {
	if note == "" {
		return "refused by the person. It was not run. Do not try the same again: do without it, or ask what they want instead"
	}
	return "refused by the person, who says: " + note
}

func targets(ts []tools.Target) []Target {
	var out []Target
	for _, t := range ts {
		out = append(out, Target{Kind: string(t.Kind), Value: t.Value})
	}
	return out
}
