package editor

import (
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
)

// Mode is the mode of vi that the keys are in. Without vi, none is.
type Mode struct{ vi *vi.Vi }

// HandlesEscape reports whether esc means something to vi: it ends
// insert mode, or a command of vi that is not whole.
func (m Mode) HandlesEscape() bool {
	return m.vi != nil && (m.vi.Mode() != vi.Normal || m.vi.Pending() != "")
}

// Hint says in which mode of vi the keys are, empty for insert mode.
func (m Mode) Hint() string {
	if m.vi == nil || m.vi.Mode() == vi.Insert {
		return ""
	}
	mode := string(m.vi.Mode())
	if p := ink.SanitizeLine(m.vi.Pending()); p != "" {
		const room = 30 // of what is typed, the end is worth seeing
		if w := ansi.StringWidth(p); w > room {
			p = ansi.TruncateLeft(p, w-room, "…")
		}
		mode += " · " + p
	}
	return mode
}

// Name is the mode of vi, empty without vi.
func (m Mode) Name() string {
	if m.vi == nil {
		return ""
	}
	return string(m.vi.Mode())
}

// Normal reports whether keys begin commands of vi: it is in normal mode, and
// none is begun.
func (m Mode) Normal() bool {
	return m.vi != nil && m.vi.Mode() == vi.Normal && m.vi.Pending() == ""
}

// Knows reports whether vi takes a key as a command of its own: it is in
// normal mode and knows the key.
func (m Mode) Knows(k string) bool {
	return m.vi != nil && m.vi.Mode() == vi.Normal && m.vi.Knows(k)
}

// InCommandLine reports whether a line is typed that is not the text: what vi is to look
// for. It has all keys.
func (m Mode) InCommandLine() bool { return m.vi != nil && m.vi.Asks() }

// selection is the range that visual mode selected.
func (m Mode) selection() (from, to int, ok bool) {
	if m.vi == nil {
		return 0, 0, false
	}
	return m.vi.Selection()
}

// Begin starts a new text, in which letters are typed.
func (m Mode) Begin() {
	if m.vi != nil {
		m.vi.Begin()
	}
}

// moved notes that something else moved the caret.
func (m Mode) moved() {
	if m.vi != nil {
		m.vi.Moved()
	}
}

// replaced notes that something else replaced the text.
func (m Mode) replaced() {
	if m.vi != nil {
		m.vi.Replaced()
	}
}
