package desktop

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agent/internal/tui/screen"
)

// DetectTerminal detects the features of the terminal from the environment.
func DetectTerminal(getenv func(string) string) screen.Terminal {
	return screen.Terminal{Tmux: getenv("TMUX") != "", Notify: notification(getenv), Progress: showsProgress(getenv), RepeatProgress: ghostty(getenv)}
}

// ASCIIOnly reports whether the locale is set and not UTF-8. Without a locale, as in
// a container, the terminal most likely supports UTF-8.
func ASCIIOnly(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(getenv(name)); locale != "" {
			return !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
		}
	}
	return false
}

// notification returns how the terminal shows notifications. A bell works everywhere,
// and a multiplexer marks the window that rang it.
func notification(getenv func(string) string) screen.Notify {
	program, term := getenv("TERM_PROGRAM"), getenv("TERM")
	switch {
	case multiplexed(getenv):
		return screen.NotifyBell
	case term == "xterm-kitty":
		return screen.NotifyOSC99
	case program == "iTerm.app", getenv("LC_TERMINAL") == "iTerm2", // set through ssh
		program == "WezTerm", program == "WarpTerminal", ghostty(getenv):
		return screen.NotifyOSC9
	case term == "foot", term == "foot-extra", strings.HasPrefix(term, "rxvt-unicode"):
		return screen.NotifyOSC777
	}
	return screen.NotifyBell
}

// showsProgress reports whether the terminal supports progress sequences. Some other
// terminals show them as notifications.
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

// multiplexed reports whether a multiplexer runs in the terminal. Programs in it
// inherit the terminal's variables, but it drops sequences that it does not know.
func multiplexed(getenv func(string) string) bool {
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != ""
}

// hasFeature reports whether features, a list in the format of iTerm2 (T3LrMSc7),
// contains name.
func hasFeature(features, name string) bool {
	names := regexp.MustCompile(`[A-Z][a-z]*`).FindAllString(features, -1)
	return slices.Contains(names, name)
}
