package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
)

// press passes a key to the layers. Full-screen layers receive single keys, all others
// complete key sequences.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	if m.layers.Full() != nil {
		return m.offer(msg)
	}
	msg, complete := m.chords(msg)
	if !complete {
		return nil
	}
	selected := m.selected()
	m.Flash, m.LastKey = "", m.Now()
	m.session.Transcript.Selection.Clear()
	m.mouse.drags = false
	m.layers.LetGo()
	m.editor.Selection.Release()
	if m.Keys.Is(msg.String(), keys.CopySelection) && selected != "" {
		return m.prompt.Clipboard.CopySelection(selected)
	}
	m.question.Tick()
	return m.offer(msg)
}

// offer handles ctrl+c, and offers any other key to the layers.
func (m *model) offer(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, done := m.cancel(msg.String()); done {
		return cmd
	}
	m.typedElsewhere()
	return m.layers.Key(msg)
}

// typedElsewhere tells the dialog about a key or a paste if another layer, which is drawn
// in the panel, covers it.
func (m *model) typedElsewhere() {
	if m.layers.Full() == nil && m.layers.Covers(m.question) {
		m.dialog.Elsewhere()
	}
}

// chords appends a key to an incomplete key sequence and reports whether the result
// is complete. A key that is a vi command does not begin a sequence.
func (m *model) chords(msg tea.KeyPressMsg) (_ tea.KeyPressMsg, complete bool) {
	if m.display.chord == "" && m.editor.Mode.Knows(msg.String()) {
		return msg, true
	}
	msg, m.display.chord, complete = m.Keys.Chord(m.display.chord, msg)
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
		m.question.Tick()
		m.typedElsewhere()
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
