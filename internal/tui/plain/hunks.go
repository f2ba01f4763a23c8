package plain

import (
	"strconv"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/review"
)

// review returns a review of the changes of a question, nil if they have a single hunk.
func (q *questions) review(ask event.Ask) *review.Review {
	if !dialog.IsApproval(ask) || len(ask.Diffs) == 0 {
		return nil
	}
	r := review.New(ask.Diffs, review.Approval(), q.Keys, q.Styles, nil)
	if hunks, _, _ := r.Count(); hunks < 2 {
		return nil
	}
	return r
}

// answerHunks takes the numbers of the hunks that the user accepts, and applies only these.
// Without numbers it prints the hunks.
func (q *questions) answerHunks(ask event.Ask, line string) {
	r := q.review(ask)
	switch {
	case r == nil:
		q.again(ask, "the change has only one hunk")
		return
	case changedLines(ask) > hunksLines:
		q.again(ask, "the change is too long to choose hunks here; that needs the full screen: resume the session without --plain")
		return
	case line == "":
		for i, h := range r.Hunks() {
			q.block("", "hunk "+strconv.Itoa(i+1)+" of "+dialog.ExactLine(h.Path))
			q.hunks(h.Unified)
		}
		q.again(ask, "type "+hunksKey+" and the hunks to apply, for example: "+hunksKey+" 1")
		return
	}
	hunks, _, _ := r.Count()
	chosen := map[int]bool{}
	for _, n := range numbers(strings.Fields(line)) {
		if n < 1 || n > hunks {
			chosen = nil
			break
		}
		chosen[n-1] = true
	}
	if len(chosen) == 0 {
		q.again(ask, "type numbers from 1 to "+strconv.Itoa(hunks)+" after "+hunksKey)
		return
	}
	for i := range hunks {
		r.Decide(i, chosen[i])
	}
	q.give(event.Answer{Decision: event.Allow, Hunks: r.Answers()})
}
