package screen

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
)

// Terminal describes the properties of the terminal that it does not report itself.
type Terminal struct {
	Tmux           bool   // tmux with passthrough to the outer terminal
	Notify         Notify // how to notify a user who is not looking
	Progress       bool   // it can show progress
	RepeatProgress bool   // progress must be sent again regularly
	// NotifyAfter is the minimum duration of a turn for a notification at its end.
	NotifyAfter time.Duration
}

// Notify is a method of desktop notification.
type Notify string

// The notification methods.
const (
	NotifyOff    Notify = "off"
	NotifyBell   Notify = "bell"
	NotifyOSC9   Notify = "osc9"
	NotifyOSC99  Notify = "osc99"
	NotifyOSC777 Notify = "osc777"
)

// Clipboard returns the sequence that copies text to the clipboard of the terminal,
// and of tmux.
func (t Terminal) Clipboard(text string) string {
	seq := ansi.SetSystemClipboard(text)
	if t.Tmux {
		return seq + ansi.TmuxPassthrough(seq)
	}
	return seq
}

// notificationWidth is the maximum width of a notification, in columns.
const notificationWidth = 100

// Notification returns the sequence of a notification; empty if notifications are off.
func (t Terminal) Notification(title, text string) string {
	text = ink.Truncate(ink.SanitizeLine(text), notificationWidth)
	var seq string
	switch t.Notify {
	case NotifyBell:
		return "\a"
	case NotifyOSC9:
		seq = ansi.Notify(title + ": " + text)
	case NotifyOSC99: // each one replaces the previous one
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

// Topic returns the beginning of the first prompt, if the session has no title.
func (c *Conversation) Topic() string {
	const bytes, columns = 200, 40
	if c.Feed.State.Title != "" || len(c.Feed.Log.Prompts) == 0 {
		return ""
	}
	text := strings.TrimSpace(c.Feed.Log.Prompts[0].Text)
	if len(text) > bytes { // this runs for every frame
		text = strings.ToValidUTF8(text[:bytes], "")
	}
	line, _, _ := strings.Cut(text, "\n")
	return ink.Truncate(ink.SanitizeLine(line), columns)
}

// Name returns the name of the session for the terminal's title: its title, or else
// the directory.
func (c *Conversation) Name() string {
	name := c.Feed.State.Title
	if name == "" {
		name = c.Options.Files.Dir[strings.LastIndexAny(c.Options.Files.Dir, `/\`)+1:]
	}
	if name == "" {
		return "agent"
	}
	return "agent · " + ink.SanitizeLine(name)
}
