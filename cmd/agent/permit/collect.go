// Package permit collects the permissions of a workspace: the rules of the system policy,
// of the flags, of the user's configuration and of the project, and the standing
// permissions of the project. It also holds `agent permit`, which says how a command
// would be judged by them. It decides nothing itself: see package policy. Start reading
// at Collect.
package permit

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/rule"
)

// Flags are the flags that set permissions.
type Flags struct {
	Mode        string   // empty for the configured one
	Allow, Deny []string // rules
	NoSandbox   bool     // the machine or container is the boundary
}

// Permissions are the permissions of a workspace.
type Permissions struct {
	Mode event.Mode
	// Modes are the modes that the user may choose; nil for all.
	Modes []event.Mode
	// Rules are those of the system policy, the flags and the configuration, in this
	// order.
	Rules []rule.Rule
	// Project are the permissions of the project. Its rules come after Rules.
	Project settings.Project
	// File is the file of Project. Nil if the user has no state directory.
	File *settings.ProjectFile
	// Notices are problems, for the user.
	Notices []string
}

// All returns the rules, with those of the project.
func (p Permissions) All() []rule.Rule { return slices.Concat(p.Rules, p.Project.Rules) }

// Collect returns the permissions of the workspace dir. A damaged file of the project is
// a notice; all other problems are errors.
func Collect(dir string, flags Flags, file settings.File, system settings.SystemFile) (Permissions, error) {
	var p Permissions
	admin, err := system.Read()
	if err != nil {
		return p, err
	}
	p.Modes = admin.Modes
	if p.Mode, err = chooseMode(flags.Mode, file, p.Modes, admin.Path); err != nil {
		return p, err
	}
	if on := file.Sandbox; admin.Sandbox && on != nil && !*on {
		return p, command.Usage("%s:%d: the system policy %s requires the sandbox. Remove \"sandbox\": false", file.Path, file.Lines["sandbox"], admin.Path)
	}
	if admin.Sandbox && flags.NoSandbox {
		return p, command.Usage("--no-sandbox: the system policy %s requires the sandbox", admin.Path)
	}
	p.Rules = admin.Rules
	for _, f := range []struct {
		action rule.Action
		texts  []string
	}{{rule.Deny, flags.Deny}, {rule.Allow, flags.Allow}} {
		for _, text := range f.texts {
			r, err := rule.Parse(f.action, text)
			if err == nil {
				err = r.Check()
			}
			if err != nil {
				return p, command.Usage("--%s: %w", f.action, err)
			}
			r.Source = "--" + string(f.action)
			p.Rules = append(p.Rules, r)
		}
	}
	p.Rules = append(p.Rules, file.Rules...)
	p.readProject(dir)
	return p, nil
}

// readProject reads the permissions of the project.
func (p *Permissions) readProject(dir string) {
	state, err := history.Dir(os.Getenv)
	if err != nil {
		return
	}
	if err := settings.CarryOverApprovals(state); err != nil {
		p.Notices = append(p.Notices, "Cannot "+err.Error()+".")
	}
	file, err := settings.ProjectOf(state, dir)
	if err == nil {
		p.File = &file
		p.Project, err = file.Read()
	}
	if err != nil {
		p.Notices = append(p.Notices, "Cannot "+err.Error()+".")
	}
}

// chooseMode returns the mode of the flag, else of the configuration, else ask. Allowed
// are the modes of the system policy in the file system; nil for all.
func chooseMode(flag string, file settings.File, allowed []event.Mode, system string) (event.Mode, error) {
	def := event.ModeAsk
	if len(allowed) > 0 && !slices.Contains(allowed, def) {
		def = allowed[0]
	}
	m, err := event.ParseMode(cmp.Or(flag, file.Mode, string(def)))
	if err != nil {
		return "", command.Usage("--mode: %w", err) // the configuration has been checked
	}
	if len(allowed) > 0 && !slices.Contains(allowed, m) {
		where := "--mode"
		if flag == "" {
			where = fmt.Sprintf("%s:%d", file.Path, file.Lines["mode"])
		}
		return "", command.Usage("%s: the system policy %s does not allow permission mode %s. Use %s", where, system, m.Name(), strings.Join(event.ModeNames(allowed), " or "))
	}
	return m, nil
}
