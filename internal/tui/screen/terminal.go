package screen

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
)

// Terminal is what is known of the terminal, beyond what it tells itself.
type Terminal struct {
	Tmux     bool   // it is tmux, and lets through what is meant for the one around it
	Notify   Notify // how somebody who is elsewhere is told
	Progress bool   // it shows that something goes on
	Forgets  bool   // and stops showing it unless it is told again and again
	// Least is how long a turn must have taken for its end to be told.
	Least time.Duration
}

// Notify is how a terminal tells somebody who looks elsewhere.
type Notify string

// The ways to tell.
const (
	NotifyOff    Notify = "off"
	NotifyBell   Notify = "bell"
	NotifyOSC9   Notify = "osc9"
	NotifyOSC99  Notify = "osc99"
	NotifyOSC777 Notify = "osc777"
)

// Clipboard is the sequence that asks the terminal to take text to its
// clipboard. tmux keeps it as well.
func (t Terminal) Clipboard(text string) string {
	seq := ansi.SetSystemClipboard(text)
	if t.Tmux {
		return seq + ansi.TmuxPassthrough(seq)
	}
	return seq
}

// longestNotice is how wide a notification is at most.
const longestNotice = 100

// Telling is the sequence that tells text.
func (t Terminal) Telling(title, text string) string {
	text = ink.Truncate(ink.SanitizeLine(text), longestNotice)
	var seq string
	switch t.Notify {
	case NotifyBell:
		return "\a"
	case NotifyOSC9:
		seq = ansi.Notify(title + ": " + text)
	case NotifyOSC99: // one takes the place of the one before
		seq = "\x1b]99;i=agent:d=0:o=unfocused;" + ink.SanitizeLine(title) + "\x1b\\\x1b]99;i=agent:p=body;" + text + "\x1b\\"
	case NotifyOSC777:
		plain := strings.NewReplacer(";", ",")
		seq = "\x1b]777;notify;" + plain.Replace(title) + ";" + plain.Replace(text) + "\a"
	default:
		return ""
	}
	if t.Tmux {
		return ansi.TmuxPassthrough(seq)
	}
	return seq
}

// Topic is how the first prompt begins, of a session that nobody gave a title.
func (c *Conversation) Topic() string {
	const bytes, columns = 200, 40
	if c.Feed.Title != "" || len(c.Feed.Prompts) == 0 {
		return ""
	}
	text := strings.TrimSpace(c.Feed.Prompts[0].Text)
	if len(text) > bytes { // it is read with every frame
		text = strings.ToValidUTF8(text[:bytes], "")
	}
	line, _, _ := strings.Cut(text, "\n")
	return ink.Truncate(ink.SanitizeLine(line), columns)
}

// Name is what the session is called elsewhere than on the screen, else where
// it is.
func (c *Conversation) Name() string {
	name := c.Feed.Title
	if name == "" {
		name = c.Options.Files.Dir[strings.LastIndexAny(c.Options.Files.Dir, `/\`)+1:]
	}
	if name == "" {
		return "agent"
	}
	return "agent · " + ink.SanitizeLine(name)
}
