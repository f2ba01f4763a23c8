package turn

import (
	"errors"
	"time"

	"agent/internal/llm"
)

const (
	quotaCooldown = 10 * time.Minute // of a model whose quota is exhausted
	busyCooldown  = time.Minute      // of an overloaded model, unless its provider asks for more
	// longestCooldown limits the wait that a provider can ask for.
	longestCooldown = 365 * 24 * time.Hour
)

// cooldown maps the names of failed models to the time until which their fallbacks
// replace them.
type cooldown map[string]time.Time

// available returns those of m and its fallbacks that are not cooling down, or m if all are.
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

// cooldownFor returns how long a model is not used after err; 0 if another model
// would fail as well.
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
