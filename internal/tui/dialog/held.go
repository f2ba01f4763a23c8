package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// RepeatGap is how soon a key comes again at most if it is held down: systems
// repeat it every 25 to 90 ms. Hardly a user presses a key twice in that time.
const RepeatGap = 120 * time.Millisecond

// HeldKey tells a key that is pressed again from one that is held down, so that the
// key that answered a question answers no question that the user has not read.
//
// The rule: a key that the terminal reports as held down, or that comes again
// within repeatGap, is held down. It answers nothing until another key was
// pressed or it was not for 700 ms (quiet). An enter that comes within 700 ms of
// an enter that answered does nothing either. A digit that comes within 700 ms of
// the same digit that answered may be the first repeat of a held key, or pressed
// again: it counts once repeatGap has passed without another key.
type HeldKey struct {
	key      string    // pressed last; empty after a click or a paste
	at       time.Time // when
	runs     bool      // it is held down
	Answered bool      // it answered a question, and no other key was pressed since
	Dropped  bool      // it did nothing
	Number   int       // of presses, to tell a heldDue that is outdated
}

// DeferredKey says that a digit was not followed by another key.
type DeferredKey struct {
	Number int
	Key    tea.KeyPressMsg
}

// Verdict says what becomes of a key that would answer.
type Verdict int

const (
	Accept Verdict = iota
	Ignore         // it is held down
	Defer          // it counts unless another key follows at once
)

// Press takes note of a key, and says what becomes of it if it would answer.
func (h *HeldKey) Press(msg tea.KeyPressMsg, now time.Time) Verdict {
	k, gap := msg.String(), now.Sub(h.at)
	again := k == h.key && gap < Quiet
	if !again {
		*h = HeldKey{key: k, Number: h.Number}
	}
	h.Number++
	h.at, h.Dropped = now, false
	h.runs = h.runs || msg.IsRepeat || again && gap <= RepeatGap
	switch {
	case h.runs, h.Answered && !isDigit(k):
		return Ignore
	case h.Answered:
		return Defer
	}
	return Accept
}

// Release forgets the key after a click or a paste.
func (h *HeldKey) Release() { *h = HeldKey{Number: h.Number + 1} }

// ignores reports whether a key did nothing just now.
func (h *HeldKey) ignores(now time.Time) bool { return h.Dropped && now.Sub(h.at) < Quiet }

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
