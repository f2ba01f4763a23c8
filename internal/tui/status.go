package tui

import (
	"slices"
	"time"

	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// activity describes what the turn is doing, and which key interrupts it.
type activity struct {
	*screen.Window
	feed    *transcript.Feed
	list    *transcript.Transcript // has the frame of the spinner
	layers  *layer.Stack
	output  func() int // returns the output tokens of the turn so far
	counted int        // the result of output at the last tick
}

// workingHeight is the minimum window height for a separate activity line.
const workingHeight = 10

// count reads the number of tokens that the turn has received.
func (a *activity) count() { a.counted = a.output() }

// line draws what the turn is doing and which key interrupts it.
func (a *activity) line() string {
	doing, since := a.feed.Activity()
	key := a.stopKey() + " to interrupt"
	switch {
	case a.feed.Killing:
		doing, key = "killing the command", ""
	case a.feed.Stopping:
		doing, key = "interrupting", a.killHint()
	}
	var facts []string
	if a.feed.Running { // a shell command of the user's is no turn
		if since.IsZero() {
			since = a.feed.Since
		}
		facts = append(facts, phrase.Seconds(a.elapsed(since)))
		if a.counted > 0 {
			facts = append(facts, phrase.Thousands(a.counted)+" tokens")
		}
		if k := a.Keys.Name(keys.Agents); k != "" && slices.ContainsFunc(a.feed.State.Delegates, event.Delegate.Running) {
			facts = append(facts, k+" delegates")
		}
	}
	return fitWorking(transcript.Spinner(a.list.Frame)+" ", doing, facts, key, a.Width)
}

// fitWorking joins the parts of the activity line. In a narrow window it drops facts,
// the last first, and truncates the activity.
func fitWorking(spinner, activity string, facts []string, key string, width int) string {
	const least = 16 // minimum columns for the activity
	for {
		tail := ""
		for _, f := range append(facts[:len(facts):len(facts)], key) {
			if f != "" {
				tail += " · " + f
			}
		}
		room := width - lipgloss.Width(spinner+tail)
		if room >= min(least, lipgloss.Width(activity)) || len(facts) == 0 {
			return spinner + ink.Truncate(activity, max(room, 1)) + tail
		}
		facts = facts[:len(facts)-1]
	}
}

// short describes the activity in the status line of a low window, and in the pager.
func (a *activity) short() string {
	words := a.stopKey() + " to interrupt"
	switch {
	case a.feed.Killing:
		words = "killing the command"
	case a.feed.Stopping:
		words = "interrupting"
		if hint := a.killHint(); hint != "" {
			words += " · " + hint
		}
	}
	if a.feed.Running {
		words = phrase.Seconds(a.elapsed(a.feed.Since)) + " · " + words
	}
	return transcript.Spinner(a.list.Frame) + " " + words
}

// killHint says how to kill a command that does not end, "" if none is running.
func (a *activity) killHint() string {
	if !a.feed.RunsCommand() {
		return ""
	}
	return a.stopKey() + " again to kill the command"
}

// elapsed returns the time since a moment of the turn, in whole seconds.
func (a *activity) elapsed(since time.Time) time.Duration {
	return a.Now().Sub(since).Truncate(time.Second)
}

// stopKey returns a key that interrupts the turn now. It prefers one that does not
// close a layer first.
func (a *activity) stopKey() string {
	for _, k := range a.Keys.Keys(keys.Interrupt) {
		if !a.layers.Closes(k) {
			return k
		}
	}
	return a.Keys.Name(keys.Interrupt)
}

// showsWorking reports whether the activity line is shown.
func (d *display) showsWorking() bool {
	return d.session.Busy() && !d.dialog.Waits() && !d.pager.Open() && d.Height >= workingHeight
}

// working returns the activity line, or "" if no turn runs or the line is not shown.
func (d *display) working() string {
	if !d.showsWorking() {
		return ""
	}
	return d.activity.line()
}

// statusHint returns the hint at the right of the status line: the activity if it has no
// line of its own, and between turns the keys of the layers.
func (d *display) statusHint() string {
	switch again := d.prompt.DoublePress.Hint(); {
	case d.chord != "":
		return d.chord + " …"
	case again != "":
		return again
	case d.dialog.Waits(), d.showsWorking():
		return ""
	case d.session.Busy():
		return d.activity.short()
	}
	return d.layers.KeyHint()
}

// behindPager returns the hint that the pager shows while a turn runs, or "".
func (d *display) behindPager() string {
	switch {
	case !d.session.Busy() && d.chord == "":
		return ""
	case d.dialog.Waits() && d.chord == "" && d.prompt.DoublePress.Hint() == "":
		return "a question waits"
	}
	return d.statusHint()
}
