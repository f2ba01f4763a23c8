package dialog

import (
	"time"

	"agent/internal/loop/event"
)

// attention judges whether a key is meant for the question: whether the user has paused
// since it appeared, presses the key instead of holding it down, and has seen the end of a
// long body.
type attention struct {
	now    func() time.Time
	arming arming
	held   heldKey
	end    endPause
}

// Tick lets the question take keys once the pause has passed.
func (a *attention) Tick() { a.arming.advance(a.now()) }

// Hold stops the question from taking keys until the next pause.
func (a *attention) Hold() { a.arming.hold(a.now()) }

// Release records a key that a layer above the dialog handled.
func (a *attention) Release() { a.held.release() }

// Elsewhere records a key, a paste or a click that was meant for something else.
func (a *attention) Elsewhere() {
	a.held.release()
	a.arming.typed(a.now())
}

// took records that the question took a key, a paste or a click.
func (a *attention) took(ask event.Ask) { a.arming.took(a.now(), routine(ask)) }

// changing reports whether keys will be judged differently as time passes.
func (a *attention) changing() bool {
	now := a.now()
	return !a.arming.ready || a.held.ignores(now) || !a.end.over(now)
}
