package loop

import (
	"context"
	"fmt"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// executor prepares and runs calls: those of the model in a turn, and the
// commands that the user types. A panic in a tool becomes the error of its call.
type executor struct {
	around tools.Interceptors
	force  <-chan struct{} // closed when what runs must be killed; nil never is
}

// prepare has t prepare a call.
func (x executor) prepare(ctx context.Context, in tools.Info, t tools.Tool) (c tools.Call, err error) {
	defer recovered(in.Tool, &err)
	return x.around.Prepare(ctx, in, t)
}

// run runs the approved call of c and sets its end.
func (x executor) run(ctx context.Context, in tools.Info, c *toolCall, progress func(string)) {
	r, err := x.result(ctx, in, c.call, tools.Approved{Changes: c.call.Changes, Progress: progress, Force: x.force})
	if err != nil {
		c.fail(ctx, err)
		if c.end.Outcome == event.Interrupted && r.Text != "" {
			c.end.Result.Text = untilThen + r.Text
		}
		c.end.Diffs = diffs(r.Changes)
		return
	}
	outcome := event.OK
	if r.IsError {
		outcome = event.Failed
	}
	c.ran = true
	c.say(outcome, r.Text)
	c.end.Summary, c.end.Diffs, c.end.Result.Images = r.Summary, diffs(r.Changes), r.Images
	c.reads = r.Reads
}

func (x executor) result(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved) (r tools.Result, err error) {
	defer recovered(in.Tool, &err)
	return x.around.Run(ctx, in, c, ok)
}

// recovered turns a panic into err.
func recovered(tool string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the tool %s broke down (%v). Try another way", tool, p)
	}
}
