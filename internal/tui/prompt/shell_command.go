package prompt

import (
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// ParseShell returns the shell command in a prompt. The output of !LINE joins the
// conversation, that of !!LINE is only shown.
func ParseShell(text string) (line string, join, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !ok {
		return "", false, false
	}
	line, private := strings.CutPrefix(rest, "!")
	line = strings.TrimSpace(line)
	return line, !private, line != ""
}

// runShell runs a shell command of the user.
func (q *Queue) runShell(line string, join bool) {
	q.feed.Log.Recall = append(q.feed.Log.Recall, transcript.AsTyped(line, join))
	q.starting = true
	q.agent.Send(event.RunShell{Line: line, Join: join})
}
