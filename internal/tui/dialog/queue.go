package dialog

import (
	"fmt"
	"slices"

	"agent/internal/loop/event"
)

// queue holds the questions that wait, the first one first.
type queue struct {
	asks     []event.Ask
	answered int // since the queue was last empty
}

// Count returns the number of waiting questions.
func (q *queue) Count() int { return len(q.asks) }

// Waits reports whether a question waits.
func (q *queue) Waits() bool { return len(q.asks) > 0 }

// add adds a question. It reports whether it is the first one.
func (q *queue) add(ask event.Ask) bool {
	if len(q.asks) == 0 {
		q.answered = 0
	}
	q.asks = append(q.asks, ask)
	return len(q.asks) == 1
}

// next removes the first question.
func (q *queue) next() {
	q.asks = slices.Delete(q.asks, 0, 1)
	q.answered++
}

// place returns the position of the first question, "1 of 2"; empty for a single one.
func (q *queue) place() string {
	if n := q.answered + len(q.asks); n > 1 {
		return fmt.Sprintf("%d of %d", q.answered+1, n)
	}
	return ""
}
