package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/tui"
)

// terminalOf is what is known of the terminal: by its variables, and by what
// the person set.
func terminalOf(set settings.Settings, getenv func(string) string) tui.Terminal {
	const least = 10 * time.Second
	t := tui.Terminal{Tmux: getenv("TMUX") != "", Notify: tui.Notify(set.Notify), Forgets: ghostty(getenv), Least: least}
	if set.NotifyAfter != nil {
		t.Least = time.Duration(*set.NotifyAfter) * time.Second
	}
	if t.Notify == "" || t.Notify == "auto" {
		t.Notify = notifies(getenv)
	}
	if t.Progress = showsProgress(getenv); set.Progress != nil {
		t.Progress = *set.Progress
	}
	return t
}

// notifies is how a terminal tells of something, where that is known. A bell
// rings in all of them, and a multiplexer marks the window in which it rang.
func notifies(getenv func(string) string) tui.Notify {
	program, term := getenv("TERM_PROGRAM"), getenv("TERM")
	switch {
	case multiplexed(getenv):
		return tui.NotifyBell
	case term == "xterm-kitty":
		return tui.NotifyOSC99
	case program == "iTerm.app", getenv("LC_TERMINAL") == "iTerm2", // which ssh hands on
		program == "WezTerm", program == "WarpTerminal", ghostty(getenv):
		return tui.NotifyOSC9
	case term == "foot", term == "foot-extra", strings.HasPrefix(term, "rxvt-unicode"):
		return tui.NotifyOSC777
	}
	return tui.NotifyBell
}

// showsProgress reports whether a terminal shows progress. Others take the
// sequence for a notification.
func showsProgress(getenv func(string) string) bool {
	if multiplexed(getenv) {
		return false
	}
	ptyxis, _, _ := strings.Cut(getenv("PTYXIS_VERSION"), ".")
	major, _ := strconv.Atoi(ptyxis)
	return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" ||
		ghostty(getenv) || major >= 48 || hasFeature(getenv("TERM_FEATURES"), "P")
}

// ghostty reports whether the terminal is Ghostty.
func ghostty(getenv func(string) string) bool {
	return getenv("TERM_PROGRAM") == "ghostty" || getenv("TERM") == "xterm-ghostty"
}

// multiplexed reports whether a program stands between this one and the
// terminal, whose variables it may have handed on. It keeps to itself what it
// does not know.
func multiplexed(getenv func(string) string) bool {
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != ""
}

// hasFeature reports whether features, as iTerm2 writes them one after the other
// (T3LrMSc7), has the one of that name.
func hasFeature(features, name string) bool {
	names := regexp.MustCompile(`[A-Z][a-z]*`).FindAllString(features, -1)
	return slices.Contains(names, name)
}
