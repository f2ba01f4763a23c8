package prompt

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Clipboard copies text to the system clipboard, through the terminal and through a
// program.
type Clipboard struct {
	*screen.Window
	transcript *transcript.Transcript
	say        func(text string) // shows a notice
}

// copied is the result of copying text.
type copied struct {
	what          string // describes the text
	by            string // the program that copied it; empty if there is none
	sent          bool   // the terminal was asked to copy it
	err           error  // of the program
	fromSelection bool   // report it without scrolling
}

// terminalCopyLimit is the maximum length in bytes for a copy through the terminal.
// Limits of terminals differ; many have one close to this.
const terminalCopyLimit = 100_000

// Copy copies text through both the terminal and a program, because either may not
// work: the program over ssh, the terminal if it does not support it. What describes
// the text for the user.
func (c *Clipboard) Copy(text, what string) tea.Cmd { return c.copy(text, copied{what: what}) }

// CopySelection copies selected text.
func (c *Clipboard) CopySelection(text string) tea.Cmd {
	return c.copy(text, copied{fromSelection: true})
}

// Selected copies text that was selected with the mouse. If copy_on_select is off, it only
// shows the key that copies.
func (c *Clipboard) Selected(text string) tea.Cmd {
	if c.Options.Clipboard.NoCopyOnSelect {
		if k := c.Keys.Name(keys.CopySelection); k != "" {
			c.Flash = k + " copies"
		}
		return nil
	}
	return c.CopySelection(text)
}

// copy copies text and reports the result r.
func (c *Clipboard) copy(text string, r copied) tea.Cmd {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	lines := phrase.Count(strings.Count(strings.TrimRight(text, "\n"), "\n")+1, "line")
	if r.fromSelection {
		r.what = lines
	} else {
		r.what += " (" + lines + ")"
	}
	var cmd tea.Cmd
	if len(text) <= terminalCopyLimit {
		r.sent, cmd = true, tea.Raw(c.Options.Terminal.Clipboard(text))
	}
	write := c.Options.Clipboard.Copy
	return tea.Batch(cmd, func() tea.Msg {
		if write != nil {
			r.by, r.err = write(text)
		}
		return r
	})
}

// report shows the result of a copy.
func (c *Clipboard) report(r copied) {
	switch {
	case r.fromSelection && (r.by != "" && r.err == nil || r.sent):
		c.Flash = "copied " + r.what
	case r.by != "" && r.err == nil:
		c.say("Copied " + r.what + " with " + r.by + ".")
	case r.err != nil && !r.sent:
		c.transcript.Add(&transcript.Problem{Text: "cannot copy " + r.what + ": " + r.err.Error()})
		c.transcript.ShowEnd()
	case r.sent:
		c.say("Sent " + r.what + " to the terminal to copy." + alternative(r.err))
	default:
		c.say("Cannot copy " + r.what + ": too long for the terminal. Use /export to write the session to a file.")
	}
}

// alternative returns the advice of an error for a terminal that does not copy.
func alternative(err error) string {
	if err == nil {
		return ""
	}
	return " If it did not work: " + ink.SanitizeLine(err.Error())
}
