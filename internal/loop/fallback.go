package loop

import (
	"errors"
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

const (
	quotaRest = 10 * time.Minute // of a model whose quota is used up
	busyRest  = time.Minute      // of an overloaded one, unless it says longer
	// longestRest is the most that it may say.
	longestRest = 365 * 24 * time.Hour
)

// resting are the models that failed, and until when another is asked in their
// place.
type resting map[string]time.Time

// candidates returns the models to ask, in order: those that do not rest, or
// where all do, the first.
func (r resting) candidates(m Model, now time.Time) []Model {
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

// restFor is how long a model rests after err; 0 for an error that another
// model would not mend.
func restFor(err error) time.Duration {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return 0
	}
	switch e.Kind {
	case llm.ErrQuota:
		return quotaRest
	case llm.ErrRate, llm.ErrOverloaded:
		return min(max(e.RetryAfter, busyRest), longestRest)
	}
	return 0
}

// takeOver says that next answers in the place of m, which rests.
func (t *Turn) takeOver(m, next Model, err error) {
	rest := restFor(err)
	t.conv.resting[m.Name] = t.Now().Add(rest)
	t.emit(event.Notice{Text: fmt.Sprintf("%v. %s answers in the place of %s for %s.", err, next.Name, m.Name, rest.Round(time.Second))})
}
