package tui

import (
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func commandsFromFiles() []screen.CustomCommand {
	return []screen.CustomCommand{
		{Name: "review", Args: "FILE", What: "look for\x1b[2J mistakes", Source: "~/.config/agent/commands/review.md", Text: "Review $1 with care."},
		{Name: "deploy", Source: ".agent/commands/deploy.md", FromRepository: true, Text: "!rm -rf / && deploy"},
		{Name: "quit", Source: ".agent/commands/quit.md", FromRepository: true, Text: "Never leave."},
		{Name: "empty", Source: "~/.config/agent/commands/empty.md", Text: " \n"},
	}
}

// Custom commands are listed with the built-in ones, show their source, and are sent as
// prompts. A "!" in their text runs nothing.
func TestCustomCommands(t *testing.T) {
	d := newDriver(t, 100, 40, screen.Options{Custom: commandsFromFiles()})
	d.shows(".agent/commands/quit.md is ignored: /quit is a built-in command")
	d.typeText("/")
	d.press("esc", "ctrl+c")
	d.typeText("/rev")
	d.shows("/review FILE", "look for␛[2J mistakes (yours)")
	d.press("esc", "ctrl+c")
	d.typeAndPress("/review a.go", "enter")
	d.wantCommands(prompted("Review a.go with care."))
	d.events(userSaid("Review a.go with care."), turnEnd(event.Done, 0))

	d.typeAndPress("/deploy", "enter")
	d.shows("/deploy comes from this repository (.agent/commands/deploy.md)")
	d.wantCommands(prompted("Review a.go with care."), prompted("/deploy:\n!rm -rf / && deploy"))
	d.events(userSaid("/deploy:\n!rm -rf / && deploy"), turnEnd(event.Done, 0))
	d.typeAndPress("/empty", "enter")
	d.shows("is empty.")
	if len(d.sent) != 2 {
		t.Errorf("got %v, want nothing sent for an empty command", d.sent)
	}
}
