package loop

import (
	"context"
	"sync"

	"agent/internal/loop/budget"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/standing"
)

// approvals asks the user questions and delivers the answers. It implements
// turn.Approver and is safe for concurrent use.
type approvals struct {
	rec         *recorder
	permissions *permissions
	budget      *budget.Account // does not count the time of a question

	mu      sync.Mutex
	waiting map[string]chan event.Answer // by the ID of the question
}

// Approve asks the user and waits for the answer or the end of ctx. If a question with
// that ID waits already, this one gets another ID. If the answer is Always, and not only
// about some hunks, an offer becomes a standing permission, which Approve returns sealed.
func (a *approvals) Approve(ctx context.Context, ask event.Ask, offer standing.Grant) (event.Answer, *standing.Grant, error) {
	wait := make(chan event.Answer, 1)
	a.mu.Lock()
	for a.waiting[ask.ID] != nil { // the model chooses the IDs of its calls
		ask.ID += "+"
	}
	a.waiting[ask.ID] = wait
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.waiting, ask.ID)
		a.mu.Unlock()
	}()
	a.budget.Wait()
	defer a.endWait()
	_ = a.rec.emit(event.Asked{Ask: ask})
	select {
	case <-ctx.Done():
		_ = a.rec.emit(event.AskDone{ID: ask.ID})
		return event.Answer{}, nil, ctx.Err()
	case answer := <-wait:
		_ = a.rec.emit(event.AskDone{ID: ask.ID, Decision: answer.Decision})
		if answer.Decision != event.Always || len(answer.Hunks) > 0 || offer.Scope == (standing.Scope{}) {
			return answer, nil, nil
		}
		return answer, a.permissions.grant(offer), nil
	}
}

// endWait counts the time again after a question, and reports the budget.
func (a *approvals) endWait() {
	a.budget.Resume()
	if a.budget.Limited() {
		_ = a.rec.emit(a.budget.Now())
	}
}

// answer delivers an answer to the open question of its ID, if there is one.
func (a *approvals) answer(answer event.Answer) {
	a.mu.Lock()
	wait := a.waiting[answer.ID]
	delete(a.waiting, answer.ID)
	a.mu.Unlock()
	if wait != nil {
		wait <- answer
	}
}
