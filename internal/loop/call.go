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
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/window"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

const (
	// maxCalls is how many calls of one reply are run; the rest are answered.
	maxCalls = 32
	// sideBySide is how many calls that only read run at once.
	sideBySide = 8
)

// untilThen stands above what a call said that was interrupted.
const untilThen = "interrupted by the person; until then:\n"

// toolCall is one tool call on its way to its result.
type toolCall struct {
	msg   llm.Message
	call  tools.Call
	err   error // of Prepare: the call cannot be run
	alone bool  // it runs beside no other, whatever it does
	start time.Time
	end   event.ToolEnd
	reads []workspace.Reading // what the model knows of files with its result
	ran   bool                // the tool did what it does, even if what it ran failed
}

// results answers every call, in the calls' order, and reports whether any of
// them worked. With a reason not to run them, that is their result.
func (t *Turn) results(ctx context.Context, msgs []llm.Message, notRun string) (out []llm.Message, worked bool) {
	calls := make([]*toolCall, len(msgs))
	for i, m := range msgs {
		calls[i] = &toolCall{msg: m}
	}
	done := func(cs ...*toolCall) {
		for _, c := range cs {
			t.finish(c)
			out = append(out, c.end.Result)
			worked = worked || c.ran
		}
	}
	for i := 0; i < len(calls); {
		c := calls[i]
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
			c.say(event.Interrupted, why)
			done(c)
			i++
			continue
		}
		t.prepare(ctx, c)
		if !t.onlyReads(ctx, c) {
			t.decideAndRun(ctx, c)
			done(c)
			i++
			continue
		}
		group := t.readers(ctx, calls[i:min(len(calls), maxCalls)])
		t.runTogether(ctx, group)
		done(group...)
		i += len(group)
	}
	return out, worked
}

// readers returns the calls from the first on that only read, prepared. What one
// of them prepares cannot be changed by another.
func (t *Turn) readers(ctx context.Context, calls []*toolCall) []*toolCall {
	n := 1
	for n < len(calls) {
		t.prepare(ctx, calls[n])
		if !t.onlyReads(ctx, calls[n]) {
			calls[n].call, calls[n].err = tools.Call{}, nil // prepared again when its turn comes
			break
		}
		n++
	}
	return calls[:n]
}

// onlyReads reports whether c may run beside others of its kind, unasked.
func (t *Turn) onlyReads(ctx context.Context, c *toolCall) bool {
	return c.err == nil && !c.alone && c.call.Effect == tools.Read && !t.Judge(ctx, c.call).Ask
}

// prepare asks the tool what the call would do.
func (t *Turn) prepare(ctx context.Context, c *toolCall) {
	i := slices.IndexFunc(t.Tools, func(tool tools.Tool) bool { return tool.Spec().Name == c.msg.Name })
	switch {
	case i < 0:
		var names []string
		for _, tool := range t.Tools {
			names = append(names, tool.Spec().Name)
		}
		c.err = fmt.Errorf("there is no tool called %q. The tools are: %s", c.msg.Name, strings.Join(names, ", "))
	case c.msg.Cut:
		c.err = errors.New("not run: the call was cut before it was whole")
	case c.msg.Raw != "":
		spec := t.Tools[i].Spec()
		c.err = fmt.Errorf("the arguments are not a JSON object (%w). The schema of %s is %s",
			notObject(c.msg.Raw), spec.Name, spec.Schema)
	default:
		tool := t.Tools[i]
		if o, ok := tool.(own); ok {
			tool, c.alone = o.of(c.msg.ID), true
		}
		c.call, c.err = t.executor().prepare(ctx, t.infoOf(c), tool)
	}
}

// decideAndRun judges one call, asks the person where that is the verdict, and
// runs it if it may.
func (t *Turn) decideAndRun(ctx context.Context, c *toolCall) {
	if c.err != nil {
		c.fail(ctx, c.err)
		return
	}
	v := t.Judge(ctx, c.call)
	if ctx.Err() != nil {
		c.say(event.Interrupted, "not run: the person stopped the turn")
		return
	}
	if v.Refuse {
		c.say(event.Refused, v.Why+". Say what you would change and why, and end your answer: the person sets another mode when it is to be done")
		return
	}
	if v.Ask {
		if t.Approve == nil {
			var text string
			text, c.end.Summary = notApproved(c, v)
			c.say(event.Refused, text)
			return
		}
		answer, grant, err := t.Approve(ctx, askOf(c, v, t.scope(v.Offer)), v.Offer)
		if err != nil {
			c.say(event.Interrupted, "not run: the person stopped the turn before answering whether it may run")
			return
		}
		d := &event.Decided{Meta: t.now(), ID: c.msg.ID, Decision: answer.Decision, Note: answer.Note}
		if answer.Decision == event.Always && grant == nil { // nothing of that kind was offered
			d.Decision = event.Allow
		}
		if grant != nil {
			kept := grant.Record()
			d.Scope, d.Grant = t.scope(*grant), &kept
		}
		t.emit(d)
		if answer.Decision == event.Refuse {
			c.say(event.Refused, refusal(answer.Note))
			return
		}
		if what := t.changed(ctx, c, v.Offer); what != "" {
			c.say(event.Failed, "not run: "+what+" while the user was asked about this command. Look at the change, and call it again if it is still wanted: the user will be asked again")
			return
		}
	}
	if t.begin(ctx, c) {
		t.run(ctx, c, t.progress(c))
	}
}

