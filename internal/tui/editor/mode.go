package editor

import (
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
)

// Mode is the vi mode of the editor. Without vi keys it does nothing.
type Mode struct{ vi *vi.Vi }

// HandlesEscape reports whether esc leaves a mode or cancels a pending command of
// vi.
func (m Mode) HandlesEscape() bool {
	return m.vi != nil && (m.vi.Mode() != vi.Normal || m.vi.Pending() != "")
}

// Hint returns the vi mode and the pending command for the status line, empty in insert mode.
func (m Mode) Hint() string {
	if m.vi == nil || m.vi.Mode() == vi.Insert {
		return ""
	}
	mode := string(m.vi.Mode())
	if p := ink.SanitizeLine(m.vi.Pending()); p != "" {
		const room = 30 // columns; the end of the command is shown
		if w := ansi.StringWidth(p); w > room {
			p = ansi.TruncateLeft(p, w-room, "…")
		}
		mode += " · " + p
	}
	return mode
}

// Name returns the vi mode, empty without vi.
func (m Mode) Name() string {
	if m.vi == nil {
		return ""
	}
	return string(m.vi.Mode())
}

// Normal reports whether vi is in normal mode without a pending command.
func (m Mode) Normal() bool {
	return m.vi != nil && m.vi.Mode() == vi.Normal && m.vi.Pending() == ""
}

// Knows reports whether vi is in normal mode and k is one of its keys.
func (m Mode) Knows(k string) bool {
	return m.vi != nil && m.vi.Mode() == vi.Normal && m.vi.Knows(k)
}

// InCommandLine reports whether the user types a vi search pattern, which takes all
// keys.
func (m Mode) InCommandLine() bool { return m.vi != nil && m.vi.Asks() }

// selection returns the range selected in visual mode.
func (m Mode) selection() (from, to int, ok bool) {
	if m.vi == nil {
		return 0, 0, false
	}
	return m.vi.Selection()
}

// Begin starts a new text in insert mode.
func (m Mode) Begin() {
	if m.vi != nil {
		m.vi.Begin()
	}
}

// moved tells vi that something else moved the caret.
func (m Mode) moved() {
	if m.vi != nil {
		m.vi.Moved()
	}
}

// replaced tells vi that something else replaced the text.
func (m Mode) replaced() {
	if m.vi != nil {
		m.vi.Replaced()
	}
}
