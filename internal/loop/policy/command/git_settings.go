package command

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/bash"
	"agent/internal/tools/gitconfig"
)

// setsUp reports whether a subcommand of git makes settings of the repository that may make git
// run programs or work elsewhere: see gitconfig.NeedsApproval.
func setsUp(sub string, args []string) bool {
	switch sub {
	case "config":
		return configures(args)
	case "remote":
		operands := bash.Operands(args)
		if len(operands) < 3 || operands[0] != "add" && operands[0] != "set-url" {
			return false
		}
		url := operands[len(operands)-1]
		if operands[0] == "set-url" {
			if given("--delete", args) {
				return false
			}
			url = operands[2]
		}
		return !gitconfig.IsRemoteURL(url) || slices.ContainsFunc(args, func(w string) bool { return strings.HasPrefix(w, "--mirror") })
	}
	return false
}

// configures is setsUp for the arguments of git config.
func configures(args []string) bool {
	var operands []string
	writes := false
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch {
		case name == "--global" || name == "--system" || name == "--blob":
			return false // no command can change these files without approval
		case name == "-l" || strings.HasPrefix(name, "--get") || name == "--list":
			return false
		case name == "-e" || strings.HasPrefix(name, "--e") || strings.HasPrefix(name, "--re") || strings.HasPrefix(name, "--un"):
			writes = true // edit, rename, remove, replace or unset
		case slices.Contains([]string{"--type", "--default", "--comment", "--value", "--url", "-t", "-f", "--file"}, name):
			if !joined {
				i++
			}
		case !strings.HasPrefix(name, "-") || name == "-":
			operands = append(operands, args[i])
		}
	}
	if len(operands) > 0 {
		switch operands[0] {
		case "get", "list":
			return false
		case "edit", "rename-section", "remove-section":
			return true
		case "set", "unset":
			operands, writes = operands[1:], true
		}
	}
	value := ""
	switch {
	case len(operands) == 0:
		return writes
	case len(operands) > 1:
		value = operands[1]
	case !writes:
		return false
	}
	return gitconfig.NeedsApproval(operands[0], value)
}

// gitConfig returns the configuration file that a subcommand of git changes. Options are the words
// before it, and args those after it.
func (g *guesser) gitConfig(p *Part, options []string, sub string, args []string) string {
	top, config := "", ""
	for i, w := range options {
		next := first(options[min(i+1, len(options)):])
		switch value, found := strings.CutPrefix(w, "--git-dir="); {
		case w == "-C":
			top = relativeTo(top, next)
		case w == "--git-dir":
			config = filepath.Join(next, "config")
		case found:
			config = filepath.Join(value, "config")
		}
	}
	for i, w := range args {
		switch value, found := strings.CutPrefix(w, "--file="); {
		case sub != "config":
		case w == "-f" || w == "--file":
			config = first(args[i+1:])
		case found:
			config = value
		}
	}
	if config != "" {
		return relativeTo(top, config)
	}
	config = filepath.Join(".git", "config")
	if g.env.Look == nil || len(p.dirs) != 1 && !filepath.IsAbs(top) {
		return filepath.Join(top, config)
	}
	dir := top
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.dirs[0], top)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if g.env.Look(filepath.Join(at, ".git")) == Directory {
			return filepath.Join(at, config)
		}
		if at == filepath.Dir(at) {
			return filepath.Join(dir, config)
		}
	}
}

// relativeTo returns a path, which is relative to dir unless it is absolute. Dir may be relative.
func relativeTo(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
