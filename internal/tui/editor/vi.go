package editor

import (
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
)

// HandlesEscape reports whether esc means something to the editor itself: it ends
// insert mode, or a command of vi that is not whole.
func (e *Editor) HandlesEscape() bool {
	return e.Vi != nil && (e.Vi.Mode() != vi.Normal || e.Vi.Pending() != "")
}

// ModeHint says in which mode of vi the keys are, where that is worth telling.
func (e *Editor) ModeHint() string {
	if e.Vi == nil || e.Vi.Mode() == vi.Insert {
		return ""
	}
	mode := string(e.Vi.Mode())
	if p := ink.SanitizeLine(e.Vi.Pending()); p != "" {
		const room = 30 // of what is typed, the end is worth seeing
		if w := ansi.StringWidth(p); w > room {
			p = ansi.TruncateLeft(p, w-room, "…")
		}
		mode += " · " + p
	}
	return mode
}

// ModeName says that letters are typed, where they need not be.
func (e *Editor) ModeName() string {
	if e.Vi == nil {
		return ""
	}
	return string(e.Vi.Mode())
}

// InNormalMode reports whether keys begin commands of vi: it is in normal mode, and
// none is begun.
func (e *Editor) InNormalMode() bool {
	return e.Vi != nil && e.Vi.Mode() == vi.Normal && e.Vi.Pending() == ""
}

// IsCommandKey reports whether vi takes a key as a command of its own: it is in
// normal mode and knows the key.
func (e *Editor) IsCommandKey(k string) bool {
	return e.Vi != nil && e.Vi.Mode() == vi.Normal && e.Vi.Knows(k)
}

// InCommandLine reports whether a line is typed that is not the text: what vi is to look
// for. It has all keys.
func (e *Editor) InCommandLine() bool { return e.Vi != nil && e.Vi.Asks() }

// TakeCopied is what was copied for other programs, with pastes written out.
func (e *Editor) TakeCopied() (text string, ok bool) {
	if e.gives != nil {
		text, e.gives = *e.gives, nil
		return text, true
	}
	if e.Vi == nil {
		return "", false
	}
	text, ok = e.Vi.Copied()
	return e.Tokens.expand(text), ok
}

// SetClipboard tells vi what was copied.
func (e *Editor) SetClipboard(text string) {
	if e.Vi != nil {
		e.Vi.Clipboard(text)
	}
}
