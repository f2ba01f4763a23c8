package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
	"agent/internal/tui/transcript"
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

// clipboard is the sequence that asks the terminal to take text to its
// clipboard. tmux keeps it as well.
func (t Terminal) clipboard(text string) string {
	seq := ansi.SetSystemClipboard(text)
	if t.Tmux {
		return seq + ansi.TmuxPassthrough(seq)
	}
	return seq
}

// longestNotice is how wide a notification is at most.
const longestNotice = 100

// telling is the sequence that tells text.
func (t Terminal) telling(title, text string) string {
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

// notifier tells a user who looks elsewhere what goes on, and follows the branch
// that is checked out.
type notifier struct {
	*session
	dialog  *dialog.Dialog
	focus   focus
	reading bool      // the branch is being read
	retold  time.Time // when a terminal that forgets was last told that something goes on
}

// focus is what is known of whether the person looks here.
type focus int

const (
	unknown focus = iota // the terminal has not told
	here
	elsewhere
)

// unwatched is how long nobody may have typed before a terminal that tells nothing
// of its focus is taken for one that nobody looks at.
const unwatched = time.Minute

// away reports whether the person looks elsewhere.
func (n *notifier) away() bool {
	return n.focus == elsewhere || n.focus == unknown && !n.lastKey.IsZero() && n.now().Sub(n.lastKey) >= unwatched
}

// comesBack notes that the person looks here, who may have changed the branch.
func (n *notifier) comesBack() tea.Cmd {
	n.focus = here
	return n.readBranch()
}

// alert tells somebody who looks elsewhere that a question waits, or that a
// turn has ended.
func (n *notifier) alert(events batch) tea.Cmd {
	if !n.away() {
		return nil
	}
	text := ""
	for _, ev := range events {
		switch ev := ev.(type) {
		case event.Asked:
			text = "asks: " + ev.Ask.Title
		case *event.TurnEnd:
			text = n.ended(ev)
		}
	}
	if text == "" {
		return nil
	}
	if seq := n.o.Terminal.telling(n.name(), text); seq != "" {
		return tea.Raw(seq)
	}
	return nil
}

// ended says how a turn ended, if that is worth telling.
func (n *notifier) ended(ev *event.TurnEnd) string {
	switch {
	case ev.Reason == event.UserInterrupt, ev.Duration < n.o.Terminal.Least, n.feed.Running:
		return ""
	case ev.Reason != event.Done:
		return transcript.Explain(ev)
	case n.feed.Answer == "":
		return "done"
	}
	return n.feed.Answer
}

// progress is what terminals show in their tabs: something goes on, or waits for
// the person.
func (n *notifier) progress() *tea.ProgressBar {
	switch {
	case !n.o.Terminal.Progress || n.done || !n.feed.Running:
		return nil
	case n.dialog.Waits():
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	}
	return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
}

// retelling is how often a terminal that forgets is told that something goes on.
const retelling = time.Second

// retell tells a terminal that forgets that something still goes on. Another one
// would begin its animation anew.
func (n *notifier) retell() tea.Cmd {
	bar := n.progress()
	if !n.o.Terminal.Forgets || bar == nil || bar.State != tea.ProgressBarIndeterminate || n.now().Sub(n.retold) < retelling {
		return nil
	}
	n.retold = n.now()
	return tea.Raw(ansi.SetIndeterminateProgressBar)
}

// title is that of the terminal's window: a mark while something goes on, and
// what the session is called or about.
func (n *notifier) title() string {
	name := n.name()
	if topic := n.topic(); topic != "" {
		name = strings.TrimPrefix(name, "agent · ") + " · " + topic
	}
	switch {
	case n.dialog.Waits():
		return ink.MarkAsked + " " + name
	case n.feed.Running:
		return ink.MarkRunning + " " + name
	}
	return name
}

// topic is how the first prompt begins, of a session that nobody gave a title.
func (s *session) topic() string {
	const bytes, columns = 200, 40
	if s.feed.Title != "" || len(s.feed.Prompts) == 0 {
		return ""
	}
	text := strings.TrimSpace(s.feed.Prompts[0].Text)
	if len(text) > bytes { // it is read with every frame
		text = strings.ToValidUTF8(text[:bytes], "")
	}
	line, _, _ := strings.Cut(text, "\n")
	return ink.Truncate(ink.SanitizeLine(line), columns)
}

// name is what the session is called elsewhere than on the screen, else where
// it is.
func (s *session) name() string {
	name := s.feed.Title
	if name == "" {
		name = s.o.Files.Dir[strings.LastIndexAny(s.o.Files.Dir, `/\`)+1:]
	}
	if name == "" {
		return "agent"
	}
	return "agent · " + ink.SanitizeLine(name)
}
