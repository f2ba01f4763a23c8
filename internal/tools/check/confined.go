package check

import (
	"context"
	"errors"
	"slices"
	"strings"

	"agent/internal/tools/confine"
	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
)

// errNoSandbox is the error of a check that does not run.
var errNoSandbox = errors.New(`there is no sandbox on this system. The user can run it without one: "sandbox": false in the check`)

// confined runs a check in the sandbox. The user chose its command, but files that the model
// can change may decide what it executes, such as a Makefile. Like a command that nobody
// approved, it has no network, sees only toolchains in the home directory, and changes only
// what undo can restore. If changes are not recorded, it cannot change the workspace.
//
// Notes say what the sandbox undid or probably prevented.
func (k *Checks) confined(ctx context.Context, command shell.Command) (r shell.Result, notes string, err error) {
	area := k.commands.Area
	session := area.Session()
	if session == nil || session.Form() == sandbox.None {
		return r, "", errNoSandbox
	}
	const locks = "GIT_OPTIONAL_LOCKS=" // git directories are read-only: git status must not try to update the index
	command.Env = append(slices.DeleteFunc(command.Env, func(v string) bool { return strings.HasPrefix(v, locks) }), locks+"0")
	if command.Snapshot != nil && session.Form() == sandbox.Complete {
		r, notes, err = k.within(ctx, command, confine.Extent{HideHome: true})
		if !errors.Is(err, shell.ErrUnkept) {
			return r, notes, err
		}
	}
	command.Snapshot = nil
	return k.within(ctx, command, confine.Extent{Private: true})
}

// within runs a check with the access of e.
func (k *Checks) within(ctx context.Context, command shell.Command, e confine.Extent) (r shell.Result, notes string, err error) {
	guard := k.commands.Area.Begin(e)
	command.Limits.Sandbox = guard.Profile()
	r, err = shell.Run(ctx, command)
	for _, n := range guard.End() {
		notes += "[" + n.Text + "]\n"
	}
	if failed, ok := shell.SandboxFailure(guard.Profile(), command.Dir, r.Output, r.Code); ok {
		notes += "[the sandbox of checks probably caused this failure: " + failed.String() + `. The user can open it: "sandbox": false in the check]` + "\n"
	}
	if errors.Is(err, shell.ErrSandbox) && k.commands.Area.Failed != nil {
		k.commands.Area.Failed()
	}
	return r, notes, err
}
