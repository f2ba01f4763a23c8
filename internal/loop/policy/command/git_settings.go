package command

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/bash"
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
		case name == "--global" || name == "--system" || name == "-f" || name == "--file" || name == "--blob":
			return false // other effects are known of these files
		case name == "-l" || name == "-z" || strings.HasPrefix(name, "--get") || name == "--list":
			return false
		case name == "-e" || strings.HasPrefix(name, "--e") || strings.HasPrefix(name, "--re") || strings.HasPrefix(name, "--un"):
			writes = true // edit, rename, remove, replace or unset
		case slices.Contains([]string{"--type", "--default", "--comment", "--value", "--url", "-t"}, name):
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

// gitConfig returns the configuration file of the repository that git uses. Options are the words
// before its subcommand.
func (g *guesser) gitConfig(p *Part, options []string) string {
	top := ""
	for i, w := range options {
		switch next := i + 1; {
		case next < len(options) && w == "-C":
			if filepath.IsAbs(options[next]) {
				top = options[next]
			} else {
				top = filepath.Join(top, options[next])
			}
		case next < len(options) && w == "--git-dir":
			return filepath.Join(top, options[next], "config")
		case strings.HasPrefix(w, "--git-dir="):
			return filepath.Join(top, strings.TrimPrefix(w, "--git-dir="), "config")
		}
	}
	config := filepath.Join(".git", "config")
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
