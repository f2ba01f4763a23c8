package turn

import (
	"context"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/standing"
)

// asker returns the function with which call c asks the user the questions of a server; nil
// if there is no user.
func (x *executor) asker(c *toolCall) func(context.Context, elicit.Question) (elicit.Answer, error) {
	if x.approver == nil {
		return nil
	}
	ask := event.Ask{ID: c.msg.ID, Title: c.call.Title, Effect: event.Effect(c.call.Effect), Targets: targets(c.call.Targets)}
	return func(ctx context.Context, q elicit.Question) (elicit.Answer, error) {
		answer, _, err := x.approver.Approve(ctx, ask.Of(q), standing.Grant{})
		return answer.To(q), err
	}
}
