package history

import (
	"errors"
	"path/filepath"
	"runtime"

	"agent/internal/realpath"
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

// InDir returns a function that reports whether a session belongs to the working
// directory dir, which can be a path with symbolic links. Every session belongs to "".
// A session of an older version belongs to the path that it was started with.
func InDir(dir string) func(Header) bool {
	given, real := asWritten(dir), asWritten(resolved(dir))
	return func(h Header) bool { return dir == "" || h.Dir == real || h.Dir == given }
}

// asWritten returns dir as JSON stores it: invalid UTF-8 becomes U+FFFD.
func asWritten(dir string) string { return string([]rune(dir)) }

// resolved returns dir without symbolic links if it is absolute.
func resolved(dir string) string {
	if !filepath.IsAbs(dir) {
		return dir
	}
	return realpath.Of(dir)
}
