package tui

import (
	"time"

	"agent/internal/tui/agents"
	"agent/internal/tui/dialog"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// ticker advances everything that changes with time: the spinner, the elapsed times,
// and the hints that expire.
type ticker struct {
	*screen.Window
	transcript *transcript.Transcript
	feed       *transcript.Feed
	dialog     *dialog.Dialog
	prompt     *prompt.Prompt
	hints      *hints
	delegate   *agents.View
	covered    func() bool // reports whether another layer gets keys before the dialog
	arm        func()      // lets the dialog take keys after a pause in typing

	ticking      bool      // a tick timer is running
	advanced     time.Time // when advance last ran
	spinOnStream bool      // streamed text drives the spinner
}

// needsTick reports whether a tick is needed.
func (t *ticker) needsTick() bool {
	switch {
	case t.Done:
		return false
	case t.prompt.AwaitsSecondKey(), t.delegate.Watching():
		return true
	case t.dialog.Waits():
		return t.feed.Delegating() || !t.covered() && t.dialog.Animates()
	}
	return t.feed.Busy() || t.feed.Delegating()
}

// advanceWithText advances with a batch of streamed text, which is drawn anyway. This saves
// the ticks while text streams.
func (t *ticker) advanceWithText(b batch) {
	if t.ticking && b.onlyStreams() && t.Now().Sub(t.advanced) >= spinnerPause {
		t.advance()
		t.spinOnStream = true
	}
}

// tick advances, unless streamed text did so recently.
func (t *ticker) tick() {
	t.ticking = false
	if t.spinOnStream && t.Now().Sub(t.advanced) < 2*spinnerPause {
		return
	}
	t.advance()
	t.spinOnStream = false
}

// nextTick returns the time until the next tick.
func (t *ticker) nextTick() time.Duration {
	if t.spinOnStream {
		return 3 * spinnerPause
	}
	return spinnerPause
}

// advance updates the spinner and the token count, and expires hints.
func (t *ticker) advance() {
	t.transcript.Frame++
	t.feed.Tick()
	t.delegate.Tick()
	t.advanced = t.Now()
	t.hints.countTokens()
	t.prompt.Expire()
	t.arm()
}
