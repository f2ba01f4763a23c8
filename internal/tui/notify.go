package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// notifier sends desktop notifications, sets the window title and the progress bar of
// the terminal, and keeps the name of the git branch up to date.
type notifier struct {
	*screen.Window
	feed    *transcript.Feed
	session interface {
		Name() string  // title or directory
		Topic() string // of a session without a title
	}
	dialog  *dialog.Dialog
	focus   focus
	reading bool      // a command that reads the branch is running
	resent  time.Time // when resendProgress last sent the progress bar
}

// focus is the keyboard focus of the terminal, as far as it is known.
type focus int

const (
	unknown focus = iota // the terminal has not reported its focus
	focused
	elsewhere
)

// awayAfter is the time without a key press after which the user counts as away, if
// the terminal does not report its focus.
const awayAfter = time.Minute

// away reports whether the user is probably not looking at the terminal.
func (n *notifier) away() bool {
	return n.focus == elsewhere || n.focus == unknown && !n.LastKey.IsZero() && n.Now().Sub(n.LastKey) >= awayAfter
}

// gainFocus handles a gain of focus. It reads the branch, which may have changed in
// another window.
func (n *notifier) gainFocus() tea.Cmd {
	n.focus = focused
	return n.readBranch()
}

// alert notifies a user who is away that a dialog opened or the turn ended.
func (n *notifier) alert(events batch) tea.Cmd {
	if !n.away() {
		return nil
	}
	text := ""
	for _, ev := range events {
		switch ev := ev.(type) {
		case event.Asked:
			text = "asks: " + ev.Ask.Title
			if ev.Ask.Agent != "" {
				text = ev.Ask.Agent + " " + text
			}
		case *event.TurnEnd:
			text = n.turnResult(ev)
		}
	}
	if text == "" {
		return nil
	}
	if seq := n.Options.Terminal.Notification(n.session.Name(), text); seq != "" {
		return tea.Raw(seq)
	}
	return nil
}

// turnResult returns the text of the notification for the end of a turn, or "" if the
// turn was interrupted or short, or another turn runs.
func (n *notifier) turnResult(ev *event.TurnEnd) string {
	switch {
	case ev.Reason == event.UserInterrupt, ev.Duration < n.Options.Terminal.NotifyAfter, n.feed.Running:
		return ""
	case ev.Reason != event.Done:
		return transcript.Explain(ev)
	case n.feed.State.Answer == "":
		return "done"
	}
	return n.feed.State.Answer
}

// progress returns the progress bar for the terminal's tab: indeterminate while a turn
// runs, a warning while a dialog waits for an answer, else nil.
func (n *notifier) progress() *tea.ProgressBar {
	switch {
	case !n.Options.Terminal.Progress || n.Done || !n.feed.Running:
		return nil
	case n.dialog.Waits():
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	}
	return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
}

// resendEvery is the interval at which resendProgress sends the progress bar again.
const resendEvery = time.Second

// resendProgress sends the progress bar again to a terminal that drops it after a while. Other
// terminals would restart their animation.
func (n *notifier) resendProgress() tea.Cmd {
	bar := n.progress()
	if !n.Options.Terminal.RepeatProgress || bar == nil || bar.State != tea.ProgressBarIndeterminate || n.Now().Sub(n.resent) < resendEvery {
		return nil
	}
	n.resent = n.Now()
	return tea.Raw(ansi.SetIndeterminateProgressBar)
}

// title returns the window title: the title or the topic of the session, with a mark
// while a turn runs or a dialog waits.
func (n *notifier) title() string {
	name := n.session.Name()
	if topic := n.session.Topic(); topic != "" {
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
