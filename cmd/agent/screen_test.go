package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// Settings of the screen take precedence over the terminal and the locale.
func TestScreenOptions(t *testing.T) {
	t.Parallel()
	yes, no, five := true, false, 5
	type shown struct {
		Terminal                                screen.Terminal
		ASCII, NoMouse, KeepMarked, NoColor, Vi bool
	}
	const least = 10 * time.Second
	for _, c := range []struct {
		name string
		set  settings.Screen
		env  map[string]string
		want shown
	}{
		{"nothing", settings.Screen{}, nil, shown{Terminal: screen.Terminal{Notify: screen.NotifyBell, NotifyAfter: least}}},
		{"the environment", settings.Screen{Notify: "auto"}, map[string]string{"TERM": "foot", "LANG": "C", "NO_COLOR": "1"},
			shown{Terminal: screen.Terminal{Notify: screen.NotifyOSC777, NotifyAfter: least}, ASCII: true, NoColor: true}},
		{"set", settings.Screen{Notify: "osc777", NotifyAfter: &five, Progress: &yes, ASCII: &yes, Mouse: &no, CopyOnSelect: &no, Editor: "vim"},
			map[string]string{"TMUX": "/tmp/tmux", "LANG": "en_US.UTF-8"},
			shown{Terminal: screen.Terminal{Tmux: true, Notify: screen.NotifyOSC777, Progress: true, NotifyAfter: 5 * time.Second}, ASCII: true, NoMouse: true, KeepMarked: true, Vi: true}},
		{"off", settings.Screen{Notify: "off", Progress: &no, ASCII: &no, Mouse: &yes, CopyOnSelect: &yes, Editor: "emacs"},
			map[string]string{"WT_SESSION": "1", "LANG": "C"}, shown{Terminal: screen.Terminal{Notify: screen.NotifyOff, NotifyAfter: least}}},
	} {
		o := screenOptions(c.set, func(name string) string { return c.env[name] })
		got := shown{o.Terminal, o.Appearance.ASCII, o.NoMouse, o.Clipboard.NoCopyOnSelect, o.Appearance.NoColor, o.Vi}
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// The configuration accepts every built-in theme.
func TestConfigurationAcceptsThemes(t *testing.T) {
	t.Parallel()
	for _, s := range settings.All() {
		if s.Name == "theme" {
			if want := strings.Join(ink.ThemeNames(), ", "); !strings.Contains(s.What, want) {
				t.Errorf("the setting names %q, but the themes are %s", s.What, want)
			}
			return
		}
	}
	t.Error("there is no setting theme")
}
