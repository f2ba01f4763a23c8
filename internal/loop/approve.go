package loop

import (
	"context"

	"agent/internal/loop/policy"
)

// approve asks the person and waits for the answer.
func (a *Agent) approve(ctx context.Context, ask Ask, scope policy.Scope) (Answer, error) {
	wait := make(chan Answer, 1)
	a.mu.Lock()
	a.answers[ask.ID] = wait
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.answers, ask.ID)
		a.mu.Unlock()
	}()
	_ = a.emit(Asked{Ask: ask})
	select {
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	case answer := <-wait:
		if answer.Decision == Always {
			a.mu.Lock()
			a.policy.Grant(scope)
			a.mu.Unlock()
		}
		return answer, nil
	}
}

// answered hands an answer to the question that waits for it, if one does.
func (a *Agent) answered(answer Answer) {
	a.mu.Lock()
	wait := a.answers[answer.ID]
	delete(a.answers, answer.ID)
	a.mu.Unlock()
	if wait != nil {
		wait <- answer
	}
}
