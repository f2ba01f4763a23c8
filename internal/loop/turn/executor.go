package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

const (
	// maxCalls limits the calls of one reply that run. The others get an error.
	maxCalls = 32
	// maxParallel limits the reads that run at once, and maxCommands the commands.
	// Delegates have a limit of their own.
	maxParallel = 8
	maxCommands = 4
)

// notRunUnsaved is the result of calls after an error of the log.
const notRunUnsaved = "not run: the session could not be saved"

// ConversationTool is a tool that acts on the conversation, not on the workspace.
// Its calls never run in parallel, unless they delegate.
type ConversationTool interface {
	tools.Tool
	// ForCall returns the tool for the call of that ID.
	ForCall(id string) tools.Tool
}

// executor runs the tool calls of a reply: it prepares each one, decides whether it
// may run, runs it, and finishes it with its result. Calls that only read or delegate
// run in parallel.
type executor struct {
	tools       []tools.Tool
	permissions Permissions
	approver    Approver // nil without a user
	runner      Runner
	instead     func(c tools.Call, offered func(tool string) bool) string // as Turn.Instead
	reader      *callReader
	conv        *Conversation
	out         *reporter
	denials     map[string]bool // see denied
}

// executor returns the executor of a turn.
func (t *Turn) executor(c *Conversation, out *reporter) *executor {
	reader := &callReader{tools: t.Tools, schema: t.Schema, conv: c}
	return &executor{tools: t.Tools, permissions: t.Permissions, approver: t.Approver, runner: t.Runner, instead: t.Instead, reader: reader, conv: c, out: out}
}

// results are the results of the calls of a reply, in order.
type results struct {
	messages []llm.Message
	compared []string // their texts as the guards compare them
	ran      bool     // a call ran
	worked   bool     // a call ran, or the user rejected one, or a denied one was new
	endsTurn bool
}

// run returns the results of all calls. If notRun is not empty, no call runs and notRun is
// the result of each.
func (x *executor) run(ctx context.Context, msgs []llm.Message, notRun string) (out results) {
	calls := make([]*toolCall, len(msgs))
	for i, m := range msgs {
		calls[i] = &toolCall{msg: m, more: i < len(msgs)-1}
	}
	for i := 0; i < len(calls); {
		group := calls[i : i+1]
		if why := x.notRun(ctx, i, notRun); why != "" {
			calls[i].finish(event.Interrupted, why)
		} else if x.prepare(ctx, calls[i]); x.independent(ctx, calls[i]) {
			group = x.leading(ctx, calls[i:min(len(calls), maxCalls)])
			x.runParallel(ctx, group)
		} else if x.decide(ctx, calls[i]) && x.begin(ctx, calls[i]) {
			calls[i].ask = x.asker(calls[i])
			x.runner.run(ctx, x.info(calls[i]), calls[i], x.progress(calls[i]))
		}
		for _, c := range group {
			x.rerun(ctx, c)
			out.worked = x.denied(c) || out.worked
			x.finish(c)
			out.messages, out.compared = append(out.messages, c.end.Result), append(out.compared, c.compared())
			out.ran, out.worked = out.ran || c.ran, out.worked || c.ran || c.rejected
			out.endsTurn = out.endsTurn || c.endsTurn
		}
		i += len(group)
	}
	return out
}

// notRun returns why call i must not be prepared; empty if it may be.
func (x *executor) notRun(ctx context.Context, i int, all string) string {
	switch {
	case all != "":
		return all
	case i >= maxCalls:
		return fmt.Sprintf("not run: a reply may contain %d calls. Make this call again", maxCalls)
	}
	return x.stopped(ctx)
}

// stopped returns why no more calls may run; empty if they may.
func (x *executor) stopped(ctx context.Context) string {
	switch {
	case x.out.err != nil:
		return notRunUnsaved
	case ctx.Err() != nil:
		return notRunStopped(ctx)
	}
	return ""
}

// leading prepares and returns the leading run of independent calls. The first one is
// prepared already.
func (x *executor) leading(ctx context.Context, calls []*toolCall) []*toolCall {
	n := 1
	for ; n < len(calls); n++ {
		x.prepare(ctx, calls[n])
		if !x.independent(ctx, calls[n]) {
			*calls[n] = toolCall{msg: calls[n].msg, more: calls[n].more} // prepared again when the calls before it have run
			break
		}
	}
	return calls[:n]
}

// independent reports whether c only reads or delegates, is allowed without asking
// and may run in parallel. It sets the verdict on a command that does.
func (x *executor) independent(ctx context.Context, c *toolCall) bool {
	may := false
	switch c.call.Effect {
	case tools.Read:
		may = !c.alone
	case tools.Execute:
		may = !c.call.Alone
	case tools.Delegate:
		may = true
	}
	if c.err != nil || c.doubt != "" || !may {
		return false
	}
	v := x.permissions.Judge(ctx, c.call)
	if v.Ask || v.Refuse || c.call.Effect == tools.Execute && !onlyReads(c.call, v) {
		return false
	}
	if c.call.Effect == tools.Execute {
		c.verdict = v
	}
	return true
}

