package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/tools/toolchain"
	"agent/internal/tools/workspace"
	"agent/internal/tui/ink"
)

// readablePaths returns the directories outside of the workspace that may be read
// without approval: sources of toolchains, and the user's skills.
func readablePaths(home string, getenv func(string) string) []string {
	dirs := toolchain.Sources(getenv, home)
	if file, err := settings.Path(getenv); err == nil {
		dirs = append(dirs, filepath.Join(filepath.Dir(file), "skills"))
	}
	if home != "" {
		dirs = append(dirs, filepath.Join(home, ".claude", "skills"))
	}
	return dirs
}

// addDirs adds the directories of --add-dir and of the configuration to the workspace.
func (a *app) addDirs(flags []string) error {
	for _, dir := range flags {
		if err := a.addDir(dir); err != nil {
			return command.Usage("--add-dir %s: %w", ink.SanitizeLine(dir), err)
		}
	}
	for _, dir := range a.set.AddDirs {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(homeDir(), rest)
		}
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("configuration: add_dirs: %s is relative. Write an absolute path, or one that begins with ~/", ink.SanitizeLine(dir))
		}
		if err := a.addDir(dir); err != nil {
			return fmt.Errorf("configuration: add_dirs: %s: %w", ink.SanitizeLine(dir), err)
		}
	}
	return nil
}

// homeDir returns the home directory; empty if it is unknown.
func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}

// addDir adds a directory to the workspace.
func (a *app) addDir(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(abs); err != nil {
		return fmt.Errorf("%w. Give a directory that exists", workspace.Cause(err))
	} else if !info.IsDir() {
		return errors.New("it is a file. Give a directory")
	}
	if own := ownNear(abs); own != "" {
		return fmt.Errorf("tools must not change %s, which belongs to agent. Give a directory that neither contains it nor is in it", command.Short(own))
	}
	if err := a.work.Add(abs); err != nil {
		return err
	}
	if real := followed(abs); real == filepath.Dir(real) || real == followed(homeDir()) {
		a.notices = append(a.notices, fmt.Sprintf("Warning: the model can read and change all of %s, because it was added to the workspace.", command.Short(real)))
	}
	return nil
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
		if within(followed(dir), followed(path)) || within(followed(path), followed(dir)) {
			return path
		}
	}
	return ""
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// followed returns a path without symbolic links in its part that exists.
func followed(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			rest, _ := filepath.Rel(dir, path)
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}
