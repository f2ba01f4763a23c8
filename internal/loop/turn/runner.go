package turn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/elicit"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/workspace"
)

// Runner prepares and runs single calls: those of the model in a turn, and the
// commands that the user types. A panic in a tool becomes the error of its call.
type Runner struct {
	Interceptors tools.Interceptors // act around every call
	Kill         <-chan struct{}    // closed to kill running commands at once; may be nil
}

// Command runs a command that the user typed. It passes output to progress as it
// arrives, and returns all of it as text.
func (r Runner) Command(ctx context.Context, id string, call tools.Call, progress func(string)) (outcome event.Outcome, summary, text string) {
	c := &toolCall{msg: llm.Message{ID: id, Name: "shell"}, call: call}
	r.run(ctx, tools.Info{ID: id, Tool: "shell"}, c, progress)
	return c.end.Outcome, c.end.Summary, strings.TrimPrefix(c.end.Result.Text, interruptedByUser+untilThen)
}

// prepare prepares a call with t and the interceptors.
func (r Runner) prepare(ctx context.Context, in tools.Info, t tools.Tool) (c tools.Call, err error) {
	defer recovered(in.Tool, &err)
	c, err = r.Interceptors.Prepare(ctx, in, t)
	c.Tool = in.Tool
	return c, err
}

// run runs the approved call c and sets its result. It changes nothing else.
func (r Runner) run(ctx context.Context, in tools.Info, c *toolCall, progress func(string)) {
	got, err := r.result(ctx, in, c.call, tools.Approved{Changes: c.approved(), Progress: progress, Ask: c.ask, Force: r.Kill, Script: c.verdict.Script, Environment: c.verdict.Environment, Access: c.verdict.Access})
	c.blocked, c.varies = nil, append(got.References, got.Notes)
	c.end.Diffs, c.end.Source = diffs.Of(got.Changes), got.Source
	if got.Source != "" && got.Text != "" {
		got.Text = tools.Quote(got.Source, got.Text)
	}
	if got.Text != "" && got.Notes != "" && !strings.HasSuffix(got.Text, "\n") {
		got.Text += "\n"
	}
	got.Text += got.Notes
	if err != nil {
		c.fail(ctx, err)
		if c.part != nil && c.part.Notes != "" {
			c.end.Result.Text += "\n" + c.part.Notes
		}
		if got.Source != "" && c.end.Outcome == event.Failed {
			c.end.Result.Text = tools.Quote(got.Source, c.end.Result.Text)
		}
		if c.end.Outcome == event.Interrupted && got.Text != "" {
			c.end.Result.Text += untilThen + got.Text
			c.end.Summary = got.Summary
		}
		return
	}
	if c.part != nil {
		got.Text += "\n" + c.part.Report
		got.Summary = cmp.Or(c.part.Summary, got.Summary)
	}
	outcome := event.OK
	if got.IsError {
		outcome = event.Failed
	}
	c.ran = true
	for _, w := range c.call.Warnings {
		got.Text = strings.TrimSuffix(got.Text, "\n") + "\nWarning: " + w
	}
	c.finish(outcome, got.Text)
	c.end.Summary, c.end.Result.Images = got.Summary, got.Images
	c.reads, c.endsTurn = got.Reads, got.EndsTurn
	c.blocked = got.Blocked
}

func (r Runner) result(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved) (got tools.Result, err error) {
	defer recovered(in.Tool, &err)
	return r.Interceptors.Run(ctx, in, c, ok)
}

// recovered turns a panic into err.
func recovered(tool string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the tool %s crashed (%v). Try a different approach", tool, p)
	}
}

// maxArgument is how many bytes of an argument the title of a call shows.
const maxArgument = 120

const (
	// interruptedByUser is the result of a call that the user interrupted.
	interruptedByUser = "interrupted by the user"
	// untilThen precedes the output of an interrupted call.
	untilThen = "; output until then:\n"
)

