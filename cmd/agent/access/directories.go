package access

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/realpath"
	"agent/internal/tools/workspace"
	"agent/internal/tui/ink"
)

// AddDirs adds directories to the workspace: those of --add-dir, and those of the
// configuration. It returns warnings for the user.
func AddDirs(w *workspace.Workspace, flags, configured []string) (warnings []string, err error) {
	for _, dir := range flags {
		warning, err := addDir(w, dir)
		if err != nil {
			return nil, command.Usage("--add-dir %s: %w", ink.SanitizeLine(dir), err)
		}
		warnings = append(warnings, warning...)
	}
	for _, dir := range configured {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(homeDir(), rest)
		}
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("configuration: add_dirs: %s is relative. Write an absolute path, or one that begins with ~/", ink.SanitizeLine(dir))
		}
		warning, err := addDir(w, dir)
		if err != nil {
			return nil, fmt.Errorf("configuration: add_dirs: %s: %w", ink.SanitizeLine(dir), err)
		}
		warnings = append(warnings, warning...)
	}
	return warnings, nil
}

// homeDir returns the home directory; empty if it is unknown.
func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}

// addDir adds a directory to the workspace. It returns at most one warning.
func addDir(w *workspace.Workspace, dir string) (warning []string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("%w. Give a directory that exists", workspace.Cause(err))
	} else if !info.IsDir() {
		return nil, errors.New("it is a file. Give a directory")
	}
	if own := ownNear(abs); own != "" {
		return nil, fmt.Errorf("tools must not change %s, which belongs to agent. Give a directory that neither contains it nor is in it", command.Short(own))
	}
	if err := w.Add(abs); err != nil {
		return nil, err
	}
	if real := realpath.Of(abs); real == filepath.Dir(real) || real == realpath.Of(homeDir()) {
		warning = append(warning, fmt.Sprintf("Warning: the model can read and change all of %s, because it was added to the workspace.", command.Short(real)))
	}
	return warning, nil
}

// ownNear returns the state or configuration directory if dir contains it or is in it.
func ownNear(dir string) string {
	var own []string
	if state, err := history.Dir(os.Getenv); err == nil {
		own = append(own, state)
	}
	if file, err := settings.Path(os.Getenv); err == nil {
		own = append(own, filepath.Dir(file))
	}
	for _, path := range own {
		if realpath.Inside(realpath.Of(path), realpath.Of(dir)) || realpath.Inside(realpath.Of(dir), realpath.Of(path)) {
			return path
		}
	}
	return ""
}
