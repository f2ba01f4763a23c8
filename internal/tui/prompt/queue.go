package prompt

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// queueRows is the maximum number of queued messages on the screen.
const queueRows = 3

// Queue holds the messages that wait for the end of the turn or of the user's shell
// command. They are sent one by one after each turn that succeeds. Otherwise the
// queue is held until the user releases it.
type Queue struct {
	*screen.Window
	agent   *screen.Sender
	feed    *transcript.Feed
	list    *transcript.Transcript
	say     func(text string) // shows a notice
	playing func() bool       // reports whether prompts are still to be sent automatically
	editor  *editor.Editor

	messages []queued
	held     string // why nothing is sent, such as "interrupted"; empty if not held
	starting bool   // a shell command was sent to the agent and has not started yet
}

// queued is a queued message.
type queued struct {
	editor.Typed
	afterShell bool // sent after the user's shell command, also during a turn
}

// Len returns the number of queued messages.
func (q *Queue) Len() int { return len(q.messages) }

// TakeHeld removes the messages of a held queue and returns their texts.
func (q *Queue) TakeHeld() (texts []string) {
	if q.held == "" {
		return nil
	}
	for _, w := range q.messages {
		texts = append(texts, w.Text)
	}
	q.messages, q.held = nil, ""
	return texts
}

// waitsForShell queues a message that cannot be sent while the user's shell command
// runs, and reports whether it did. A prompt waits for a command whose output joins
// the conversation, a command for any other.
func (q *Queue) waitsForShell(s editor.Typed) bool {
	_, _, command := ParseShell(s.Text)
	if !q.ShellRuns() || !command && (q.feed.Running || !q.shellJoins()) {
		return false
	}
	q.messages = append(q.messages, queued{Typed: s, afterShell: true})
	return true
}

// ShellRuns reports whether a shell command of the user runs or is about to start.
func (q *Queue) ShellRuns() bool { return q.starting || q.feed.ShellLine() != "" }

// shellJoins reports whether the output of the running command joins the
// conversation.
func (q *Queue) shellJoins() bool {
	_, join, runs := ParseShell(q.feed.ShellLine())
	return join || !runs
}

// Submit sends a message, or runs it as a shell command. If it cannot be sent yet, it
// is queued.
func (q *Queue) Submit(s editor.Typed) {
	s.Text = strings.TrimSpace(s.Text)
	if q.waitsForShell(s) {
		return
	}
	if line, join, ok := ParseShell(s.Text); ok {
		q.runShell(line, join)
		return
	}
	q.agent.SendTyped(s.Text, s.Images...)
}

// sendNext sends the queued messages that can be sent now.
func (q *Queue) sendNext() {
	for len(q.messages) > 0 && q.held == "" {
		next := q.messages[0]
		_, _, command := ParseShell(next.Text)
		turn := q.feed.Running || len(q.feed.Log.Pending) > 0 || q.playing()
		if q.ShellRuns() || turn && !(command && next.afterShell) {
			return
		}
		q.messages = q.messages[1:]
		q.Submit(next.Typed)
	}
}

// add queues a message, and sends it at once if nothing runs. An empty queue is no longer
// held.
func (q *Queue) add(s editor.Typed) {
	if len(q.messages) == 0 {
		q.held = ""
	}
	s.Text = strings.TrimSpace(s.Text)
	q.messages = append(q.messages, queued{Typed: s})
	q.sendNext()
}

// release sends a held queue. It reports whether there were messages.
func (q *Queue) release() bool {
	if len(q.messages) == 0 || q.feed.Busy() {
		return false
	}
	q.held = ""
	q.list.ShowEnd()
	q.sendNext()
	return true
}

// hold stops the queue until the user releases it.
func (q *Queue) hold(why string) {
	if len(q.messages) > 0 {
		q.held = why
	}
}

// Follow sends queued messages after an event that they wait for, or holds the queue.
func (q *Queue) Follow(ev event.Event) {
	switch ev := ev.(type) {
	case *event.ShellStart:
		q.starting = false
	case event.NotRun:
		q.starting = false
		q.say("Not run: " + ev.Why)
		q.editor.Prepend(transcript.AsTyped(ev.Line, ev.Join))
		q.hold("not run")
		return
	case *event.ShellEnd:
		if ev.Outcome == event.Interrupted {
			q.hold("interrupted")
		}
	case *event.TurnEnd:
		switch ev.Reason {
		case event.Done:
		case event.UserInterrupt:
			q.hold("interrupted")
		default:
			q.hold("the turn failed")
		}
	case *event.Rewound:
		if q.held == "" {
			q.hold("rewound")
		}
	default:
		return
	}
	q.sendNext()
}

// edit moves the last queued message into the editor, if that is empty. It reports
// whether it did.
func (q *Queue) edit() bool {
	n := len(q.messages)
	if n == 0 || !q.editor.Empty() || q.editor.History.Navigating() {
		return false
	}
	last := q.messages[n-1]
	q.messages = slices.Clone(q.messages[:n-1])
	q.editor.RestorePrompt(last.Typed)
	return true
}

// drop removes the last queued message. It stays in the prompt history.
func (q *Queue) drop() {
	if n := len(q.messages); n > 0 {
		q.feed.Log.Recall = append(q.feed.Log.Recall, q.messages[n-1].Text)
		q.messages = slices.Clone(q.messages[:n-1])
	}
}

// Lines draws the queue below the editor.
func (q *Queue) Lines() []string {
	n := len(q.messages)
	if n == 0 {
		return nil
	}
	word, why, hint := "queued", "", q.Keys.Name(keys.PrevPrompt)+" to edit · "+q.Keys.Name(keys.Unqueue)+" to remove"
	if q.held != "" {
		word, why, hint = "held", q.held, q.held+" · "+q.Keys.Name(keys.Send)+" to send · "+hint
	}
	rows := queueRows
	if q.Height < 16 {
		rows = 1
	}
	var out []string
	for i, w := range q.messages {
		if i == rows && n > rows {
			out = append(out, q.Styles.Dim.Render(ink.Truncate("        and "+strconv.Itoa(n-rows)+" more", q.Width)))
			break
		}
		label := word
		if i > 0 {
			label = ""
		}
		left := label + strings.Repeat(" ", 8-lipgloss.Width(label)) + strconv.Itoa(i+1) + "  " + ink.Quoted(w.Text)
		right := ""
		switch {
		case i == 0 && q.editor.Empty() && q.Width >= 72:
			right = hint
		case i == 0 && q.held == "":
			right = q.Keys.Name(keys.PrevPrompt) + " to edit"
		case i == 0:
			right = why
		}
		out = append(out, q.Styles.Dim.Render(ink.Spread(left, right, q.Width)))
	}
	return out
}
