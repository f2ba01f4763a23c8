package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
)

// press offers a key to the layers. Help and lists get it as it is, all others
// with the keys of a chord joined.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	stops := m.Busy() && m.Keys.Is(msg.String(), keys.Interrupt) && !m.Keys.Is(msg.String(), keys.Dismiss)
	if m.layers.Full() != nil {
		if stops { // which closes them, too
			m.interrupt()
		}
		return m.layers.Key(msg)
	}
	msg, whole := m.chords(msg)
	if !whole {
		return nil
	}
	marked := m.mouse.swept()
	m.Flash, m.LastKey = "", m.Now()
	m.Transcript.ClearSelection()
	m.mouse.p.drags, m.mouse.p.sweeps = false, false
	m.editor.Selection.Release()
	if m.Keys.Is(msg.String(), keys.CopyMarked) && marked != "" {
		return m.prompt.Clipboard.CopyMarked(marked)
	}
	m.arm()
	if stops && !(m.pager.Open() && m.Keys.Is(msg.String(), keys.ViewClose)) {
		m.interrupt()
		return nil
	}
	if m.layers.Covers(m.question) {
		m.dialog.Elsewhere()
	}
	return m.layers.Key(msg)
}

// chords joins a key with those that were pressed before it, but for one that
// vi knows as a command of its own.
func (m *model) chords(msg tea.KeyPressMsg) (_ tea.KeyPressMsg, whole bool) {
	if m.hints.chord == "" && m.editor.Mode.Knows(msg.String()) {
		return msg, true
	}
	msg, m.hints.chord, whole = m.Keys.Chord(m.hints.chord, msg)
	return msg, whole
}

// pressDue takes a key that the dialog deferred.
func (m *model) pressDue(due dialog.DeferredKey) tea.Cmd {
	if m.covered() {
		return nil
	}
	m.dialog.Tick()
	cmd, to := m.question.carryOut(m.dialog.Due(due))
	return tea.Batch(cmd, m.layers.KeyBelow(m.question, due.Key, to))
}

// paste takes pasted text, which never sends and never answers anything.
func (m *model) paste(text string) tea.Cmd {
	if m.layers.Full() == nil {
		m.LastKey, m.Flash = m.Now(), ""
		m.arm()
		if m.layers.Covers(m.question) {
			m.dialog.Elsewhere()
		}
	}
	return m.layers.Paste(text)
}

// interrupt ends the turn, and a shell command of the user's. Pressed again, it
// kills what does not end. The comment on a question becomes the draft.
func (m *model) interrupt() {
	m.Interrupt()
	m.dialog.Release()
	m.prompt.Drafts.KeepComment()
	m.dialog.Clear()
}