// changed says which file of a command has changed while its question was open;
// empty if none has. A command that may get no standing permission is not
// compared.
func (t *Turn) changed(ctx context.Context, c *toolCall, offer policy.Grant) string {
	if c.call.Effect != tools.Execute || offer.Scope == (policy.Scope{}) {
		return ""
	}
	now := t.Judge(ctx, c.call)
	if !now.Ask || ctx.Err() != nil {
		return ""
	}
	return offer.Ended(policy.Facts{Files: now.Offer.Files, Unbound: now.Offer.Scope == (policy.Scope{})})
}

// runTogether runs calls that only read, side by side.
func (t *Turn) runTogether(ctx context.Context, calls []*toolCall) {
	var wg sync.WaitGroup
	places := make(chan struct{}, sideBySide)
	for _, c := range calls {
		if !t.begin(ctx, c) {
			continue
		}
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			t.run(ctx, c, nil)
		})
	}
	wg.Wait()
}

// begin puts the intent to run on record. It reports whether the call may run.
func (t *Turn) begin(ctx context.Context, c *toolCall) bool {
	if ctx.Err() == nil {
		c.start = t.Now()
		t.emit(&event.ToolStart{Meta: event.Meta{Time: c.start}, ID: c.msg.ID, Title: c.call.Title,
			Effect: string(c.call.Effect), Targets: targets(c.call.Targets)})
	}
	switch {
	case t.logErr != nil:
		c.say(event.Interrupted, "not run: the session could not be saved")
		return false
	case ctx.Err() != nil:
		c.say(event.Interrupted, "not run: the person stopped the turn")
		return false
	}
	return true
}

// run runs an approved call. It changes nothing but c.
func (t *Turn) run(ctx context.Context, c *toolCall, progress func(string)) {
	t.executor().run(ctx, t.infoOf(c), c, progress)
}

// executor returns what runs the calls of this turn.
func (t *Turn) executor() executor { return executor{around: t.Interceptors, force: t.Force} }

// infoOf identifies c for interceptors.
func (t *Turn) infoOf(c *toolCall) tools.Info {
	return tools.Info{ID: c.msg.ID, Tool: c.msg.Name, Args: c.msg.Input, Step: t.conv.steps + t.end.Steps}
}

// progress returns what shows the output of c while it runs.
func (t *Turn) progress(c *toolCall) func(string) {
	return func(text string) { _ = t.Emit(event.Progress{ID: c.msg.ID, Text: text}) } // a preview: no loss if it is not seen
}

// finish puts the result of c on record, and what the model knows with it.
func (t *Turn) finish(c *toolCall) {
	c.end.Meta = t.now()
	c.end.Title = c.title()
	c.end.Effect = string(c.call.Effect)
	if !c.start.IsZero() {
		c.end.Duration = c.end.Time.Sub(c.start)
	}
	c.end.Reads = stored(c.reads)
	t.emit(&c.end)
	if len(c.reads) > 0 {
		step := t.conv.steps + t.end.Steps
		t.conv.reads = append(t.conv.reads, window.Reading{Step: step, Call: c.msg.ID, Files: c.end.Reads})
		t.Ledger.Add(step, c.reads...)
	}
}

// title is the call in one line: the tool's own, or its bare name.
func (c *toolCall) title() string {
	if c.call.Title != "" {
		return c.call.Title
	}
	return c.msg.Name
}

// say sets the result of c.
func (c *toolCall) say(outcome event.Outcome, text string) {
	c.end.Outcome = outcome
	c.end.Result = llm.Message{Kind: llm.ToolResult, Reply: c.msg.Reply, ID: c.msg.ID, Text: text, IsError: outcome != event.OK}
}

// fail sets an error as the result of c; the end of ctx is the person's. One
// that tells what has changed in a file leaves the model knowing it.
func (c *toolCall) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		c.say(event.Interrupted, "interrupted by the person")
		return
	}
	c.say(event.Failed, err.Error())
	if changed, ok := errors.AsType[*workspace.ChangedError](err); ok {
		c.reads = changed.Reads
	}
}

// askOf is the question whether c may run.
func askOf(c *toolCall, v policy.Verdict, scope string) event.Ask {
	warnings := slices.Clone(c.call.Warnings)
	if v.Warning != "" {
		warnings = append(warnings, v.Warning)
	}
	return event.Ask{
		ID: c.msg.ID, Title: c.title(), Effect: string(c.call.Effect), Targets: targets(c.call.Targets),
		Diffs: diffs(c.call.Changes), Warnings: warnings, Why: v.Why, Scope: scope,
	}
}

// scope describes what a standing permission covers; empty for none.
func (t *Turn) scope(g policy.Grant) string { return t.Paths.Describe(g.Scope) }

// notApproved says that nobody can approve a call: what the model reads of it, and
// what the user does.
func notApproved(c *toolCall, v policy.Verdict) (model, user string) {
	if v.Protected {
		return "refused: " + v.Warning + ". Changing it always needs the user's approval, and there is no user to ask in this run. Leave it unchanged, and tell the user what you would change in it",
			v.Warning + "; only an interactive session can approve it"
	}
	what, modes := v.Rule, "--mode all"
	if c.call.Effect == tools.Write {
		modes = "--mode edits or --mode all"
		if len(c.call.Warnings) > 0 {
			modes = "--mode all"
		}
	}
	return "refused: it needs the user's approval (" + what + "), and there is no user to ask in this run. Do without it, or tell the user that " + modes + " allows it",
		what + "; allow it with " + modes
}

// refusal is what the model reads when the person says no.
func refusal(note string) string {
	if note == "" {
		return "refused by the person. It was not run. Do not try the same again: do without it, or ask what they want instead"
	}
	return "refused by the person, who says: " + note
}

func targets(ts []tools.Target) []event.Target {
	var out []event.Target
	for _, t := range ts {
		out = append(out, event.Target{Kind: string(t.Kind), Value: t.Value, Dir: t.Dir})
	}
	return out
}
