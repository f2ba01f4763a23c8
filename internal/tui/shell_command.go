package tui

import (
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// parseShell splits what is typed to run a command: !LINE joins its output to
// the conversation, !!LINE only shows it.
func parseShell(text string) (line string, join, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !ok {
		return "", false, false
	}
	line, only := strings.CutPrefix(rest, "!")
	line = strings.TrimSpace(line)
	return line, !only, line != ""
}

// runShell runs a command of the person's.
func (q *messageQueue) runShell(line string, join bool) {
	q.feed.Recall = append(q.feed.Recall, transcript.AsTyped(line, join))
	q.starting = true
	q.send(event.RunShell{Line: line, Join: join})
}

// busy reports whether something runs that can be stopped.
func (s *session) busy() bool { return s.feed.Running || s.feed.ShellLine() != "" }
