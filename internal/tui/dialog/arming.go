package dialog

import "time"

const (
	// Quiet is how long no key may be pressed before a new question takes keys.
	Quiet = 700 * time.Millisecond
	// QuietNext is the same for a question that directly follows an answer.
	QuietNext = 150 * time.Millisecond
	// following is how long after an answer a new question directly follows it.
	following = 2 * time.Second
)

// arming decides when a question takes keys, so that no key that was meant for
// the draft or for the question before answers it. A question takes keys once a
// pause without any has passed since it appeared.
type arming struct {
	ready    bool      // the question takes keys
	next     bool      // it directly follows an answer, and no text was typed since
	alike    bool      // it and the answered one are approvals of tool calls: the short pause is enough
	approval bool      // the question that last took a key is one
	last     time.Time // when it appeared, or the last key that it did not take
	answered time.Time // when a question last took a key; zero once text was typed
}

// appear starts the wait for a question that is shown from now on. approval says
// that it is the approval of a tool call.
func (a *arming) appear(now time.Time, approval bool) {
	a.ready, a.last = false, now
	a.next = !a.answered.IsZero() && now.Sub(a.answered) < following
	a.alike = a.next && a.approval && approval
}

// hold takes the keys away from the question until the next pause.
func (a *arming) hold(now time.Time) { a.ready, a.next, a.last = false, false, now }

// typed notes a key, a paste or a click that went elsewhere.
func (a *arming) typed(now time.Time) { a.last, a.next, a.answered = now, false, time.Time{} }

// took notes a key that the question took.
func (a *arming) took(now time.Time, approval bool) { a.answered, a.approval = now, approval }

// advance makes the question ready once the pause has passed.
func (a *arming) advance(now time.Time) { a.ready = a.ready || a.rest(now) <= 0 }

// rest is how much of the pause is left.
func (a *arming) rest(now time.Time) time.Duration {
	pause := Quiet
	if a.next && a.alike {
		pause = QuietNext
	}
	return pause - now.Sub(a.last)
}
