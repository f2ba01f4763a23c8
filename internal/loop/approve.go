package loop

import (
	"context"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// approve asks the person and waits for the answer. An Always makes the offer,
// if there is one, a standing permission, which it returns sealed.
func (a *Agent) approve(ctx context.Context, ask event.Ask, offer policy.Grant) (event.Answer, *policy.Grant, error) {
	wait := make(chan event.Answer, 1)
	a.mu.Lock()
	a.answers[ask.ID] = wait
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.answers, ask.ID)
		a.mu.Unlock()
	}()
	_ = a.emit(event.Asked{Ask: ask})
	select {
	case <-ctx.Done():
		return event.Answer{}, nil, ctx.Err()
	case answer := <-wait:
		if answer.Decision != event.Always || offer.Scope == (policy.Scope{}) {
			return answer, nil, nil
		}
		return answer, a.grant(offer), nil
	}
}

// answered hands an answer to the question that waits for it, if one does.
func (a *Agent) answered(answer event.Answer) {
	a.mu.Lock()
	wait := a.answers[answer.ID]
	delete(a.answers, answer.ID)
	a.mu.Unlock()
	if wait != nil {
		wait <- answer
	}
}
