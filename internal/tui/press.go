package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
)

// press passes a key to the layers. Help and lists receive single keys, all others
// complete key sequences.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	stops := m.Busy() && m.Keys.Is(msg.String(), keys.Interrupt) && !m.Keys.Is(msg.String(), keys.Dismiss)
	if m.layers.Full() != nil {
		if stops && !m.delegate.Typing() { // the key also closes the list
			m.interrupt()
		}
		return m.layers.Key(msg)
	}
	msg, complete := m.chords(msg)
	if !complete {
		return nil
	}
	selected := m.mouse.selected()
	m.Flash, m.LastKey = "", m.Now()
	m.Transcript.ClearSelection()
	m.mouse.p.drags, m.mouse.p.sweeps = false, false
	m.editor.Selection.Release()
	if m.Keys.Is(msg.String(), keys.CopySelection) && selected != "" {
		return m.prompt.Clipboard.CopySelection(selected)
	}
	m.arm()
	if cancels := m.Keys.Is(msg.String(), keys.Interrupt) || m.Keys.Is(msg.String(), keys.Clear); cancels && !m.Busy() && !m.dialog.Waits() && m.slash.CancelUndo() {
		return nil
	}
	if stops && !(m.pager.Open() && m.Keys.Is(msg.String(), keys.ViewClose)) {
		m.interrupt()
		return nil
	}
	if m.layers.Covers(m.question) {
		m.dialog.Elsewhere()
	}
	return m.layers.Key(msg)
}

// chords appends a key to an incomplete key sequence and reports whether the result
// is complete. A key that is a vi command does not begin a sequence.
func (m *model) chords(msg tea.KeyPressMsg) (_ tea.KeyPressMsg, complete bool) {
	if m.hints.chord == "" && m.editor.Mode.Knows(msg.String()) {
		return msg, true
	}
	msg, m.hints.chord, complete = m.Keys.Chord(m.hints.chord, msg)
	return msg, complete
}

// pressDue handles a key that the dialog has deferred.
func (m *model) pressDue(due dialog.DeferredKey) tea.Cmd {
	if m.covered() {
		return nil
	}
	m.dialog.Tick()
	cmd, to := m.question.carryOut(m.dialog.Due(due))
	return tea.Batch(cmd, m.layers.KeyBelow(m.question, due.Key, to))
}

// paste inserts pasted text. A paste never sends a prompt or answers a dialog.
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

// pasteEnter inserts text that was pasted without markers and ended in Enter, which sends
// the prompt. It answers no dialog and runs no command: that needs an Enter of its own.
func (m *model) pasteEnter(text string) tea.Cmd {
	cmd := m.paste(text)
	draft := strings.TrimSpace(m.editor.Text())
	if m.covered() || m.dialog.Waits() || m.layers.Full() != nil || m.editor.History.Searching() || strings.HasPrefix(draft, "!") || strings.HasPrefix(draft, "/") {
		return cmd
	}
	return tea.Batch(cmd, m.prompt.Submit())
}

// interrupt interrupts the turn and the user's shell command; a second time, it kills
// a command that has not ended. Text typed in the dialog becomes the draft. The
// questions of background delegates stay.
func (m *model) interrupt() {
	m.Interrupt()
	m.dialog.Release()
	m.prompt.EndQuestions(func(ask event.Ask) bool { return !m.AsksInBackground(ask) })
}
