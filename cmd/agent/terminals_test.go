package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
	"agent/internal/tui"
)

func TestTerminalOf(t *testing.T) {
	t.Parallel()
	yes, no, five := true, false, 5
	const least = 10 * time.Second
	for _, c := range []struct {
		name string
		set  settings.Settings
		env  map[string]string
		want tui.Terminal
	}{
		{"one that nobody knows", settings.Settings{}, nil, tui.Terminal{Notify: tui.NotifyBell, Least: least}},
		{"kitty", settings.Settings{}, map[string]string{"TERM": "xterm-kitty"}, tui.Terminal{Notify: tui.NotifyOSC99, Least: least}},
		{"foot", settings.Settings{Notify: "auto"}, map[string]string{"TERM": "foot"}, tui.Terminal{Notify: tui.NotifyOSC777, Least: least}},
		{"ghostty", settings.Settings{}, map[string]string{"TERM_PROGRAM": "ghostty"}, tui.Terminal{Notify: tui.NotifyOSC9, Progress: true, Forgets: true, Least: least}},
		{"tmux in ghostty", settings.Settings{}, map[string]string{"TERM_PROGRAM": "ghostty", "TMUX": "/tmp/tmux"}, tui.Terminal{Tmux: true, Notify: tui.NotifyBell, Forgets: true, Least: least}},
		{"screen in iTerm2", settings.Settings{}, map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3P", "STY": "1.pts"}, tui.Terminal{Notify: tui.NotifyBell, Least: least}},
		{"zellij in kitty", settings.Settings{}, map[string]string{"TERM": "xterm-kitty", "ZELLIJ": "0"}, tui.Terminal{Notify: tui.NotifyBell, Least: least}},
		{"iTerm2 before it showed progress", settings.Settings{}, map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7UUw9Ts3BFGsSyHNoSxF"},
			tui.Terminal{Notify: tui.NotifyOSC9, Least: least}},
		{"iTerm2", settings.Settings{}, map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7UUw9Ts3BFGsSyHNoSxFP"},
			tui.Terminal{Notify: tui.NotifyOSC9, Progress: true, Least: least}},
		{"iTerm2 over ssh", settings.Settings{}, map[string]string{"LC_TERMINAL": "iTerm2"}, tui.Terminal{Notify: tui.NotifyOSC9, Least: least}},
		{"Ptyxis", settings.Settings{}, map[string]string{"PTYXIS_VERSION": "48.3"}, tui.Terminal{Notify: tui.NotifyBell, Progress: true, Least: least}},
		{"an old Ptyxis", settings.Settings{}, map[string]string{"PTYXIS_VERSION": "47.1"}, tui.Terminal{Notify: tui.NotifyBell, Least: least}},
		{"set", settings.Settings{Notify: "osc777", NotifyAfter: &five, Progress: &yes}, map[string]string{"TMUX": "/tmp/tmux"},
			tui.Terminal{Tmux: true, Notify: tui.NotifyOSC777, Progress: true, Least: 5 * time.Second}},
		{"off", settings.Settings{Notify: "off", Progress: &no}, map[string]string{"WT_SESSION": "1"}, tui.Terminal{Notify: tui.NotifyOff, Least: least}},
	} {
		got := terminalOf(c.set, func(name string) string { return c.env[name] })
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
