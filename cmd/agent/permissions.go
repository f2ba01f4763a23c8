package main

import (
	"os"
	"path/filepath"
	"slices"

	"agent/cmd/agent/permit"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/loop/policy"
	"agent/internal/tools/git"
	"agent/internal/tools/shell"
	"agent/internal/tools/workspace"
)

// keyFile is the name of the file, in the state directory, with the key that seals
// standing permissions.
const keyFile = "permissions.key"

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
	o := &a.options.PermissionOptions
	o.Mode, o.Modes, o.Rules, o.ProjectRules, o.Remembered = p.Mode, p.Modes, p.Rules, p.Project.Rules, p.Project.Grants
	if p.File != nil {
		o.ProjectFile = p.File.Path
		o.Remember, o.Forget, o.ForgetRule = p.File.Remember, p.File.Forget, p.File.ForgetRule
	}
	return nil
}

// permitPaths returns the paths by which `agent permit` judges commands in dir.
func permitPaths(dir string, set settings.Settings) policy.Paths {
	p := sessionPaths(dir, os.Getenv)
	if work, err := workspace.Open(dir); err == nil {
		defer work.Close()
		if a := (&app{dir: dir, set: set, work: work}); a.addDirs(nil) == nil {
			p.Added = work.Added()
		}
	}
	if state, err := history.Dir(os.Getenv); err == nil && valueOr(set.Sandbox, true) {
		p.Sandbox, _ = newCommandSandbox(filepath.Join(state, sandboxFile), false).state()
	}
	return p
}

// protectPaths sets the protected paths, the files outside of the workspace that tools
// may access, and the key of the session's standing permissions.
func (a *app) protectPaths() {
	paths := sessionPaths(a.work.Dir(), os.Getenv)
	paths.Added = a.work.Added()
	a.options.Paths = paths
	a.work.AllowOutside(paths.Home)
	a.work.Guard(paths.Guarded(a.options.Rules))
	state, err := history.Dir(os.Getenv)
	if err != nil {
		return
	}
	key := filepath.Join(state, keyFile)
	a.work.Hide(key)
	if a.log != nil {
		a.options.Paths.Outputs = a.log.Outputs()
		a.options.Key = func() ([]byte, error) { return policy.Key(key) }
	}
}

// sessionPaths is permissionPaths with the directories outside of dir that may be read
// without approval.
func sessionPaths(dir string, getenv func(string) string) policy.Paths {
	p := permissionPaths(dir, getenv)
	p.Readable = readablePaths(p.Home, getenv)
	return p
}

// permissionPaths returns the directories from which policy derives the protected
// paths of a session in dir.
func permissionPaths(dir string, getenv func(string) string) policy.Paths {
	p := policy.Paths{Workspace: dir, Git: git.NewReader()}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		p.Home = home
		p.Config, p.Zsh = []string{filepath.Join(home, ".config")}, []string{home}
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) && !slices.Contains(p.Config, dir) {
		p.Config = append(p.Config, dir)
	}
	if dir := getenv("ZDOTDIR"); filepath.IsAbs(dir) && !slices.Contains(p.Zsh, dir) {
		p.Zsh = append(p.Zsh, dir)
	}
	if file, err := settings.Path(getenv); err == nil {
		p.Own = append(p.Own, filepath.Dir(file), file)
	}
	if state, err := history.Dir(getenv); err == nil {
		p.Own = append(p.Own, state)
	}
	if program, err := os.Executable(); err == nil {
		p.Own = append(p.Own, program)
	}
	p.NoBash = filepath.Base(shell.Program()) != "bash"
	return p
}
