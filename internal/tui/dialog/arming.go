package dialog

import "time"

const (
	// Quiet is the pause without keys after which a new question takes keys.
	Quiet = 700 * time.Millisecond
	// QuietNext is the pause for an approval that directly follows another one.
	QuietNext = 150 * time.Millisecond
	// following is the time within which a new question directly follows an answer.
	following = 2 * time.Second
)

// arming decides when a question takes keys. A question takes keys only after a
// pause without key presses, so that a key meant for the draft or for the previous
// question never answers it.
type arming struct {
	ready    bool      // the question takes keys
	next     bool      // the question directly follows an answer, and no text was typed since
	alike    bool      // this question and the answered one are routine: QuietNext applies
	routine  bool      // the question that last took a key is routine
	last     time.Time // when the question appeared, or the last key that it did not take
	answered time.Time // when a question last took a key; zero once text was typed
}

// appear starts the pause for a question that is now shown. approval says whether
// it is routine: see routine.
func (a *arming) appear(now time.Time, routine bool) {
	a.ready, a.last = false, now
	a.next = !a.answered.IsZero() && now.Sub(a.answered) < following
	a.alike = a.next && a.routine && routine
}

// soon lets a question that the user requested take keys after QuietNext.
func (a *arming) soon() { a.next, a.alike = true, true }

// hold stops the question from taking keys until the next pause.
func (a *arming) hold(now time.Time) { a.ready, a.next, a.last = false, false, now }

// typed records a key, a paste or a click that went elsewhere.
func (a *arming) typed(now time.Time) { a.last, a.next, a.answered = now, false, time.Time{} }

// took records a key that the question took.
func (a *arming) took(now time.Time, routine bool) { a.answered, a.routine = now, routine }

// advance makes the question ready once the pause has passed.
func (a *arming) advance(now time.Time) { a.ready = a.ready || a.remaining(now) <= 0 }

// remaining returns the time left of the pause.
func (a *arming) remaining(now time.Time) time.Duration {
	pause := Quiet
	if a.next && a.alike {
		pause = QuietNext
	}
	return pause - now.Sub(a.last)
}
