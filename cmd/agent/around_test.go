package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
	"agent/internal/tui"
)

func TestTerminalOf(t *testing.T) {
	yes, no, five := true, false, 5
	const least = 10 * time.Second
	for _, c := range []struct {
		name string
		set  settings.Settings
		env  map[string]string
		want tui.Terminal
	}{
		{"one that nobody knows", settings.Settings{}, nil, tui.Terminal{Notify: tui.NotifyBell, Least: least}},
		{"kitty", settings.Settings{}, map[string]string{"TERM": "xterm-kitty"}, tui.Terminal{Notify: tui.NotifyOSC9, Least: least}},
		{"foot", settings.Settings{Notify: "auto"}, map[string]string{"TERM": "foot"}, tui.Terminal{Notify: tui.NotifyOSC777, Least: least}},
		{"ghostty", settings.Settings{}, map[string]string{"TERM_PROGRAM": "ghostty"}, tui.Terminal{Notify: tui.NotifyOSC9, Progress: true, Least: least}},
		{"tmux in ghostty", settings.Settings{}, map[string]string{"TERM_PROGRAM": "ghostty", "TMUX": "/tmp/tmux"}, tui.Terminal{Tmux: true, Notify: tui.NotifyBell, Least: least}},
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

// What is copied reaches the program that is there for it, whole.
func TestCopyByProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script")
	}
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	script := "#!/bin/sh\nexec cat > '" + taken + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "xsel"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/cat", filepath.Join(dir, "cat")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir) // no other program has the text
	env := map[string]string{"DISPLAY": ":0"}
	by, err := clipboard{system: "linux", env: func(name string) string { return env[name] }}.copy("two\nlines, “quoted”\n")
	if by != "xsel" || err != nil {
		t.Fatalf("got %q, %v, want it copied with xsel", by, err)
	}
	got, err := os.ReadFile(taken)
	if err != nil || string(got) != "two\nlines, “quoted”\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := (clipboard{system: "linux", env: func(string) string { return "" }}).copy("x"); err == nil {
		t.Error("there is a clipboard without a display")
	}
}
