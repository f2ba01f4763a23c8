package main

import (
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"agent/cmd/agent/settings"
	"agent/internal/tui"
	"agent/internal/tui/ink"
)

// drawAs says in o how the screen is drawn: as the person set it, as far as the
// terminal can.
func drawAs(o *tui.Options, set settings.Settings) {
	o.Theme, o.Diffs = set.Theme, ink.DiffLayout(set.Diff)
	o.ASCII = asciiOnly(set.ASCII, os.Getenv)
	o.KeepMarked = set.Copies != nil && !*set.Copies
	o.NoMouse = set.Mouse != nil && !*set.Mouse
	o.NoColor = os.Getenv("NO_COLOR") != ""
	o.Colours = colorprofile.Env(os.Environ())
	o.SaveTheme = func(name string) error {
		path, err := settings.Path(os.Getenv)
		if err != nil {
			return err
		}
		return settings.Set(path, "theme", name)
	}
}

// asciiOnly reports whether the terminal shows nothing but ASCII: as it is set,
// else as the locale says. Where there is no locale at all, it most likely shows
// everything, as in a container.
func asciiOnly(set *bool, getenv func(string) string) bool {
	if set != nil {
		return *set
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(getenv(name)); locale != "" {
			return !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
		}
	}
	return false
}
