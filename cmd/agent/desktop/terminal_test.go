package desktop

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui"
)

func TestDetectTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  map[string]string
		want tui.Terminal
	}{
		{"one that nobody knows", nil, tui.Terminal{Notify: tui.NotifyBell}},
		{"kitty", map[string]string{"TERM": "xterm-kitty"}, tui.Terminal{Notify: tui.NotifyOSC99}},
		{"ghostty", map[string]string{"TERM_PROGRAM": "ghostty"}, tui.Terminal{Notify: tui.NotifyOSC9, Progress: true, Forgets: true}},
		{"tmux in ghostty", map[string]string{"TERM_PROGRAM": "ghostty", "TMUX": "/tmp/tmux"}, tui.Terminal{Tmux: true, Notify: tui.NotifyBell, Forgets: true}},
		{"screen in iTerm2", map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3P", "STY": "1.pts"}, tui.Terminal{Notify: tui.NotifyBell}},
		{"zellij in kitty", map[string]string{"TERM": "xterm-kitty", "ZELLIJ": "0"}, tui.Terminal{Notify: tui.NotifyBell}},
		{"iTerm2 before it showed progress", map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7UUw9Ts3BFGsSyHNoSxF"},
			tui.Terminal{Notify: tui.NotifyOSC9}},
		{"iTerm2", map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7UUw9Ts3BFGsSyHNoSxFP"},
			tui.Terminal{Notify: tui.NotifyOSC9, Progress: true}},
		{"iTerm2 over ssh", map[string]string{"LC_TERMINAL": "iTerm2"}, tui.Terminal{Notify: tui.NotifyOSC9}},
		{"Ptyxis", map[string]string{"PTYXIS_VERSION": "48.3"}, tui.Terminal{Notify: tui.NotifyBell, Progress: true}},
		{"an old Ptyxis", map[string]string{"PTYXIS_VERSION": "47.1"}, tui.Terminal{Notify: tui.NotifyBell}},
		{"foot", map[string]string{"TERM": "foot"}, tui.Terminal{Notify: tui.NotifyOSC777}},
	} {
		got := DetectTerminal(func(name string) string { return c.env[name] })
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestASCIIOnly(t *testing.T) {
	t.Parallel()
	for vars, want := range map[string]bool{
		"": false, "LANG=en_US.UTF-8": false, "LANG=C.utf8": false, "LC_CTYPE=UTF-8": false, "LANG=C": true, "LANG=de_DE.ISO-8859-1": true,
		"LANG=en_US.UTF-8 LC_ALL=POSIX": true, "LANG=C LC_CTYPE=en_US.UTF-8": false,
	} {
		env := map[string]string{}
		for kv := range strings.FieldsSeq(vars) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		if got := ASCIIOnly(func(name string) string { return env[name] }); got != want {
			t.Errorf("%s: %v, want %v", vars, got, want)
		}
	}
}
