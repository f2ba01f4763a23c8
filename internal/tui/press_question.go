package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
)

// pressHeld takes a key for the dialog. One that is held down answers nothing,
// and a digit that may be waits until it is known.
func (m *model) pressHeld(msg tea.KeyPressMsg, v dialog.Verdict, now time.Time) tea.Cmd {
	d := m.dialog
	if d.AnswersWith(msg.String()) {
		switch v {
		case dialog.Ignore:
			d.Held.Dropped = true
			return nil
		case dialog.Defer:
			return m.deferKey(msg, dialog.RepeatGap)
		}
	}
	return m.pressDialog(msg, now)
}

// deferKey has a key count after that time, unless another one is pressed.
func (m *model) deferKey(msg tea.KeyPressMsg, in time.Duration) tea.Cmd {
	return m.after(in, dialog.DeferredKey{Number: m.dialog.Held.Number, Key: msg})
}

// pressDeferred takes a key that waited to be told from one that is held down.
func (m *model) pressDeferred(due dialog.DeferredKey) tea.Cmd {
	now := m.now()
	m.arm(now)
	if due.Number != m.dialog.Held.Number || !m.dialog.Takes() || m.covered() || m.dialog.Comment.Open {
		return nil
	}
	return m.pressDialog(due.Key, now)
}
