package desktop

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

const (
	maxPromptFiles = 200      // per directory
	maxPromptFile  = 64 << 10 // bytes

	repoPromptFiles = ".agent/commands" // in the working directory
)

// PromptFiles reads the custom commands: the user's from the configuration directory,
// then those of the repository at dir. The user's command wins if both have one of the
// same name. The notices name each file that is not used.
func PromptFiles(dir string) (all []screen.CustomCommand, notices []string) {
	if config, err := settings.Path(os.Getenv); err == nil {
		own := filepath.Join(filepath.Dir(config), "commands")
		all, notices = readPromptFiles(os.DirFS(own), ".", filepath.ToSlash(command.Short(own)))
	}
	root, err := os.OpenRoot(dir) // symlinks must not lead out of the repository
	if err != nil {
		return all, append(notices, fmt.Sprintf("Cannot read the custom commands of this directory: %v", err))
	}
	defer root.Close()
	theirs, more := readPromptFiles(root.FS(), repoPromptFiles, repoPromptFiles)
	notices = append(notices, more...)
	for _, c := range theirs {
		if i := slices.IndexFunc(all, func(o screen.CustomCommand) bool { return o.Name == c.Name }); i >= 0 {
			notices = append(notices, fmt.Sprintf("%s is not used: %s has the same name.", c.Source, all[i].Source))
			continue
		}
		c.FromRepository = true
		all = append(all, c)
	}
	return all, notices
}

// readPromptFiles reads the prompt files in dir. Notices call the directory shown.
func readPromptFiles(files fs.FS, dir, shown string) (all []screen.CustomCommand, notices []string) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []string{fmt.Sprintf("Cannot read the custom commands in %s: %v", shown, err)}
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		source := shown + "/" + e.Name()
		if len(all) == maxPromptFiles {
			return all, append(notices, fmt.Sprintf("Only the first %d commands in %s are used.", maxPromptFiles, shown))
		}
		text, err := readPrompt(files, path.Join(dir, e.Name()))
		if err == nil && !slash.IsCommandName(name) {
			err = errors.New("invalid command name: use a-z, 0-9, - and _, beginning with a letter")
		}
		if err != nil {
			notices = append(notices, fmt.Sprintf("%s is not used: %v.", source, err))
			continue
		}
		c := parsePrompt(text)
		c.Name, c.Source = name, source
		all = append(all, c)
	}
	return all, notices
}

// readPrompt returns the text of a prompt file.
func readPrompt(files fs.FS, name string) (string, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe can block
		return "", errors.New("not a regular file")
	}
	f, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxPromptFile+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxPromptFile {
		return "", fmt.Errorf("larger than %d KiB", maxPromptFile>>10)
	}
	text := strings.ToValidUTF8(string(b), "\uFFFD")
	return strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n"), nil
}

// parsePrompt splits a prompt file into its front matter, between two lines of three
// dashes, and its text. It ignores unknown keys.
func parsePrompt(text string) screen.CustomCommand {
	c := screen.CustomCommand{Text: text}
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return c
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return c
		}
	}
	c.Text = body
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : n-1]
		}
		switch strings.TrimSpace(key) {
		case "description":
			c.What = value
		case "arguments", "argument-hint":
			c.Args = value
		}
	}
	return c
}
