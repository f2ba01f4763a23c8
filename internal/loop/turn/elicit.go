package turn

import (
	"context"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// asker returns the function with which call c asks the user what a server wants to know;
// nil if there is no user.
func (x *executor) asker(c *toolCall) func(context.Context, elicit.Form) (elicit.Reply, error) {
	if x.Approver == nil {
		return nil
	}
	ask := event.Ask{ID: c.msg.ID, Title: c.call.Title, Effect: event.Effect(c.call.Effect), Targets: targets(c.call.Targets)}
	return func(ctx context.Context, f elicit.Form) (elicit.Reply, error) {
		ask := ask
		ask.Form = &f
		answer, _, err := x.Approver.Approve(ctx, ask, policy.Grant{})
		switch {
		case err != nil:
			return elicit.Reply{}, err
		case f.URL != "" && answer.Decision == event.Allow, f.URL == "" && answer.Decision == event.Answered:
			return elicit.Reply{Action: elicit.Accept, Values: answer.Values}, nil
		}
		return elicit.Reply{Action: elicit.Decline, Why: answer.Note}, nil
	}
}
