package tui

import (
	"time"

	"agent/internal/tui/dialog"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
)

// ticker moves what moves with time alone: the spinner and the clocks. It ends the
// wait for a second press of a key.
type ticker struct {
	*screen.Conversation
	dialog  *dialog.Dialog
	prompt  *prompt.Prompt
	hints   *hints
	covered func() bool // reports whether something else has the keys before a question
	arm     func()      // lets the dialog take keys once nobody types

	ticking bool      // a tick is on its way
	moved   time.Time // when what moves last did
	along   bool      // with text that streams
}

// moves reports whether anything changes with time alone.
func (t *ticker) moves() bool {
	if t.dialog.Waits() {
		return !t.Done && !t.covered() && t.dialog.Animates()
	}
	return !t.Done && (t.Busy() || t.prompt.HalfPressed())
}

// moveAlong moves what moves with a batch that is drawn anyway: while text
// streams nothing else need wake the program for it.
func (t *ticker) moveAlong(b batch) {
	if t.ticking && b.onlyStreams() && t.Now().Sub(t.moved) >= spin {
		t.move()
		t.along = true
	}
}

// tick moves what moves, unless what streams does.
func (t *ticker) tick() {
	t.ticking = false
	if t.along && t.Now().Sub(t.moved) < 2*spin {
		return
	}
	t.move()
	t.along = false
}

// nextTick is how long the next tick can wait.
func (t *ticker) nextTick() time.Duration {
	if t.along {
		return 3 * spin
	}
	return spin
}

// move moves what moves with time alone.
func (t *ticker) move() {
	t.Transcript.Frame++
	t.Feed.Tick()
	t.moved = t.Now()
	t.hints.tokens = t.Spending.TurnOutput()
	t.prompt.Expire()
	t.arm()
}