// toolCall is one tool call and its result.
type toolCall struct {
	msg      llm.Message
	call     tools.Call
	err      error    // of Prepare; the call does not run
	ignored  []string // arguments that the intake dropped
	remarks  []string // of the intake, on how it understood arguments
	alone    bool     // it is one of a ConversationTool
	more     bool     // more calls of the reply follow
	doubt    string   // why it needs approval although the permission mode allows it
	verdict  policy.Verdict
	ask      func(context.Context, elicit.Question) (elicit.Answer, error) // as in tools.Approved
	part     *diffs.Part                                                   // what the user approved of it; nil for all
	start    time.Time
	end      event.ToolEnd
	reads    []workspace.Reading // file contents that its result shows the model
	ran      bool                // the tool ran, even if its command failed
	rejected bool                // by the user
	endsTurn bool                // as in tools.Result
	varies   []string            // parts of its result that do not tell calls apart: see compared
	blocked  *tools.Blocked      // what its sandbox prevented; nil for nothing
}

// approved returns the changes that may be made.
func (c *toolCall) approved() []tools.Change {
	if c.part != nil {
		return c.part.Changes
	}
	return c.call.Changes
}

// title returns the call in one line: the title of the prepared call, or the
// tool's name and the first string of the arguments.
func (c *toolCall) title() string {
	switch {
	case c.call.Title != "":
		return c.call.Title
	case c.msg.Name == "":
		return ""
	}
	return titleOf(c.msg)
}

// titleOf returns a call in one line that was not prepared.
func titleOf(m llm.Message) string { return strings.TrimSpace(m.Name + " " + firstString(m.Input)) }

// firstString returns the first property of a JSON object that is a string of one
// line, or "".
func firstString(object json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return ""
	}
	for dec.More() {
		var value any
		if _, err := dec.Token(); err != nil || dec.Decode(&value) != nil {
			return ""
		}
		if s, ok := value.(string); ok && strings.TrimSpace(s) != "" && !strings.Contains(s, "\n") {
			return phrase.Clip(s, maxArgument)
		}
	}
	return ""
}

// finish sets the result of c.
func (c *toolCall) finish(outcome event.Outcome, text string) {
	c.end.Outcome = outcome
	c.end.Result = llm.Message{Kind: llm.ToolResult, Reply: c.msg.Reply, ID: c.msg.ID, Text: text, IsError: outcome != event.OK}
}

// compared returns the result of c without references, notes of hooks and remarks about its
// arguments: they can differ although a call has the same result as the one before.
func (c *toolCall) compared() string {
	text := c.end.Result.Text
	for _, v := range slices.Concat(c.remarks, c.varies) {
		if v != "" {
			text = strings.ReplaceAll(text, v, "")
		}
	}
	return text
}

// addRemarks tells the model, in the result of a call that ran, which arguments were dropped
// and how others were understood.
func (c *toolCall) addRemarks() {
	remarks := c.remarks
	if len(c.ignored) > 0 {
		remarks = append([]string{"ignored: " + phrase.Clip(strings.Join(c.ignored, ", "), maxArgument)}, remarks...)
	}
	if len(remarks) == 0 || c.end.Outcome != event.OK && c.end.Outcome != event.Failed {
		return
	}
	c.end.Result.Text = phrase.EndLine(c.end.Result.Text) + "[" + strings.Join(remarks, "]\n[") + "]\n"
}

// fail sets the result of c to err, or to an interrupt if ctx has ended. A
// ChangedError shows the model the changes of a file.
func (c *toolCall) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		c.finish(event.Interrupted, interrupted(ctx))
		return
	}
	c.finish(event.Failed, err.Error())
	if cause := advice.Cause(err); cause != err.Error() {
		c.end.Error = cause
	}
	if changed, ok := errors.AsType[*workspace.ChangedError](err); ok {
		c.reads = changed.Reads
	}
}
