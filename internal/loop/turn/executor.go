package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/advice"
)

const (
	// maxCalls is how many calls of one reply are run; the rest get an error.
	maxCalls = 32
	// maxParallel is how many calls that only read run at once.
	maxParallel = 8
)

// Results of calls that were not run.
const (
	notRunStopped = "not run: the person stopped the turn"
	notRunUnsaved = "not run: the session could not be saved"
)

// ConversationTool is a tool that acts on the conversation, not on the workspace.
// Its calls never run in parallel.
type ConversationTool interface {
	tools.Tool
	// ForCall returns the tool for the call of that ID.
	ForCall(id string) tools.Tool
}

// executor runs the calls of a reply: each is prepared, decided, run, and
// finished with its result. Calls that only read run in parallel.
type executor struct {
	*Turn
	conv *Conversation
	out  *reporter
}

// run returns the results of all calls, in the calls' order, and reports whether
// any of them worked. If notRun is not empty, it is the result of every call.
func (x *executor) run(ctx context.Context, msgs []llm.Message, notRun string) (out []llm.Message, worked bool) {
	calls := make([]*toolCall, len(msgs))
	for i, m := range msgs {
		calls[i] = &toolCall{msg: m}
	}
	for i := 0; i < len(calls); {
		group := calls[i : i+1]
		if why := x.notRun(ctx, i, notRun); why != "" {
			calls[i].finish(event.Interrupted, why)
		} else if x.prepare(ctx, calls[i]); x.onlyReads(ctx, calls[i]) {
			group = x.readers(ctx, calls[i:min(len(calls), maxCalls)])
			x.runParallel(ctx, group)
		} else if x.decide(ctx, calls[i]) && x.begin(ctx, calls[i]) {
			x.Runner.run(ctx, x.info(calls[i]), calls[i], x.progress(calls[i]))
		}
		for _, c := range group {
			x.finish(c)
			out = append(out, c.end.Result)
			worked = worked || c.ran
		}
		i += len(group)
	}
	return out, worked
}

// notRun returns why call number i is not even prepared; empty if it is.
func (x *executor) notRun(ctx context.Context, i int, all string) string {
	switch {
	case all != "":
		return all
	case i >= maxCalls:
		return fmt.Sprintf("not run: a reply may have %d calls. Ask again for this one", maxCalls)
	}
	return x.stopped(ctx)
}

// stopped returns why no call may run any more; empty if calls may run.
func (x *executor) stopped(ctx context.Context) string {
	switch {
	case x.out.err != nil:
		return notRunUnsaved
	case ctx.Err() != nil:
		return notRunStopped
	}
	return ""
}

// readers prepares and returns the leading calls that only read; the first one is
// prepared. None of them can change what another one prepares.
func (x *executor) readers(ctx context.Context, calls []*toolCall) []*toolCall {
	n := 1
	for ; n < len(calls); n++ {
		x.prepare(ctx, calls[n])
		if !x.onlyReads(ctx, calls[n]) {
			*calls[n] = toolCall{msg: calls[n].msg} // prepared again when the calls before it have run
			break
		}
	}
	return calls[:n]
}

// onlyReads reports whether c may run in parallel with others of its kind, without
// approval.
func (x *executor) onlyReads(ctx context.Context, c *toolCall) bool {
	return c.err == nil && !c.alone && c.call.Effect == tools.Read && !x.Permissions.Judge(ctx, c.call).Ask
}

// prepare has the tool of c prepare it.
func (x *executor) prepare(ctx context.Context, c *toolCall) {
	i := slices.IndexFunc(x.Tools, func(tool tools.Tool) bool { return tool.Spec().Name == c.msg.Name })
	if i < 0 {
		var names []string
		for _, tool := range x.Tools {
			names = append(names, tool.Spec().Name)
		}
		c.err = advice.Add(fmt.Errorf("there is no tool called %q", c.msg.Name), "The tools are: %s", strings.Join(names, ", "))
		return
	}
	tool := x.Tools[i]
	switch spec := tool.Spec(); {
	case c.msg.Cut:
		c.err = errors.New("not run: the call was cut before it was whole")
	case c.msg.Raw != "":
		c.err = advice.Add(fmt.Errorf("the arguments are not a JSON object (%w)", describeNonObject(c.msg.Raw)), "The schema of %s is %s", spec.Name, spec.Schema)
	default:
		if own, ok := tool.(ConversationTool); ok {
			tool, c.alone = own.ForCall(c.msg.ID), true
		}
		c.call, c.err = x.Runner.prepare(ctx, x.info(c), tool)
	}
}

// decide judges a prepared call, and asks the user if that is the verdict. It
// reports whether the call may run; otherwise it sets the result.
func (x *executor) decide(ctx context.Context, c *toolCall) bool {
	if c.err != nil {
		c.fail(ctx, c.err)
		return false
	}
	v := x.Permissions.Judge(ctx, c.call)
	switch {
	case ctx.Err() != nil:
		c.finish(event.Interrupted, notRunStopped)
		return false
	case v.Refuse:
		c.finish(event.Refused, v.Why+". Say what you would change and why, and end your answer: the person sets another mode when it is to be done")
		return false
	case v.Ask:
		return x.approve(ctx, c, v)
	}
	return true
}

// runParallel runs calls that only read.
func (x *executor) runParallel(ctx context.Context, calls []*toolCall) {
	var wg sync.WaitGroup
	places := make(chan struct{}, maxParallel)
	for _, c := range calls {
		if !x.begin(ctx, c) {
			continue
		}
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			x.Runner.run(ctx, x.info(c), c, nil)
		})
	}
	wg.Wait()
}

// begin emits that c starts. It reports whether c may run; otherwise it sets the
// result.
func (x *executor) begin(ctx context.Context, c *toolCall) bool {
	if ctx.Err() == nil {
		c.start = x.out.clock.Now()
		x.out.emit(&event.ToolStart{Meta: event.Meta{Time: c.start}, ID: c.msg.ID, Title: c.call.Title,
			Effect: string(c.call.Effect), Targets: targets(c.call.Targets)})
	}
	why := x.stopped(ctx)
	if why != "" {
		c.finish(event.Interrupted, why)
	}
	return why == ""
}

// finish emits the result of c, and notes what the model knows with it.
func (x *executor) finish(c *toolCall) {
	c.end.Meta = x.out.meta()
	c.end.Title = c.title()
	c.end.Effect = string(c.call.Effect)
	if !c.start.IsZero() {
		c.end.Duration = c.end.Time.Sub(c.start)
	}
	c.end.Reads = x.conv.addReads(c.msg.ID, c.reads)
	x.out.emit(&c.end)
}

// info identifies c for interceptors.
func (x *executor) info(c *toolCall) tools.Info {
	return tools.Info{ID: c.msg.ID, Tool: c.msg.Name, Args: c.msg.Input, Step: x.conv.Steps}
}

// progress returns what shows the output of c while it runs.
func (x *executor) progress(c *toolCall) func(string) {
	return func(text string) { x.out.preview(event.Progress{ID: c.msg.ID, Text: text}) }
}

// describeNonObject says why raw is no JSON object, with the place if there is one.
func describeNonObject(raw string) error {
	var o map[string]json.RawMessage
	err := json.Unmarshal([]byte(raw), &o)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w at byte %d of %d", err, e.Offset, len(raw))
	}
	if err == nil {
		return errors.New("it is null")
	}
	return err
}
