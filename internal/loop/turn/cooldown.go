package turn

import (
	"errors"
	"time"

	"agent/internal/llm"
)

const (
	quotaCooldown = 10 * time.Minute // of a model whose quota is used up
	busyCooldown  = time.Minute      // of an overloaded one, unless it asks for longer
	// longestCooldown is the most that it may ask for.
	longestCooldown = 365 * 24 * time.Hour
)

// cooldown holds the models that failed, by name, and until when their fallbacks
// are used.
type cooldown map[string]time.Time

// available returns m and its fallbacks without those in cooldown; m if all are.
func (r cooldown) available(m Model, now time.Time) []Model {
	var out []Model
	for _, c := range append([]Model{m}, m.Fallbacks...) {
		if until, ok := r[c.Name]; ok && now.Before(until) {
			continue
		}
		delete(r, c.Name)
		out = append(out, c)
	}
	if len(out) == 0 {
		return []Model{m}
	}
	return out
}

// cooldownFor returns how long a model is not used after err; 0 for an error that
// another model would have too.
func cooldownFor(err error) time.Duration {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return 0
	}
	switch e.Kind {
	case llm.ErrQuota:
		return quotaCooldown
	case llm.ErrRate, llm.ErrOverloaded:
		return min(max(e.RetryAfter, busyCooldown), longestCooldown)
	}
	return 0
}
