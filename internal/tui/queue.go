package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// queueRows is how many messages that wait are shown.
const queueRows = 3

// queue is what the person has said for later: for the end of the turn, or of
// their own command. It is sent one by one, when that has ended well. Else it
// is held until the person lets it go.
type queue struct {
	waits    []queued
	held     string // why nothing is sent: "stopped"; empty while it will be
	starting bool   // a command was handed to the agent, and has not begun yet
}

// queued is one message that waits.
type queued struct {
	editor.Typed
	soon bool // it waits for the person's own command alone
}

// later puts what is typed into the queue. Where nothing is waited for, it is
// sent.
func (m *model) later() tea.Cmd {
	if m.editor.Blank() {
		return nil
	}
	if _, _, command := parseSlash(m.editor.Text()); command { // it is no message, and can be carried out now
		return m.submit()
	}
	if cmd, waits := m.unread(); waits {
		m.images.later = true
		return cmd
	}
	if len(m.waits) == 0 { // what was held is gone otherwise
		m.held = ""
	}
	next := m.editor.Take()
	next.Text = strings.TrimSpace(next.Text)
	m.waits = append(m.waits, queued{Typed: next})
	m.list.ShowEnd()
	m.sendQueued()
	return nil
}

// waitsForShell queues what cannot be sent while a command of the person's runs. It
// reports whether it did: what is said to the model waits for a command whose
// output is to be told, and a command for any.
func (m *model) waitsForShell(s editor.Typed) bool {
	_, _, command := parseShell(s.Text)
	if !m.shellRuns() || !command && (m.feed.Running || !m.shellJoins()) {
		return false
	}
	m.waits = append(m.waits, queued{Typed: s, soon: true})
	return true
}

func (m *model) shellRuns() bool { return m.starting || m.feed.Shell != nil }

// shellJoins reports whether the model is to be told of the command that runs.
func (m *model) shellJoins() bool {
	if m.feed.Shell == nil {
		return true
	}
	_, join, _ := parseShell(m.feed.Shell.Item.(*transcript.ShellCommand).Line)
	return join
}

// utter sends what the person said, or runs the command that it is. What cannot
// be sent yet waits in the queue.
func (m *model) utter(s editor.Typed) {
	s.Text = strings.TrimSpace(s.Text)
	if m.waitsForShell(s) {
		return
	}
	if line, join, ok := parseShell(s.Text); ok {
		m.runShell(line, join)
		return
	}
	m.prompt(s.Text, s.Images...)
}

// sendQueued sends the next message that waits, if its time has come.
func (m *model) sendQueued() {
	for len(m.waits) > 0 && m.held == "" {
		next := m.waits[0]
		_, _, command := parseShell(next.Text)
		turn := m.feed.Running || len(m.feed.Pending) > 0 || len(m.play) > 0
		if m.shellRuns() || turn && !(command && next.soon) {
			return
		}
		m.waits = m.waits[1:]
		m.utter(next.Typed)
	}
}

// letGo sends what was held. It reports whether there was anything.
func (m *model) letGo() bool {
	if len(m.waits) == 0 || m.busy() {
		return false
	}
	m.held = ""
	m.list.ShowEnd()
	m.sendQueued()
	return true
}

// hold keeps what waits from being sent by itself.
func (m *model) hold(why string) {
	if len(m.waits) > 0 {
		m.held = why
	}
}

// queueAfter sends what waits for what has ended, or holds it.
func (m *model) queueAfter(ev event.Event) {
	switch ev := ev.(type) {
	case *event.ShellStart:
		m.starting = false
	case event.NotRun:
		m.starting = false
		m.say("not run: " + ev.Why)
		m.giveBack(transcript.AsTyped(ev.Line, ev.Join))
		m.hold("not run")
		return
	case *event.ShellEnd:
		if ev.Outcome == event.Interrupted {
			m.hold("stopped")
		}
	case *event.TurnEnd:
		switch ev.Reason {
		case event.Done:
		case event.UserInterrupt:
			m.hold("stopped")
		default:
			m.hold("the turn failed")
		}
	case *event.Rewound:
		m.hold("taken back")
	default:
		return
	}
	m.sendQueued()
}

// editQueued takes the last message that waits back into the editor. It reports
// whether there was one, and nothing in the editor.
func (m *model) editQueued() bool {
	n := len(m.waits)
	if n == 0 || !m.editor.Empty() || m.editor.History.Walking() {
		return false
	}
	last := m.waits[n-1]
	m.waits = slices.Clone(m.waits[:n-1])
	m.editor.TakeBack(last.Typed)
	return true
}

// dropQueued removes the last message that waits.
func (m *model) dropQueued() {
	if n := len(m.waits); n > 0 {
		m.feed.Recall = append(m.feed.Recall, m.waits[n-1].Text) // it can be walked back to
		m.waits = slices.Clone(m.waits[:n-1])
	}
}

// queueLines are the messages that wait, as they stand below the editor.
func (m *model) queueLines() []string {
	n := len(m.waits)
	if n == 0 {
		return nil
	}
	word, why, hint := "queued", "", m.keys.Name(keys.PrevPrompt)+" edits · "+m.keys.Name(keys.Unqueue)+" removes"
	if m.held != "" {
		word, why, hint = "waits", m.held, m.held+" · "+m.keys.Name(keys.Send)+" sends · "+hint
	}
	rows := queueRows
	if m.height < 16 {
		rows = 1
	}
	var out []string
	for i, w := range m.waits {
		if i == rows && n > rows {
			out = append(out, m.st.Dim.Render(ink.Truncate("        and "+strconv.Itoa(n-rows)+" more", m.width)))
			break
		}
		label := word
		if i > 0 {
			label = ""
		}
		left := label + strings.Repeat(" ", 8-lipgloss.Width(label)) + strconv.Itoa(i+1) + "  " + ink.Quoted(w.Text)
		right := ""
		switch {
		case i == 0 && m.editor.Empty() && m.width >= 72:
			right = hint
		case i == 0 && m.held == "":
			right = m.keys.Name(keys.PrevPrompt) + " edits"
		case i == 0:
			right = why
		}
		out = append(out, m.st.Dim.Render(ink.Spread(left, right, m.width)))
	}
	return out
}
