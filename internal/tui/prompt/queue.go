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

// queueRows is how many messages that wait are shown.
const queueRows = 3

// Queue is what the person has said for later: for the end of the turn, or of
// their own command. It is sent one by one, when that has ended well. Else it
// is held until the person lets it go.
type Queue struct {
	*screen.Conversation
	editor *editor.Editor

	waits    []queued
	held     string // why nothing is sent: "stopped"; empty while it will be
	starting bool   // a command was handed to the agent, and has not begun yet
}

// queued is one message that waits.
type queued struct {
	editor.Typed
	soon bool // it waits for the person's own command alone
}

// Len returns how many messages wait.
func (q *Queue) Len() int { return len(q.waits) }

// TakeHeld removes the messages that are held, if they are, and returns their
// texts.
func (q *Queue) TakeHeld() (texts []string) {
	if q.held == "" {
		return nil
	}
	for _, w := range q.waits {
		texts = append(texts, w.Text)
	}
	q.waits, q.held = nil, ""
	return texts
}

// waitsForShell queues what cannot be sent while a command of the person's runs. It
// reports whether it did: what is said to the model waits for a command whose
// output is to be told, and a command for any.
func (q *Queue) waitsForShell(s editor.Typed) bool {
	_, _, command := ParseShell(s.Text)
	if !q.ShellRuns() || !command && (q.Feed.Running || !q.shellJoins()) {
		return false
	}
	q.waits = append(q.waits, queued{Typed: s, soon: true})
	return true
}

// ShellRuns reports whether a command of the user runs, or is about to.
func (q *Queue) ShellRuns() bool { return q.starting || q.Feed.ShellLine() != "" }

// shellJoins reports whether the model is to be told of the command that runs.
func (q *Queue) shellJoins() bool {
	_, join, runs := ParseShell(q.Feed.ShellLine())
	return join || !runs
}

// Submit sends what the user typed, or runs the command that it is. What cannot
// be sent yet waits in the queue.
func (q *Queue) Submit(s editor.Typed) {
	s.Text = strings.TrimSpace(s.Text)
	if q.waitsForShell(s) {
		return
	}
	if line, join, ok := ParseShell(s.Text); ok {
		q.runShell(line, join)
		return
	}
	q.SendPrompt(s.Text, s.Images...)
}

// sendNext sends the next message that waits, if its time has come.
func (q *Queue) sendNext() {
	for len(q.waits) > 0 && q.held == "" {
		next := q.waits[0]
		_, _, command := ParseShell(next.Text)
		turn := q.Feed.Running || len(q.Feed.Pending) > 0 || len(q.Play) > 0
		if q.ShellRuns() || turn && !(command && next.soon) {
			return
		}
		q.waits = q.waits[1:]
		q.Submit(next.Typed)
	}
}

// letGo sends what was held. It reports whether there was anything.
func (q *Queue) letGo() bool {
	if len(q.waits) == 0 || q.Busy() {
		return false
	}
	q.held = ""
	q.Transcript.ShowEnd()
	q.sendNext()
	return true
}

// hold keeps what waits from being sent by itself.
func (q *Queue) hold(why string) {
	if len(q.waits) > 0 {
		q.held = why
	}
}

// Follow sends what waits for what has ended, or holds it.
func (q *Queue) Follow(ev event.Event) {
	switch ev := ev.(type) {
	case *event.ShellStart:
		q.starting = false
	case event.NotRun:
		q.starting = false
		q.Say("not run: " + ev.Why)
		q.editor.PutBefore(transcript.AsTyped(ev.Line, ev.Join))
		q.hold("not run")
		return
	case *event.ShellEnd:
		if ev.Outcome == event.Interrupted {
			q.hold("stopped")
		}
	case *event.TurnEnd:
		switch ev.Reason {
		case event.Done:
		case event.UserInterrupt:
			q.hold("stopped")
		default:
			q.hold("the turn failed")
		}
	case *event.Rewound:
		q.hold("taken back")
	default:
		return
	}
	q.sendNext()
}

// edit takes the last message that waits back into the editor. It reports
// whether there was one, and nothing in the editor.
func (q *Queue) edit() bool {
	n := len(q.waits)
	if n == 0 || !q.editor.Empty() || q.editor.History.Walking() {
		return false
	}
	last := q.waits[n-1]
	q.waits = slices.Clone(q.waits[:n-1])
	q.editor.TakeBack(last.Typed)
	return true
}

// drop removes the last message that waits.
func (q *Queue) drop() {
	if n := len(q.waits); n > 0 {
		q.Feed.Recall = append(q.Feed.Recall, q.waits[n-1].Text) // it can be walked back to
		q.waits = slices.Clone(q.waits[:n-1])
	}
}

// Lines are the messages that wait, as they stand below the editor.
func (q *Queue) Lines() []string {
	n := len(q.waits)
	if n == 0 {
		return nil
	}
	word, why, hint := "queued", "", q.Keys.Name(keys.PrevPrompt)+" edits · "+q.Keys.Name(keys.Unqueue)+" removes"
	if q.held != "" {
		word, why, hint = "waits", q.held, q.held+" · "+q.Keys.Name(keys.Send)+" sends · "+hint
	}
	rows := queueRows
	if q.Height < 16 {
		rows = 1
	}
	var out []string
	for i, w := range q.waits {
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
			right = q.Keys.Name(keys.PrevPrompt) + " edits"
		case i == 0:
			right = why
		}
		out = append(out, q.Styles.Dim.Render(ink.Spread(left, right, q.Width)))
	}
	return out
}
