package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
)

// escapes reports whether esc means something to the editor itself: it ends
// insert mode, or a command of vi that is not whole.
func (e *editor) escapes() bool {
	return e.vi != nil && (e.vi.Mode() != vi.Normal || e.vi.Pending() != "")
}

// mode says in which mode of vi the keys are, where that is worth telling.
func (e *editor) mode() string {
	if e.vi == nil || e.vi.Mode() == vi.Insert {
		return ""
	}
	mode := string(e.vi.Mode())
	if p := ink.SanitizeLine(e.vi.Pending()); p != "" {
		const room = 30 // of what is typed, the end is worth seeing
		if w := ansi.StringWidth(p); w > room {
			p = ansi.TruncateLeft(p, w-room, "…")
		}
		mode += " · " + p
	}
	return mode
}

// inserting says that letters are typed, where they need not be.
func (e *editor) inserting() string {
	if e.vi == nil {
		return ""
	}
	return string(e.vi.Mode())
}

// commands reports whether keys begin commands of vi: it is in normal mode, and
// none is begun.
func (e *editor) commands() bool {
	return e.vi != nil && e.vi.Mode() == vi.Normal && e.vi.Pending() == ""
}

// asks reports whether a line is typed that is not the text: what vi is to look
// for. It has all keys.
func (e *editor) asks() bool { return e.vi != nil && e.vi.Asks() }

// copied is what was copied for other programs, with pastes written out.
func (e *editor) copied() (text string, ok bool) {
	if e.gives != nil {
		text, e.gives = *e.gives, nil
		return text, true
	}
	if e.vi == nil {
		return "", false
	}
	text, ok = e.vi.Copied()
	return e.tokens.expand(text), ok
}

// clipboard tells vi what was copied.
func (e *editor) clipboard(text string) {
	if e.vi != nil {
		e.vi.Clipboard(text)
	}
}

// pressVi takes a key of vi that means something to more than the text: what is
// begun with it belongs to the program.
func (m *model) pressVi(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	k, e := msg.String(), m.editor
	switch {
	case e.asks():
		e.press(msg)
		return nil, true
	case !e.commands():
	case k == ":":
		return m.palette(), true
	case k == "/" && e.empty(): // there is nothing to look in: it begins a command
		e.vi.Press("i")
	case k == "k":
		return m.walkBack()
	case k == "j":
		return nil, e.walkPrompts(false, m.prompts())
	}
	return nil, false
}

// chords joins a key with those that were pressed before it, but for one that
// vi knows as a command of its own.
func (m *model) chords(msg tea.KeyPressMsg) (_ tea.KeyPressMsg, whole bool) {
	if e := m.editor; m.chord == "" && e.vi != nil && e.vi.Mode() == vi.Normal && e.vi.Knows(msg.String()) {
		return msg, true
	}
	msg, m.chord, whole = m.keys.Chord(m.chord, msg)
	return msg, whole
}
