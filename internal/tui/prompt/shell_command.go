package prompt

import (
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// ParseShell splits what is typed to run a command: !LINE joins its output to
// the conversation, !!LINE only shows it.
func ParseShell(text string) (line string, join, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !ok {
		return "", false, false
	}
	line, only := strings.CutPrefix(rest, "!")
	line = strings.TrimSpace(line)
	return line, !only, line != ""
}

// runShell runs a command of the person's.
func (q *Queue) runShell(line string, join bool) {
	q.Feed.Recall = append(q.Feed.Recall, transcript.AsTyped(line, join))
	q.starting = true
	q.Send(event.RunShell{Line: line, Join: join})
}
