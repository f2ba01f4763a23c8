package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// DigitPause is the time after which a digit answers. A key that follows within it shows
// that the digit begins a sentence.
const DigitPause = 500 * time.Millisecond

// repeatGap is the longest time between two repeats of a key that is held down.
// Systems repeat keys every 25 to 90 ms; users hardly press a key twice that fast.
const repeatGap = 120 * time.Millisecond

// heldKey distinguishes a key that is pressed again from one that is held down, so
// that a held key never answers a question that the user has not read.
//
// A key is held down if the terminal reports a repeat, or if it comes again within
// repeatGap. It answers nothing until another key is pressed or Quiet has passed.
// After a key that answered, an enter within Quiet is ignored: it repeats the answer, or
// confirms the digit that gave it. After a digit that answered, the same digit within Quiet
// may be a first repeat or a new press: it counts once repeatGap has passed without another
// key.
type heldKey struct {
	key      string    // the last key; empty after a click or a paste
	at       time.Time // of the last press
	runs     bool      // the key is held down
	answered bool      // the key answered a question, or confirmed one that did
	dropped  bool      // the last press was ignored
	number   int       // counts presses, to recognize an outdated DeferredKey
	waits    int       // number of the press that is deferred
	digit    bool      // the last key is a digit that answers after DigitPause
}

// DeferredKey is a key that counts after a delay unless another one is pressed
// first.
type DeferredKey struct {
	Key    tea.KeyPressMsg
	After  time.Duration
	number int
}

// verdict is the decision about a key that would answer.
type verdict int

const (
	accepted verdict = iota
	ignored          // the key is held down
	deferred         // the key counts after a delay unless another key follows
	repeated         // the key is held down and already deferred
	renewed          // the deferred key was pressed again
)

// press records a key and returns the verdict on it, in case it would answer. Sends is set for
// enter and for the key that sends a message.
func (h *heldKey) press(msg tea.KeyPressMsg, sends bool, now time.Time) verdict {
	k, gap := msg.String(), now.Sub(h.at)
	again := k == h.key && gap < Quiet
	if again && h.digit {
		h.at = now
		if msg.IsRepeat || gap <= repeatGap {
			return repeated
		}
		h.number++
		return renewed
	}
	if !again {
		*h = heldKey{key: k, answered: sends && h.answered && gap < Quiet, number: h.number}
	}
	h.number++
	h.at, h.dropped, h.digit = now, false, false
	h.runs = h.runs || msg.IsRepeat || again && gap <= repeatGap
	switch {
	case h.runs, h.answered && !isDigit(k):
		return ignored
	case h.answered:
		return deferred
	}
	return accepted
}

// due records that the deferred key acts now, and reports whether it still may.
func (h *heldKey) due(key DeferredKey, now time.Time) bool {
	if key.number != h.number {
		return false
	}
	h.at, h.digit, h.waits = now, false, 0
	return true
}

// pending reports whether the last key is deferred and has not acted.
func (h *heldKey) pending() bool { return h.waits == h.number && h.number > 0 }

// later defers the last key.
func (h *heldKey) later(msg tea.KeyPressMsg, in time.Duration) Result {
	h.waits = h.number
	return Result{Deferred: &DeferredKey{msg, in, h.number}}
}

// release forgets the key after a click or a paste.
func (h *heldKey) release() { *h = heldKey{number: h.number + 1} }

// ignores reports whether the last key was ignored a moment ago.
func (h *heldKey) ignores(now time.Time) bool { return h.dropped && now.Sub(h.at) < Quiet }

func isDigit(k string) bool { return len(k) == 1 && k[0] >= '0' && k[0] <= '9' }

// endPause is the pause after the end of a long body came into view: a key
// approves only after Quiet has passed without keys.
type endPause struct{ since time.Time } // zero if no pause is due

func (p *endPause) begin(now time.Time) { p.since = now }

// over reports whether the pause has passed, so that a key can approve.
func (p *endPause) over(now time.Time) bool { return p.since.IsZero() || now.Sub(p.since) >= Quiet }

// press records a key, which restarts a pause that has not passed.
func (p *endPause) press(now time.Time) {
	if p.over(now) {
		p.since = time.Time{}
		return
	}
	p.since = now
}
