package prompt

import (
	"time"

	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
)

// doublePress is the maximum time between the two presses of a key that quits or
// rewinds.
const doublePress = 2 * time.Second

// DoublePress remembers the first press of the keys that have an effect only when pressed twice
// on an empty prompt: ctrl+c quits, and esc edits a previous message.
type DoublePress struct {
	*screen.Window
	stops func() string // names what quitting stops; empty for nothing

	quit, rewind time.Time // when the keys were pressed; zero if not
}

// recent reports whether a key press at t can still become a double press.
func (a *DoublePress) recent(t time.Time) bool { return !t.IsZero() && a.Now().Sub(t) < doublePress }

// Quit reports whether the key that quits was pressed shortly before. If not, it starts
// the wait for the second press.
func (a *DoublePress) Quit() bool {
	if a.recent(a.quit) {
		return true
	}
	a.quit = a.Now()
	return false
}

// rewinds reports whether the key that edits a previous message was pressed shortly before,
// and forgets that.
func (a *DoublePress) rewinds() bool {
	again := a.recent(a.rewind)
	if again {
		a.rewind = time.Time{}
	}
	return again
}

// expectRewind starts the wait for the second press of that key.
func (a *DoublePress) expectRewind() { a.rewind = a.Now() }

// waits reports whether there is a first press.
func (a *DoublePress) waits() bool { return !a.quit.IsZero() || !a.rewind.IsZero() }

// expire forgets a first press after doublePress.
func (a *DoublePress) expire() {
	if !a.recent(a.quit) {
		a.quit = time.Time{}
	}
	if !a.recent(a.rewind) {
		a.rewind = time.Time{}
	}
}

// Hint says what a second press does; empty if there was no first one.
func (a *DoublePress) Hint() string {
	switch {
	case a.recent(a.quit):
		hint := a.Keys.Name(keys.Clear) + " again to quit"
		if all := a.stops(); all != "" {
			hint += " and stop " + all
		}
		return hint
	case a.recent(a.rewind):
		return a.Keys.Name(keys.Rewind) + " again to edit a message"
	}
	return ""
}
