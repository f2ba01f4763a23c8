package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/keys"
)

// cancel decides what ctrl+c does, from what is on top:
//
//	on top                                    while a turn runs     otherwise
//	a message to a delegate is typed          leaves the message    leaves the message
//	a list, help, transcript of a delegate    interrupts, closes    closes
//	files are compared for an undo            -                     cancels the undo, as esc does
//	search of the transcript                  interrupts            closes
//	full-screen transcript                    interrupts            closes
//	question of the program                   interrupts            chooses its last row
//	question of the agent or of a delegate    interrupts            as without it
//	search of the prompt history, of vi       interrupts            ends, restores the draft
//	a mode or command of vi, with a draft     interrupts            as esc does
//	a draft                                   interrupts            moves it to the prompt history
//	an empty prompt                           interrupts            quits the second time
//
// An interrupt applies to the turn and to a shell command of the user: see interrupt. What
// closes or ends is the top layer that has something to end: see layer.Canceler.
//
// Ctrl+c is bound to two actions, "interrupt" and "clear". A key that is bound only to the
// first acts as in the first column, and one that is bound only to the second always as in
// the last column. Before the keys get here, package terminal cancels with ctrl+c a paste
// that is still being received.
//
// It reports false if k is another key, or ends nothing.
func (m *model) cancel(k string) (cmd tea.Cmd, done bool) {
	interrupts, clears := m.Keys.Is(k, keys.Interrupt), m.Keys.Is(k, keys.Clear)
	stops := m.session.Busy() && interrupts && !m.Keys.Is(k, keys.Dismiss)
	switch full := m.layers.Full(); {
	case full != nil && (stops || clears):
		if w, ok := full.(writer); stops && !(ok && w.Writing()) {
			m.interrupt()
		}
		return m.layers.Cancel(), true
	case full != nil:
		return nil, false
	case (interrupts || clears) && !m.session.Busy() && !m.dialog.Waits() && m.slash.CancelUndo():
		return nil, true
	case stops && !m.pagerCloses(k):
		m.interrupt()
		return nil, true
	case clears:
		m.typedElsewhere()
		return m.layers.Cancel(), true
	}
	return nil, false
}

// writer is a full-screen layer in which the user can type a message.
type writer interface{ Writing() bool }

// pagerCloses reports whether k closes the pager.
func (m *model) pagerCloses(k string) bool { return m.pager.Open() && m.Keys.Is(k, keys.ViewClose) }

// interrupt interrupts the turn and the user's shell command; a second time, it kills
// a command that has not ended. Text typed in the dialog becomes the draft. The
// questions of background delegates stay.
func (m *model) interrupt() {
	m.session.Interrupt()
	m.dialog.Release()
	m.prompt.Questions.End(func(ask event.Ask) bool { return !m.session.Delegates.AskInBackground(ask) })
}
