package main

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	"agent/cmd/agent/access"
	"agent/cmd/agent/command"
	"agent/cmd/agent/permit"
	"agent/cmd/agent/project"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools/workspace"
)

// systemFile is the file of the system policy. Only tests replace it.
var systemFile = settings.System()

// collectPermissions sets the permission mode, the rules and the permissions of the
// project.
func (a *app) collectPermissions(flags permit.Flags, file settings.File) error {
	p, err := permit.Collect(a.dir, flags, file, systemFile)
	if err != nil {
		return err
	}
	a.notices = append(a.notices, p.Notices...)
	o := &a.options.Permissions
	if flags.NoSandbox {
		o.Sandbox = func() (policy.Sandbox, string) { return policy.SandboxOutside, access.NoSandbox }
	}
	o.Mode, o.Modes, o.Rules, o.ProjectRules, o.Remembered = p.Mode, p.Modes, p.Rules, p.Project.Rules, p.Project.Grants
	collect := func(string) ([]delegate.Agent, []string) { return project.Agents(a.project) }
	a.trust = trust.NewReview(a.dir, p.File, p.Project.Confirmed, repositorySources(file.Settings, collect)...)
	if p.File != nil {
		o.ProjectFile = p.File.Path
		o.Remember, o.Forget, o.ForgetRule = p.File.Remember, p.File.Forget, p.File.ForgetRule
	}
	return nil
}

// permitPaths returns the function that returns the paths by which `agent permit` judges commands in
// dir, to which dirs are added.
func permitPaths(dirs *[]string) func(dir string, set settings.Settings) (policy.Paths, error) {
	return func(dir string, set settings.Settings) (policy.Paths, error) { return pathsWith(dir, set, *dirs) }
}

// pathsWith returns the paths by which commands in dir are judged, to which dirs are added. In the
// complete sandbox they find a temporary directory of their own.
func pathsWith(dir string, set settings.Settings, dirs []string) (policy.Paths, error) {
	if len(dirs) > 0 {
		work, err := workspace.Open(dir)
		if err != nil {
			return policy.Paths{}, err
		}
		defer work.Close()
		if _, err := access.AddDirs(work, dirs, nil); err != nil {
			return policy.Paths{}, err
		}
		set.AddDirs = slices.Concat(work.Added(), set.AddDirs)
	}
	p := judgingPaths(dir, set)
	p.Temp = access.TempDir("permit", p, func() bool { return p.Sandbox == policy.SandboxFull })
	return p, nil
}

// checkUnattended returns an error if the session has no user and its mode is to approve commands,
// but almost all of them would be denied: the sandbox is not complete, or undo records nothing, and no
// rule allows any.
func (a *app) checkUnattended() error {
	o := &a.options.Permissions
	if o.Mode != event.ModeAll || slices.ContainsFunc(o.Rules, func(r rule.Rule) bool { return r.Action == rule.Allow && r.Kind != rule.Edit }) {
		return nil
	}
	form, why := policy.SandboxOff, "The configuration turns the sandbox of commands off. "+access.Boundary
	if o.Sandbox != nil {
		form, why = o.Sandbox()
	}
	switch {
	case form == policy.SandboxOutside, form == policy.SandboxFull && a.stored.Log != nil:
		return nil
	case form == policy.SandboxFull:
		why = "Without a session undo records nothing, so commands that are not read-only would be denied. Remove --no-session. " + access.Boundary
	}
	return command.Usage("--mode all: %s", strings.TrimSuffix(why, "."))
}

// judgingPaths returns the paths by which calls in dir are judged without a session.
func judgingPaths(dir string, set settings.Settings) policy.Paths {
	return access.JudgingPaths(dir, set, version)
}

// protectPaths sets the protected paths, the files outside the workspace that tools may
// access, the key of the session's standing permissions and, unless the configuration turns it
// off, the sandbox of commands with their temporary directory.
func (a *app) protectPaths() {
	paths := access.Paths(a.work.Dir(), os.Getenv)
	paths.Added, paths.Room = a.work.Added(), func() int64 { return a.changes.Room() }
	paths.Keeps = func(file fs.FileInfo, bytes int64) bool { return a.changes.Keeps(file, bytes) }
	paths.Shell.Search = access.Search(paths, os.Getenv)
	paths.Commands = policy.Commands{Evaded: func() bool { return a.sandbox.Evaded() }, Jobs: func() bool { return a.jobs.Unapproved() }}
	if a.trust != nil {
		paths.Confirmed = a.trust.Files
	}
	a.work.AllowOutside(paths.Home)
	a.work.Withhold(paths.Withheld(a.options.Permissions.Rules))
	key := access.KeyFile(os.Getenv)
	if a.stored.Log != nil && key != "" {
		paths.Outputs = a.stored.Log.Outputs()
		a.options.Permissions.Key = func() ([]byte, error) { return standing.Key(key) }
	}
	if a.options.Permissions.Sandbox == nil && valueOr(a.set.Sandbox, true) {
		a.sandbox = access.NewSandbox(version, a.stored.Log != nil)
		a.options.Permissions.Sandbox = a.sandbox.State
		id := ""
		if a.stored.Log != nil {
			id = a.stored.Log.Header().ID
		}
		paths.Temp = a.sandbox.UseTemp(id, paths)
		a.work.UseTemp(paths.Temp)
	}
	a.work.Hide(append(access.Secrets(os.Getenv), paths.Temp.Parents()...)...)
	a.options.Permissions.Paths = paths
}
