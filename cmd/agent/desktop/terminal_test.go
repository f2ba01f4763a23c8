package desktop

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/screen"
)

func TestDetectTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  map[string]string
		want screen.Terminal
	}{
		{"an unknown one", nil, screen.Terminal{Notify: screen.NotifyBell}},
		{"kitty", map[string]string{"TERM": "xterm-kitty"}, screen.Terminal{Notify: screen.NotifyOSC99}},
		{"ghostty", map[string]string{"TERM_PROGRAM": "ghostty"}, screen.Terminal{Notify: screen.NotifyOSC9, Progress: true, RepeatProgress: true}},
		{"tmux in ghostty", map[string]string{"TERM_PROGRAM": "ghostty", "TMUX": "/tmp/tmux"}, screen.Terminal{Tmux: true, Notify: screen.NotifyBell, RepeatProgress: true}},
		{"screen in iTerm2", map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3P", "STY": "1.pts"}, screen.Terminal{Notify: screen.NotifyBell}},
		{"zellij in kitty", map[string]string{"TERM": "xterm-kitty", "ZELLIJ": "0"}, screen.Terminal{Notify: screen.NotifyBell}},
		{"iTerm2 before it showed progress", map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7UUw9Ts3BFGsSyHNoSxF"},
			screen.Terminal{Notify: screen.NotifyOSC9}},
		{"iTerm2", map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7UUw9Ts3BFGsSyHNoSxFP"},
			screen.Terminal{Notify: screen.NotifyOSC9, Progress: true}},
		{"iTerm2 over ssh", map[string]string{"LC_TERMINAL": "iTerm2"}, screen.Terminal{Notify: screen.NotifyOSC9}},
		{"Ptyxis", map[string]string{"PTYXIS_VERSION": "48.3"}, screen.Terminal{Notify: screen.NotifyBell, Progress: true}},
		{"an old Ptyxis", map[string]string{"PTYXIS_VERSION": "47.1"}, screen.Terminal{Notify: screen.NotifyBell}},
		{"foot", map[string]string{"TERM": "foot"}, screen.Terminal{Notify: screen.NotifyOSC777}},
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
