package history

import (
	"errors"
	"path/filepath"
	"runtime"
)

// Dir returns the directory for this program's state: $XDG_STATE_HOME/agent, by
// default ~/.local/state/agent, on Windows %LocalAppData%\agent. A relative
// XDG_STATE_HOME is ignored, as its specification requires.
func Dir(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "agent"), nil
	}
	if runtime.GOOS == "windows" {
		if dir := getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "agent"), nil
		}
		return "", errors.New("no directory for sessions: set LocalAppData or XDG_STATE_HOME to an absolute path")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "agent"), nil
	}
	return "", errors.New("no directory for sessions: set HOME or XDG_STATE_HOME to an absolute path")
}
