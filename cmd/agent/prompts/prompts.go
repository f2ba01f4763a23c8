// Package prompts reads the user's own system prompt.
package prompts

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
)

// maxSystem is the maximum size of a system prompt in bytes.
const maxSystem = 256 << 10

// Read returns the user's own system prompt and addition: those of the flags, else of the
// configuration.
func Read(flag settings.Prompt, set settings.Settings) (system, appended string, err error) {
	path, err := settings.Path(os.Getenv)
	if err != nil {
		return "", "", err
	}
	text := func(flag, flagName, setting, settingName string) (string, error) {
		if flag != "" {
			text, err := textOrFile(flag, "")
			if err != nil {
				return "", command.Usage("%s: %w", flagName, err)
			}
			return text, nil
		}
		text, err := textOrFile(setting, filepath.Dir(path))
		if err != nil {
			return "", fmt.Errorf("configuration: %s: %w", settingName, err)
		}
		return text, nil
	}
	if system, err = text(flag.System, "--system", set.System, "system"); err != nil {
		return "", "", err
	}
	appended, err = text(flag.AppendSystem, "--append-system", set.AppendSystem, "append_system")
	return system, appended, err
}

// textOrFile returns text, or the content of the file that @FILE names, relative to
// dir.
func textOrFile(text, dir string) (string, error) {
	name, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return text, nil
	}
	name, err := InDir(name, dir)
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSystem+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > maxSystem:
		return "", fmt.Errorf("%s is larger than %d KiB", name, maxSystem>>10)
	case strings.TrimSpace(string(b)) == "":
		return "", fmt.Errorf("%s is empty", name)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}

// InDir returns the path of the file called name, relative to dir or, with ~/, to the
// home directory.
func InDir(name, dir string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		return filepath.Join(home, rest), err
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	return filepath.Join(dir, name), nil
}
