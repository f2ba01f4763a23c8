package terminal

import (
	"bytes"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// All terminal modes are set and reset in this file: at start and exit, around a
// suspension and after a crash.

// The modes while the program has the screen: alternate screen, no automatic wrap (a
// character of disputed width then affects only its line), title saved on the
// terminal's stack, extended keyboard reports, and reports of dark and light mode.
const (
	takeScreen = "\x1b[22;2t" + ansi.SetModeAltScreenSaveCursor + ansi.ResetModeAutoWrap +
		ansi.SetModifyOtherKeys2 + "\x1b[>1u" + ansi.SetModeLightDark + resetStyle
	giveScreen = "\x1b[r" + resetStyle + ansi.ResetModeLightDark + "\x1b[<u" + ansi.ResetModifyOtherKeys + ansi.SetModeAutoWrap +
		ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable + "\x1b[23;2t"
)

// queries asks the terminal for its background color and its abilities:
// synchronized output, grapheme clusters (mode 2027) and the kitty keyboard
// protocol.
const queries = ansi.RequestBackgroundColor + ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore + ansi.RequestKittyKeyboard

// modes holds the modes that depend on the view.
type modes struct {
	mouse   tea.MouseMode
	paste   bool
	focus   bool
	title   string
	cursor  int // DECSCUSR shape; 0 is the user's default
	bar     tea.ProgressBar
	letters bool // the terminal measures grapheme clusters
}

// modesOf returns the modes that a view asks for.
func modesOf(v tea.View) modes {
	m := modes{mouse: v.MouseMode, paste: !v.DisableBracketedPasteMode, focus: v.ReportFocus, title: v.WindowTitle}
	if c := v.Cursor; c != nil {
		m.cursor = 2*int(c.Shape) + 1
		if !c.Blink {
			m.cursor++
		}
	}
	if v.ProgressBar != nil {
		m.bar = *v.ProgressBar
	}
	return m
}

// change writes the sequences that turn the modes m into next.
func (m modes) change(b *bytes.Buffer, next modes) {
	if next.mouse != m.mouse {
		if m.mouse != tea.MouseModeNone {
			b.WriteString(ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr)
		}
		switch next.mouse {
		case tea.MouseModeCellMotion:
			b.WriteString(ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr)
		case tea.MouseModeAllMotion:
			b.WriteString(ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr)
		}
	}
	toggle(b, m.paste, next.paste, ansi.SetModeBracketedPaste, ansi.ResetModeBracketedPaste)
	toggle(b, m.focus, next.focus, ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent)
	toggle(b, m.letters, next.letters, ansi.SetModeUnicodeCore, ansi.ResetModeUnicodeCore)
	if next.title != m.title {
		b.WriteString(ansi.SetWindowTitle(next.title))
	}
	if next.cursor != m.cursor {
		b.WriteString(csi + strconv.Itoa(next.cursor) + " q")
	}
	if next.bar != m.bar {
		b.WriteString(progress(next.bar))
	}
}

func toggle(b *bytes.Buffer, was, is bool, on, off string) {
	switch {
	case is && !was:
		b.WriteString(on)
	case was && !is:
		b.WriteString(off)
	}
}

// progress returns the sequence for a progress bar in the terminal's tab or task bar.
func progress(p tea.ProgressBar) string {
	switch p.State {
	case tea.ProgressBarDefault:
		return ansi.SetProgressBar(p.Value)
	case tea.ProgressBarError:
		return ansi.SetErrorProgressBar(p.Value)
	case tea.ProgressBarIndeterminate:
		return ansi.SetIndeterminateProgressBar
	case tea.ProgressBarWarning:
		return ansi.SetWarningProgressBar(p.Value)
	}
	return ansi.ResetProgressBar
}
