package turn

import (
	"context"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

// suspects reports whether m may have rejected a request, without a reason, because it
// is too long: no request of its size was accepted, and it may exceed the window.
func (k *compactor) suspects(m Model) bool {
	used := k.conv.used()
	known := m.Context > 0 && m.Window == nil
	return used > k.conv.accepted[m.Name] && (!known || used > m.Context/100*60)
}

// tryShorter sends a conversation that m rejected without a reason once more, compacted.
// If that fails too, the conversation stays as it was and the error is the first one.
func (q *requester) tryShorter(ctx context.Context, m Model, reply *llm.Reply, rejection *llm.Error) (*llm.Reply, Model, error) {
	before := *q.conv
	steps := q.compactor.shorten(m)
	if len(steps) == 0 {
		return reply, m, rejection
	}
	q.out.emit(event.Notice{Text: rejection.Error() + ". The request may be too long. It is sent again with a shorter context."})
	q.trial = true
	again, model, err := q.anyModel(ctx)
	q.trial = false
	if err != nil && !accepted(again) {
		*q.conv = before
		q.conv.setReads(before.reads)
		rejection.Hint = joinHints(rejection.Hint, event.HintShorten)
		if ctx.Err() != nil {
			return again, model, err
		}
		return reply, m, rejection
	}
	for _, e := range steps {
		e.Meta = q.out.meta()
		q.out.emit(e)
	}
	return again, model, err
}

// shorten compacts the conversation for m without a summary and without a record of it.
// It returns the steps; none if only the latest prompt could be shortened.
func (k *compactor) shorten(m Model) []*event.Compacted {
	b, used := k.conv.budget(m), k.conv.used()
	if limit := used / 4 * 3; b.Limit == 0 || limit < b.Limit {
		b = b.Within(limit)
	}
	plan := window.MakePlan(k.conv.content(m.Name+" rejected the request, possibly as too long"), b, false)
	if slices.ContainsFunc(plan.Steps, func(e *event.Compacted) bool { return e.Step == event.CompactLatest }) {
		return nil
	}
	for _, e := range plan.Steps {
		_ = k.conv.Apply(e, func(event.Event) {}, func() event.Meta { return event.Meta{} })
	}
	return plan.Steps
}
