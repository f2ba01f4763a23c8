package tui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// Whoever types a command of another program is told what does the same here,
// and what is named there exists.
func TestCommandsOfOthers(t *testing.T) {
	for _, name := range []string{
		"login", "config", "vim", "terminal-setup", "diff", "plan", "permissions", "context", "undo", "thinking", "models", "compress",
		"editor", "name", "history", "branch", "hotkeys", "search", "transcript", "tasks", "color", "share", "q",
	} {
		d := newDriver(t, 120, 24, screen.Options{})
		d.enter("/" + name + " ")
		d.press("enter")
		_, told, _ := strings.Cut(d.screen(), "there is no command /"+name+": ")
		told, _, _ = strings.Cut(told, "\n")
		if told == "" || strings.Contains(told, "did you mean") {
			t.Errorf("/%s tells nothing:\n%s", name, d.screen())
		}
		for _, m := range regexp.MustCompile(`/([a-z]+)`).FindAllStringSubmatch(told, -1) {
			if !slices.ContainsFunc(slash.BuiltIn(), func(s slash.Command) bool { return s.Name == m[1] }) {
				t.Errorf("/%s is told of /%s, which does not exist", name, m[1])
			}
		}
		if slices.ContainsFunc(slash.BuiltIn(), func(s slash.Command) bool { return s.Name == name || s.Also == name }) {
			t.Errorf("/%s exists", name)
		}
	}
}
