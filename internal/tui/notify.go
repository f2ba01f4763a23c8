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

// notifier tells a user who looks elsewhere what goes on, and follows the branch
// that is checked out.
type notifier struct {
	*screen.Conversation
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
	return n.focus == elsewhere || n.focus == unknown && !n.LastKey.IsZero() && n.Now().Sub(n.LastKey) >= unwatched
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
	if seq := n.Options.Terminal.Telling(n.Name(), text); seq != "" {
		return tea.Raw(seq)
	}
	return nil
}

// ended says how a turn ended, if that is worth telling.
func (n *notifier) ended(ev *event.TurnEnd) string {
	switch {
	case ev.Reason == event.UserInterrupt, ev.Duration < n.Options.Terminal.Least, n.Feed.Running:
		return ""
	case ev.Reason != event.Done:
		return transcript.Explain(ev)
	case n.Feed.Answer == "":
		return "done"
	}
	return n.Feed.Answer
}

// progress is what terminals show in their tabs: something goes on, or waits for
// the person.
func (n *notifier) progress() *tea.ProgressBar {
	switch {
	case !n.Options.Terminal.Progress || n.Done || !n.Feed.Running:
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
	if !n.Options.Terminal.Forgets || bar == nil || bar.State != tea.ProgressBarIndeterminate || n.Now().Sub(n.retold) < retelling {
		return nil
	}
	n.retold = n.Now()
	return tea.Raw(ansi.SetIndeterminateProgressBar)
}

// title is that of the terminal's window: a mark while something goes on, and
// what the session is called or about.
func (n *notifier) title() string {
	name := n.Name()
	if topic := n.Topic(); topic != "" {
		name = strings.TrimPrefix(name, "agent · ") + " · " + topic
	}
	switch {
	case n.dialog.Waits():
		return ink.MarkAsked + " " + name
	case n.Feed.Running:
		return ink.MarkRunning + " " + name
	}
	return name
}
