package terminal

import (
	"bytes"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Every mode of the terminal that the program switches on is switched on and
// off in this file and nowhere else: at the start, at the end, around a pause
// and after a crash.

// The modes that hold as long as the screen is ours. Lines do not wrap: where
// terminals disagree on the width of a letter, only its line suffers. The title
// is put on a stack. Keys are told apart as well as the terminal can. It tells when it
// changes between dark and light.
const (
	takeScreen = "\x1b[22;2t" + ansi.SetModeAltScreenSaveCursor + ansi.ResetModeAutoWrap +
		ansi.SetModifyOtherKeys2 + "\x1b[>1u" + ansi.SetModeLightDark + resetStyle
	giveScreen = "\x1b[r" + resetStyle + ansi.ResetModeLightDark + "\x1b[<u" + ansi.ResetModifyOtherKeys + ansi.SetModeAutoWrap +
		ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable + "\x1b[23;2t"
)

// questions ask the terminal what it is and what it is capable of: the colour of
// its background, whether it can hold back what is drawn until a frame is whole,
// whether it counts letters that are written with several signs as one, which
// keys it tells apart.
const questions = ansi.RequestBackgroundColor + ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore + ansi.RequestKittyKeyboard

// modes are those that follow the view.
type modes struct {
	mouse   tea.MouseMode
	paste   bool
	focus   bool
	title   string
	cursor  int // its shape as the terminal knows it; 0 is the person's own
	bar     tea.ProgressBar
	letters bool // written with several signs count as one
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

// change writes what turns the modes m into next.
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

// progress shows a bar on the terminal's window or its entry in a task bar.
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
