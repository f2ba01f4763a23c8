package tui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// TestCommandHints checks that a command of another program gets a hint, and that the
// commands in the hint exist.
func TestCommandHints(t *testing.T) {
	for _, name := range []string{
		"auth", "config", "vim", "terminal-setup", "diff", "revert", "thinking", "models", "compress",
		"editor", "name", "history", "branch", "hotkeys", "search", "transcript", "tasks", "color", "share", "q",
	} {
		d := newDriver(t, 120, 24, screen.Options{})
		d.typeText("/" + name + " ")
		d.press("enter")
		_, hint, _ := strings.Cut(d.screen(), "Unknown command /"+name+". ")
		hint, _, _ = strings.Cut(hint, "\n")
		if hint == "" || strings.Contains(hint, "Did you mean") || strings.Contains(hint, "list of commands") {
			t.Errorf("/%s gets no hint:\n%s", name, d.screen())
		}
		for _, m := range regexp.MustCompile(`/([a-z]+)`).FindAllStringSubmatch(hint, -1) {
			if !slices.ContainsFunc(slash.BuiltIn(), func(s slash.Command) bool { return s.Name == m[1] }) {
				t.Errorf("the hint of /%s names /%s, which does not exist", name, m[1])
			}
		}
		if slices.ContainsFunc(slash.BuiltIn(), func(s slash.Command) bool { return s.Name == name || s.Also == name }) {
			t.Errorf("/%s exists", name)
		}
	}
}

// TestUnknownCommands suggests only similar names.
func TestUnknownCommands(t *testing.T) {
	for name, want := range map[string]string{
		"skills": "Type / to list the commands and skills.", "remember": "Use /memory to edit the instruction files", "todo": "Type /help for a list of commands.", "review": "Type /help for a list of commands.",
		"stauts": "Did you mean /status?", "renam": "Did you mean /rename?", "comp": "Did you mean /compact?", "statusline": "Did you mean /status?",
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.typeText("/" + name + " ")
		d.press("enter")
		d.shows("Unknown command /" + name + ". " + want)
	}
}
