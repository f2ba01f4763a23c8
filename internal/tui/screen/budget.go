package screen

import (
	"strings"
	"time"

	"agent/internal/loop/event"
)

// BudgetLeft describes the rest of each limit that is at least half used: limits of the
// session, and of the turn if one runs. since is the time since b was reported.
func BudgetLeft(b event.BudgetNow, running bool, since time.Duration) string {
	var all []string
	add := func(scope string, s event.Spent) {
		for _, l := range event.Limits() {
			limit, used := s.Limits[l], s.Used[l]
			if l == event.LimitTime {
				used += since.Seconds()
			}
			if limit > 0 && 2*used >= limit {
				all = append(all, scope+l.Words(max(limit-used, 0))+" left")
			}
		}
	}
	if running {
		add("", b.Turn)
	}
	add("session: ", b.Session)
	return strings.Join(all, ", ")
}

// BudgetWords lists what was used, and the limits: "3 steps, 18.2k of 200k tokens".
func BudgetWords(s event.Spent) string {
	var all []string
	for _, l := range event.Limits() {
		text := l.Words(s.Used[l])
		if limit, ok := s.Limits[l]; ok {
			if l == event.LimitSteps || l == event.LimitTokens { // the limit has the unit
				text, _, _ = strings.Cut(text, " ")
			}
			text += " of " + l.Words(limit)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}
