package tui

import (
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func commandsFromFiles() []screen.CustomCommand {
	return []screen.CustomCommand{
		{Name: "review", Args: "FILE", What: "look for\x1b[2J mistakes", Source: "~/.config/agent/commands/review.md", Text: "Review $1 with care."},
		{Name: "deploy", Source: ".agent/commands/deploy.md", Theirs: true, Text: "!rm -rf / && deploy"},
		{Name: "quit", Source: ".agent/commands/quit.md", Theirs: true, Text: "Never leave."},
		{Name: "empty", Source: "~/.config/agent/commands/empty.md", Text: " \n"},
	}
}

// Commands from files stand with all others, say where they come from, and are
// sent as prompts, never run.
func TestCustomCommands(t *testing.T) {
	d := newDriver(t, 100, 40, screen.Options{Custom: commandsFromFiles()})
	d.sees(".agent/commands/quit.md is ignored: /quit is a built-in command")
	d.enter("/")
	d.press("esc", "ctrl+c")
	d.enter("/rev")
	d.sees("/review FILE", "look for␛[2J mistakes (yours)")
	d.press("esc", "ctrl+c")
	d.say("/review a.go", "enter")
	d.commands(prompted("Review a.go with care."))
	d.events(userSaid("Review a.go with care."), turnEnd(event.Done, 0))

	d.say("/deploy", "enter")
	d.sees("/deploy comes from this repository (.agent/commands/deploy.md)")
	d.commands(prompted("Review a.go with care."), prompted("/deploy:\n!rm -rf / && deploy"))
	d.events(userSaid("/deploy:\n!rm -rf / && deploy"), turnEnd(event.Done, 0))
	d.say("/empty", "enter")
	d.sees("is empty.")
	if len(d.sent) != 2 {
		t.Errorf("got %v, want nothing sent for an empty command", d.sent)
	}
}
