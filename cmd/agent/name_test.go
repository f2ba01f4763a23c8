package main

import (
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// A program that was installed under another name calls itself by that name.
func TestOtherName(t *testing.T) {
	cmd := rootCommand(exit.Watch())
	named := callsOf(cmd, "bot")
	if got := named(`unknown command "x". Did you mean "agent help"? Run agent --continue with agents`); got !=
		`unknown command "x". Did you mean "bot help"? Run bot --continue with agents` {
		t.Error(got)
	}
	rename(cmd, "bot")
	run, _, err := cmd.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{cmd.Example, run.Example, cmd.UsageString()} {
		if strings.Contains(text, "  agent ") || !strings.Contains(text, "  bot ") {
			t.Errorf("the text is\n%s", text)
		}
	}
	if got := run.CommandPath(); got != "bot run" {
		t.Errorf("got %q", got)
	}
}
