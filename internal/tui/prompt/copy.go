package prompt

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Clipboard copies text, by the terminal and by the system's own program.
type Clipboard struct {
	*screen.Conversation
	editor *editor.Editor // whose vi registers get the text
}

// copied brings what became of a copy.
type copied struct {
	what string
	by   string // the program that took it; empty if there is none
	told bool   // the terminal was asked to take it
	err  error

	marked bool // by the mouse: what is looked at stays where it is
}

// longestCopy is how much a terminal is asked to take: they differ, and most
// stop about there.
const longestCopy = 100_000

// Copy puts text on the clipboard, by the terminal and by the system's own
// program, since either may be out of reach: through ssh the program, in many
// terminals the terminal. what says what it is, for the person.
func (c *Clipboard) Copy(text, what string) tea.Cmd { return c.hand(text, copied{what: what}) }

// CopyMarked puts what the mouse marked on the clipboard.
func (c *Clipboard) CopyMarked(text string) tea.Cmd { return c.hand(text, copied{marked: true}) }

// hand gives text to whoever can put it on the clipboard.
func (m *Clipboard) hand(text string, c copied) tea.Cmd {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	m.editor.SetClipboard(text)
	lines := phrase.Count(strings.Count(strings.TrimRight(text, "\n"), "\n")+1, "line")
	if c.marked {
		c.what = lines
	} else {
		c.what += " (" + lines + ")"
	}
	var cmd tea.Cmd
	if len(text) <= longestCopy {
		c.told, cmd = true, tea.Raw(m.Options.Terminal.Clipboard(text))
	}
	write := m.Options.Clipboard.Copy
	return tea.Batch(cmd, func() tea.Msg {
		if write != nil {
			c.by, c.err = write(text)
		}
		return c
	})
}

// report says what became of a copy.
func (m *Clipboard) report(c copied) {
	switch {
	case c.marked && (c.by != "" && c.err == nil || c.told):
		m.Flash = "copied " + c.what
	case c.by != "" && c.err == nil:
		m.Say("copied " + c.what + " with " + c.by)
	case c.err != nil && !c.told:
		m.Transcript.Add(&transcript.Problem{Text: "copy " + c.what + ": " + c.err.Error()})
		m.Transcript.ShowEnd()
	case c.told:
		m.Say("handed " + c.what + " to the terminal, which should have copied it" + hintOf(c.err))
	default:
		m.Say(c.what + ": too long for the terminal to copy. /export writes the session to a file")
	}
}

// hintOf is what an error adds to a line.
func hintOf(err error) string {
	if err == nil {
		return ""
	}
	return ". If it did not: " + ink.SanitizeLine(err.Error())
}
