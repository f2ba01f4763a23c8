package turn

import (
	"context"
	"errors"

	"agent/internal/llm"
	"agent/internal/tools"
)

// Apply judges a prepared call that is not part of a conversation, asks the user if it
// needs approval, and runs it. ID identifies the question. An error is text for the
// model.
func (t *Turn) Apply(ctx context.Context, id string, call tools.Call) (tools.Result, error) {
	x := t.executor(&Conversation{}, &reporter{send: t.Emit, clock: t.Clock.WithDefaults()})
	c := &toolCall{msg: llm.Message{ID: id}, call: call}
	if !x.decide(ctx, c) {
		return tools.Result{}, errors.New(c.end.Result.Text)
	}
	got, err := t.Runner.result(ctx, tools.Info{ID: id}, call, tools.Approved{Changes: c.approved(), Force: t.Runner.Kill})
	if err == nil && c.part != nil {
		got.Text += "\n" + c.part.Report
	}
	return got, err
}