// prepare looks up the tool of c and prepares the call. It sets c.call or c.err.
func (x *executor) prepare(ctx context.Context, c *toolCall) {
	taken := x.reader.notes[c.msg.ID]
	c.doubt = x.reader.doubts[c.msg.ID]
	i := slices.IndexFunc(x.tools, func(tool tools.Tool) bool { return tool.Spec().Name == c.msg.Name })
	switch {
	case c.msg.Cut:
		c.err = errors.New("not run: the call is incomplete because the reply was cut off")
	case taken.err != nil:
		c.err = taken.err
	case x.reader.differs(taken.sent, c.msg):
		c.err = errors.New("not run: an earlier call has changed the working directory. Send the call again")
	case i < 0:
		c.err = fmt.Errorf("there is no tool %q", c.msg.Name)
	default:
		tool := x.tools[i]
		if own, ok := tool.(ConversationTool); ok {
			tool, c.alone = own.ForCall(c.msg.ID), true
		}
		c.ignored, c.remarks = taken.ignored, taken.remarks
		c.call, c.err = x.runner.prepare(ctx, x.info(c), tool)
	}
}

// decide gets the verdict on a prepared call, and the user's approval if it needs
// one. It reports whether the call may run; otherwise it sets the result.
func (x *executor) decide(ctx context.Context, c *toolCall) bool {
	if c.err != nil {
		c.fail(ctx, c.err)
		return false
	}
	v := x.doubted(c, x.permissions.Judge(ctx, c.call))
	c.verdict = v
	switch {
	case ctx.Err() != nil:
		c.finish(event.Interrupted, notRunStopped(ctx))
		return false
	case v.Refuse:
		c.end.Error = "denied: " + v.Why
		next := "Do not try it another way: continue without it, or tell the user"
		if !v.ByRule && !v.Requested {
			next = x.insteadOf(c.call)
		}
		c.finish(event.Refused, c.end.Error+". "+next)
		return false
	case v.Ask:
		return x.approve(ctx, c, v)
	}
	for _, w := range c.call.Warnings { // no dialog shows them
		x.out.preview(event.Notice{Text: "Warning: " + w})
	}
	return true
}

// insteadOf returns what the model does instead of a call that the permission mode denies.
func (x *executor) insteadOf(c tools.Call) string {
	if x.instead != nil {
		if text := x.instead(c, func(tool string) bool { return offeredName(x.conv.Prefix, tool) != "" }); text != "" {
			return text
		}
	}
	return cmp.Or(c.Instead, "Continue without it, or tell the user what you would have done")
}

// runParallel runs independent calls.
func (x *executor) runParallel(ctx context.Context, calls []*toolCall) {
	var wg sync.WaitGroup
	slots := map[tools.Effect]chan struct{}{tools.Read: make(chan struct{}, maxParallel), tools.Execute: make(chan struct{}, maxCommands)}
	for _, c := range calls {
		if !x.begin(ctx, c) {
			continue
		}
		slot := slots[c.call.Effect]
		if slot != nil {
			slot <- struct{}{}
		}
		var progress func(string)
		if c.call.Effect == tools.Execute {
			progress = x.progress(c)
		}
		wg.Go(func() {
			x.runner.run(ctx, x.info(c), c, progress)
			c.end.Duration = x.out.clock.Now().Sub(c.start)
			if slot != nil {
				<-slot
			}
		})
	}
	wg.Wait()
}

// begin emits the ToolStart of c. It reports whether c may run; otherwise it sets
// the result.
func (x *executor) begin(ctx context.Context, c *toolCall) bool {
	if ctx.Err() == nil {
		c.start = x.out.clock.Now()
		x.out.emit(&event.ToolStart{Meta: event.Meta{Time: c.start}, ID: c.msg.ID, Title: c.call.Title,
			Effect: event.Effect(c.call.Effect), Targets: targets(c.call.Targets)})
	}
	why := x.stopped(ctx)
	if why != "" {
		c.finish(event.Interrupted, why)
	}
	return why == ""
}

// finish emits the ToolEnd of c, and records the file contents that it shows.
func (x *executor) finish(c *toolCall) {
	c.end.Meta = x.out.meta()
	c.addRemarks()
	c.end.Title = c.title()
	c.end.Effect = event.Effect(c.call.Effect)
	c.end.ReadOnly = c.call.Effect == tools.Execute && c.verdict.Access.Private
	if e := c.call.Effective; e != nil {
		c.end.Effective = &event.EffectiveCall{Tool: e.Tool, Arguments: e.Arguments}
	}
	if !c.start.IsZero() && c.end.Duration == 0 { // calls side by side end before this
		c.end.Duration = c.end.Time.Sub(c.start)
	}
	c.end.Reads = x.conv.addReads(c.msg.ID, c.reads)
	c.end.Result = x.conv.secrets.Message(c.end.Result)
	if c.end.Source != "" {
		x.permissions.NoteSource(c.end.Source)
	}
	x.out.emit(&c.end)
}

// info identifies c for interceptors.
func (x *executor) info(c *toolCall) tools.Info {
	return tools.Info{ID: c.msg.ID, Tool: c.msg.Name, Args: c.msg.Input, Step: x.conv.Steps, More: c.more}
}

// progress returns a function that emits output of c while it runs.
func (x *executor) progress(c *toolCall) func(string) {
	return func(text string) { x.out.preview(event.Progress{ID: c.msg.ID, Text: text}) }
}
