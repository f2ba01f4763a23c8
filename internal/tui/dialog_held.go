package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// repeatGap is how soon a key comes again at most if it is held down: systems
// repeat it every 25 to 90 ms. Hardly a user presses a key twice in that time.
const repeatGap = 120 * time.Millisecond

// held tells a key that is pressed again from one that is held down, so that the
// key that answered a question answers no question that the user has not read.
//
// The rule: a key that the terminal reports as held down, or that comes again
// within repeatGap, is held down. It answers nothing until another key was
// pressed or it was not for 700 ms (quiet). An enter that comes within 700 ms of
// an enter that answered does nothing either. A digit that comes within 700 ms of
// the same digit that answered may be the first repeat of a held key, or pressed
// again: it counts once repeatGap has passed without another key.
type held struct {
	key      string    // pressed last; empty after a click or a paste
	at       time.Time // when
	runs     bool      // it is held down
	answered bool      // it answered a question, and no other key was pressed since
	dropped  bool      // it did nothing
	number   int       // of presses, to tell a heldDue that is outdated
}

// heldDue says that a digit was not followed by another key.
type heldDue struct {
	number int
	key    tea.KeyPressMsg
}

// verdict says what becomes of a key that would answer.
type verdict int

const (
	take  verdict = iota
	drop          // it is held down
	later         // it counts unless another key follows at once
)

// press takes note of a key, and says what becomes of it if it would answer.
func (h *held) press(msg tea.KeyPressMsg, now time.Time) verdict {
	k, gap := msg.String(), now.Sub(h.at)
	again := k == h.key && gap < quiet
	if !again {
		*h = held{key: k, number: h.number}
	}
	h.number++
	h.at, h.dropped = now, false
	h.runs = h.runs || msg.IsRepeat || again && gap <= repeatGap
	switch {
	case h.runs, h.answered && !isDigit(k):
		return drop
	case h.answered:
		return later
	}
	return take
}

// release forgets the key after a click or a paste.
func (h *held) release() { *h = held{number: h.number + 1} }

// ignores reports whether a key did nothing just now.
func (h *held) ignores(now time.Time) bool { return h.dropped && now.Sub(h.at) < quiet }

func isDigit(k string) bool { return len(k) == 1 && k[0] >= '0' && k[0] <= '9' }

// endPause is the pause that follows when the end of a long command came into
// view: a key that approves counts once no key was pressed for 700 ms (quiet).
type endPause struct{ since time.Time } // zero if no pause is due

func (p *endPause) begin(now time.Time) { p.since = now }

// over reports whether a key can approve.
func (p *endPause) over(now time.Time) bool { return p.since.IsZero() || now.Sub(p.since) >= quiet }

// press takes note of a key: it ends the pause, or begins it again.
func (p *endPause) press(now time.Time) {
	if p.over(now) {
		p.since = time.Time{}
		return
	}
	p.since = now
}

// pressHeld takes a key for the dialog. One that is held down answers nothing,
// and a digit that may be waits until it is known.
func (m *model) pressHeld(msg tea.KeyPressMsg, v verdict, now time.Time) tea.Cmd {
	d := m.dialog
	if d.answersWith(msg.String()) {
		switch v {
		case drop:
			d.held.dropped = true
			return nil
		case later:
			return m.deferKey(msg, repeatGap)
		}
	}
	return m.pressDialog(msg, now)
}

// deferKey has a key count after that time, unless another one is pressed.
func (m *model) deferKey(msg tea.KeyPressMsg, in time.Duration) tea.Cmd {
	return m.after(in, heldDue{m.dialog.held.number, msg})
}

// pressDeferred takes a key that waited to be told from one that is held down.
func (m *model) pressDeferred(due heldDue) tea.Cmd {
	now := m.now()
	m.arm(now)
	if due.number != m.dialog.held.number || !m.dialog.takes() || m.covered() || m.dialog.comment.open {
		return nil
	}
	return m.pressDialog(due.key, now)
}
