package loop

import (
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// What the model is told when mode plan begins and when it is over.
const (
	planBegins = "[The person has set mode plan: files are not to be changed, and edits are refused. Find out what there is to know, then say what you would change and why.]"
	planEnds   = "[The person has left mode plan: files may be changed again.]"
)

// planNews tells the model that mode plan has begun or is over, once.
func (a *Agent) planNews(c *conversation) []string {
	a.mu.Lock()
	plans := a.policy.Mode == event.ModePlan
	a.mu.Unlock()
	if plans == c.planning {
		return nil
	}
	c.planning = plans
	if plans {
		return []string{planBegins}
	}
	return []string{planEnds}
}

// toldToPlan reports whether a model that was told msgs was told to plan, and
// not that this is over.
func toldToPlan(msgs []llm.Message) bool {
	for _, m := range slices.Backward(msgs) {
		if m.Kind == llm.User && (m.Text == planBegins || m.Text == planEnds) {
			return m.Text == planBegins
		}
	}
	return false
}
