package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
)

// events are our names of the events of Claude Code. See package agent/internal/loop/hooks
// for the format.
var events = map[string]string{
	"SessionStart": "session_start", "UserPromptSubmit": "prompt", "PreToolUse": "before_tool", "PostToolUse": "after_tool",
	"Notification": "approval", "Stop": "turn_end", "PreCompact": "compact", "SessionEnd": "session_end",
}

// toolNames are our names of the tools of Claude Code.
var toolNames = map[string]string{
	"Bash": "shell", "Edit": "edit,patch", "MultiEdit": "edit,patch", "Write": "write,patch", "NotebookEdit": "edit", "Read": "read",
	"Glob": "glob", "Grep": "search", "LS": "list", "WebFetch": "fetch", "Task": "delegate", "Agent": "delegate", "TodoWrite": "todo",
}

// claudeFile is the part of settings.json of Claude Code that holds hooks.
type claudeFile struct {
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Type    string  `json:"type"`
			Command string  `json:"command"`
			Timeout float64 `json:"timeout"` // seconds
		} `json:"hooks"`
	} `json:"hooks"`
}

// imported is a hook to add.
type imported struct {
	event string
	hook  settings.Hook
}

// convert returns the hooks of a settings.json of Claude Code, and what cannot be imported
// or is imported differently, for the user.
func convert(b []byte) (all []imported, notes []string, err error) {
	var file claudeFile
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, nil, err
	}
	for _, theirs := range slices.Sorted(maps.Keys(file.Hooks)) {
		event := events[theirs]
		if event == "" {
			notes = append(notes, "not imported: "+theirs+" has no counterpart")
			continue
		}
		for _, group := range file.Hooks[theirs] {
			var tools string
			ofTool := event == "before_tool" || event == "after_tool"
			switch matcher := strings.TrimSpace(group.Matcher); {
			case matcher == "" || matcher == "*":
			case !ofTool:
				notes = append(notes, fmt.Sprintf("%s: the matcher %q is left out: the hook runs at every %s", theirs, matcher, event))
			default:
				var why string
				if tools, why = toolGlob(matcher); why != "" {
					notes = append(notes, fmt.Sprintf("not imported: %s with the matcher %q: %s", theirs, matcher, why))
					continue
				}
			}
			for _, h := range group.Hooks {
				if h.Type != "command" || strings.TrimSpace(h.Command) == "" {
					notes = append(notes, fmt.Sprintf("not imported: a hook of %s of the type %q", theirs, h.Type))
					continue
				}
				all = append(all, imported{event, settings.Hook{Tool: tools, Command: h.Command, Format: "claude", Timeout: min(int(h.Timeout), 600)}})
			}
		}
	}
	return all, notes, nil
}

// alternatives is a matcher that lists names. A name may end with a wildcard.
var alternatives = regexp.MustCompile(`^\w+(\.\*)?(\|\w+(\.\*)?)*$`)

// toolGlob returns the glob for a matcher of Claude Code, or why there is none.
func toolGlob(matcher string) (glob, why string) {
	if !alternatives.MatchString(matcher) {
		return "", "only names joined by | can be imported"
	}
	var names []string
	for part := range strings.SplitSeq(matcher, "|") {
		ours := toolNames[part]
		if ours == "" {
			if !strings.HasPrefix(part, "mcp__") {
				return "", "there is no tool like " + part
			}
			ours = strings.ReplaceAll(part, ".*", "*")
		}
		for name := range strings.SplitSeq(ours, ",") {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 1 {
		return names[0], ""
	}
	return "{" + strings.Join(names, ",") + "}", ""
}

func importRun(_ context.Context, opts *Options) error {
	file, err := opts.claudePath()
	if err != nil {
		return err
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s to import hooks from. %s", ink.SanitizeLine(command.Short(file)), opts.otherFiles())
	}
	if err != nil {
		return fmt.Errorf("import hooks: %w", err)
	}
	all, notes, err := convert(b)
	if err != nil {
		return fmt.Errorf("import hooks from %s: %w", ink.SanitizeLine(file), err)
	}
	for _, n := range notes {
		opts.IO.Warn("%s", n)
	}
	path, err := settings.Path(os.Getenv)
	if err != nil {
		return err
	}
	old, err := settings.Read(path)
	if err != nil {
		return err
	}
	all = missing(all, old.Hooks)
	if len(all) == 0 {
		fmt.Fprintf(opts.IO.Out, "There is nothing to import from %s.\n", ink.SanitizeLine(command.Short(file)))
		return nil
	}
	for _, i := range all {
		fmt.Fprintf(opts.IO.Out, "hooks.%s  %s%s\n", i.event, ink.SanitizeLine(i.hook.Command), describe(i.hook))
	}
	what := phrase.Count(len(all), "hook")
	switch {
	case opts.Yes:
	case !opts.IO.Interactive():
		return command.Usage("there is no terminal to ask on: to add these hooks to %s, add --yes", ink.SanitizeLine(command.Short(path)))
	case !opts.IO.Confirm("Add " + what + " to " + ink.SanitizeLine(command.Short(path)) + "? [y/N] "):
		return errors.New("nothing was imported")
	}
	err = settings.Change(path, func(now settings.Settings) (edits []settings.Edit, err error) {
		for _, i := range missing(all, now.Hooks) {
			edits = append(edits, settings.AppendValue(i.hook, "hooks", i.event))
		}
		return edits, nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(opts.IO.Out, "Added %s to %s.\n", what, ink.SanitizeLine(command.Short(path)))
	return nil
}

// missing returns the hooks that the configuration does not have.
func missing(all []imported, have settings.Hooks) (out []imported) {
	for _, i := range all {
		if !slices.Contains(have.At(i.event), i.hook) {
			out = append(out, i)
		}
	}
	return out
}

// describe returns the tools and the time limit of a hook; empty if it has neither.
func describe(h settings.Hook) string {
	var parts []string
	if h.Tool != "" {
		parts = append(parts, "tools "+ink.SanitizeLine(h.Tool))
	}
	if h.Timeout > 0 {
		parts = append(parts, fmt.Sprintf("at most %d s", h.Timeout))
	}
	if parts == nil {
		return ""
	}
	return "  (" + strings.Join(parts, ", ") + ")"
}

// otherFiles says how to import the hooks of another file.
func (o *Options) otherFiles() string {
	const another = "to import another file: agent hooks import FILE"
	switch {
	case o.File != "":
		return "Without FILE, agent hooks import reads ~/.claude/settings.json, and with --project .claude/settings.json of the current directory"
	case o.Project:
		return "To import your own, leave out --project; " + another
	}
	return "To import those of the current directory, add --project; " + another
}

// claudePath returns the file to import.
func (o *Options) claudePath() (string, error) {
	name := filepath.Join(".claude", "settings.json")
	switch {
	case o.File != "":
		return o.File, nil
	case o.Project:
		return name, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("import hooks: %w", err)
	}
	return filepath.Join(home, name), nil
}
