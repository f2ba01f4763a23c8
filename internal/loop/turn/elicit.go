package turn

import (
	"context"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// asker returns the function with which call c asks the user the questions of a server; nil
// if there is no user.
func (x *executor) asker(c *toolCall) func(context.Context, elicit.Question) (elicit.Answer, error) {
	if x.approver == nil {
		return nil
	}
	ask := event.Ask{ID: c.msg.ID, Title: c.call.Title, Effect: event.Effect(c.call.Effect), Targets: targets(c.call.Targets)}
	return func(ctx context.Context, q elicit.Question) (elicit.Answer, error) {
		answer, _, err := x.approver.Approve(ctx, ask.Of(q), policy.Grant{})
		return answer.To(q), err
	}
}
