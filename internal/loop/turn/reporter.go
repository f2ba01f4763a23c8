package turn

import (
	"agent/internal/llm"
	"agent/internal/loop/budget"
	"agent/internal/loop/event"
)

// reporter emits the events of a turn and keeps the first error of the log.
type reporter struct {
	send  func(event.Event) error
	clock Clock
	err   error // of the log; no tool runs after it
}

// emit sends an event. It is not safe for concurrent use; see preview.
func (r *reporter) emit(e event.Event) { r.fail(r.send(e)) }

// preview sends an event that is not logged. It is safe for concurrent use if send
// is.
func (r *reporter) preview(e event.Event) { _ = r.send(e) }

// fail keeps the first error of the log.
func (r *reporter) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// meta returns the Meta of an event that happens now.
func (r *reporter) meta() event.Meta { return event.Meta{Time: r.clock.Now()} }

// spend counts the usage of model in b. The cost is nil if it is unknown. If the cost is
// limited, the user gets a notice about that once.
func (r *reporter) spend(b *budget.Account, steps int, model string, u llm.Usage, cost *float64) {
	if unpriced := b.Spend(steps, model, u, cost); unpriced != "" {
		r.emit(event.Notice{Text: "The price of " + unpriced + " is unknown, so the limit of the cost does not count it. Tokens are counted: limit them with /budget tokens=N or --token-budget."})
	}
}

// showBudget reports what b has counted, if there are limits.
func (r *reporter) showBudget(b *budget.Account) {
	if b.Limited() {
		r.preview(b.Now())
	}
}
