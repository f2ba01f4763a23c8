package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// repeatGap is how soon a key comes again at most if it is held down: systems
// repeat it every 25 to 90 ms. Hardly a user presses a key twice in that time.
const repeatGap = 120 * time.Millisecond

// heldKey tells a key that is pressed again from one that is held down, so that the
// key that answered a question answers no question that the user has not read.
//
// The rule: a key that the terminal reports as held down, or that comes again
// within repeatGap, is held down. It answers nothing until another key was
// pressed or it was not for 700 ms (quiet). An enter that comes within 700 ms of
// an enter that answered does nothing either. A digit that comes within 700 ms of
// the same digit that answered may be the first repeat of a held key, or pressed
// again: it counts once repeatGap has passed without another key.
type heldKey struct {
	key      string    // pressed last; empty after a click or a paste
	at       time.Time // when
	runs     bool      // it is held down
	answered bool      // it answered a question, and no other key was pressed since
	dropped  bool      // it did nothing
	number   int       // of presses, to tell an outdated DeferredKey from the latest
}

// DeferredKey is a key that counts after a delay unless another one is pressed
// before.
type DeferredKey struct {
	Key    tea.KeyPressMsg
	After  time.Duration
	number int
}

// verdict says what becomes of a key that would answer.
type verdict int

const (
	accepted verdict = iota
	ignored          // it is held down
	deferred         // it counts unless another key follows at once
)

// press takes note of a key, and says what becomes of it if it would answer.
func (h *heldKey) press(msg tea.KeyPressMsg, now time.Time) verdict {
	k, gap := msg.String(), now.Sub(h.at)
	again := k == h.key && gap < Quiet
	if !again {
		*h = heldKey{key: k, number: h.number}
	}
	h.number++
	h.at, h.dropped = now, false
	h.runs = h.runs || msg.IsRepeat || again && gap <= repeatGap
	switch {
	case h.runs, h.answered && !isDigit(k):
		return ignored
	case h.answered:
		return deferred
	}
	return accepted
}

// later defers the key that was pressed last.
func (h *heldKey) later(msg tea.KeyPressMsg, in time.Duration) Result {
	return Result{Deferred: &DeferredKey{msg, in, h.number}}
}

// release forgets the key after a click or a paste.
func (h *heldKey) release() { *h = heldKey{number: h.number + 1} }

// ignores reports whether a key did nothing just now.
func (h *heldKey) ignores(now time.Time) bool { return h.dropped && now.Sub(h.at) < Quiet }

func isDigit(k string) bool { return len(k) == 1 && k[0] >= '0' && k[0] <= '9' }

// endPause is the pause that follows when the end of a long command came into
// view: a key that approves counts once no key was pressed for 700 ms (quiet).
type endPause struct{ since time.Time } // zero if no pause is due

func (p *endPause) begin(now time.Time) { p.since = now }

// over reports whether a key can approve.
func (p *endPause) over(now time.Time) bool { return p.since.IsZero() || now.Sub(p.since) >= Quiet }

// press takes note of a key: it ends the pause, or begins it again.
func (p *endPause) press(now time.Time) {
	if p.over(now) {
		p.since = time.Time{}
		return
	}
	p.since = now
}
