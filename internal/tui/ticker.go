package tui

import (
	"time"

	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// ticker advances everything that changes with time: the spinner, the elapsed times,
// and the layers.
type ticker struct {
	*screen.Window
	transcript *transcript.Transcript
	feed       *transcript.Feed
	activity   *activity
	layers     *layer.Stack
	waits      func() bool // reports whether a dialog waits for the user

	ticking      bool      // a tick timer is running
	advanced     time.Time // when advance last ran
	spinOnStream bool      // streamed text drives the spinner
}

// needsTick reports whether a tick is needed.
func (t *ticker) needsTick() bool {
	return !t.Done && (t.layers.Animates() || t.feed.Delegating() || t.feed.Busy() && !t.waits())
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

// advance updates the spinner, the token count and the layers.
func (t *ticker) advance() {
	t.transcript.Frame++
	t.feed.Tick()
	t.advanced = t.Now()
	t.activity.count()
	t.layers.Tick()
}
