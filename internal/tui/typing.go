package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/terminal"
)

// dismisses reports whether a key takes something away that stands before the
// turn: suggestions, a search, a mode of vi.
func (h *hints) dismisses(k string) bool {
	switch {
	case !h.keys.Is(k, keys.Dismiss):
		return false
	case h.dialog.Takes():
		return h.dialog.Dismisses()
	}
	return h.find.typing || h.popup.open() || h.editor.History.Searching() || h.editor.Mode.HandlesEscape() || h.editor.Selection.ByKeys()
}

// tookTyping takes a message for what helps to type. It reports whether it was
// one.
func (m *model) tookTyping(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case filesFound:
		return m.popup.take(msg), true
	case filesDue:
		return m.popup.askAgain(msg), true
	case earlierRead:
		m.earlier.take(msg)
	case draftFiled:
		return m.external.open(msg), true
	case draftEdited:
		m.external.take(msg)
	case picturesRead:
		return m.images.take(msg), true
	case clipboardRead:
		m.images.takeClipboard(msg)
	case terminal.Pasting, terminal.PasteCut, terminal.PasteTooLarge:
		m.pasteGoes(msg)
	default:
		return nil, false
	}
	return nil, true
}

// pressTyping takes a key for what helps to type: the suggestions, the search
// for an earlier prompt, and what begins such.
func (m *model) pressTyping(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	k, e := msg.String(), m.editor
	m.images.sends, m.images.later, m.earlier.walks = false, false, false
	if e.History.Searching() {
		return nil, e.History.Press(msg, m.earlier.prompts())
	}
	if cmd, taken := m.popup.press(k); taken {
		return cmd, true
	}
	if cmd, taken := m.pressVi(msg); taken {
		return cmd, true
	}
	switch {
	case m.keys.Is(k, keys.StepRight) && e.Caret() < len(e.Raw()), m.keys.Is(k, keys.StepUp) && e.CaretRow() > 0:
		e.Press(msg)
		return nil, true
	case m.keys.Is(k, keys.Search) && e.Mode.Hint() == "":
		e.History.Search()
		return m.earlier.read(), true
	case m.keys.Is(k, keys.Edit):
		return m.external.start(), true
	case m.keys.Is(k, keys.Attach):
		return m.images.pasteClipboard(false), true
	case m.keys.Is(k, keys.PrevPrompt) && m.queue.edit():
		return nil, true
	case m.keys.Is(k, keys.PrevPrompt):
		return m.earlier.walkBack()
	case m.keys.Is(k, keys.NextPrompt):
		return nil, e.History.Walk(false, m.earlier.prompts())
	}
	return nil, false
}

// pasteTyped takes text that is pasted into the editor, or into what is searched
// for.
func (m *model) pasteTyped(text string) tea.Cmd {
	if h := &m.editor.History; h.Searching() {
		line, _, _ := strings.Cut(strings.TrimSpace(editor.Typable(text)), "\n")
		h.Extend(line, m.earlier.prompts())
		return nil
	}
	if text == "" { // all that a terminal can paste of an image
		return m.images.pasteClipboard(true)
	}
	m.editor.Paste(text)
	return m.images.lookAtPaste(strings.TrimSpace(editor.UnixLines(text)))
}

// typedOn looks at what is typed after every message.
func (m *model) typedOn() tea.Cmd {
	if seen := [2]int{m.editor.Revision(), m.editor.Caret()}; seen != m.popup.seen {
		m.popup.seen = seen
		if m.editor.Empty() {
			m.images.tried = nil
		}
		return tea.Batch(m.popup.suggest(), m.images.typedImage())
	}
	return nil
}

// unread reports whether the prompt names what may be an image that was not read
// yet. It is sent once it was, which cmd sees to.
func (a *attacher) unread() (cmd tea.Cmd, waits bool) {
	raw := strings.TrimRight(a.editor.Raw(), " \n")
	cmd = a.lookAt(lastWord(raw[strings.LastIndexByte(raw, '\n')+1:]))
	a.sends = a.reads > 0
	return cmd, a.sends
}
