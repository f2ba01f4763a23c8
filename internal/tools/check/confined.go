package check

import (
	"context"
	"errors"

	"agent/internal/tools/confine"
	"agent/internal/tools/shell"
)

// errNoSandbox is the error of a check that does not run.
var errNoSandbox = errors.New(`there is no sandbox on this system. The user can run it without one: "sandbox": false in the check`)

// confined runs a check in the sandbox: see confine.Area.ProgramExtents. Notes say what the
// sandbox undid or probably prevented.
func (k *Checks) confined(ctx context.Context, command shell.Command) (r shell.Result, notes string, err error) {
	command.Env = confine.ProgramEnv(command.Env)
	err = errNoSandbox
	for _, e := range k.commands.Area.ProgramExtents(command.Snapshot != nil) {
		if e.Private {
			command.Snapshot = nil
		}
		if r, notes, err = k.within(ctx, command, e); !errors.Is(err, shell.ErrNotUndoable) {
			break
		}
	}
	return r, notes, err
}

// within runs a check with the access of e.
func (k *Checks) within(ctx context.Context, command shell.Command, e confine.Extent) (r shell.Result, notes string, err error) {
	guard := k.commands.Area.Begin(e)
	command.Limits.Sandbox, command.Snapshot = guard.Profile(), guard.Order(command.Snapshot)
	r, err = shell.Run(ctx, command)
	notices := guard.Refused(r.Kept.Protected)
	for _, s := range r.Kept.Settings {
		notices = append(notices, guard.RefusedSettings(s.Path, s.Why))
	}
	for _, n := range append(notices, guard.EndWith(confine.Seen{Planted: r.Kept.Planted, Made: r.Kept.Made, Created: r.Kept.Created})...) {
		notes += "[" + n.Text + "]\n"
	}
	if failed, ok := shell.SandboxFailure(guard.Profile(), command.Dir, r.Output, r.Code, r.Kept); ok {
		notes += "[the sandbox of checks probably caused this failure: " + failed.String() + `. The user can open it: "sandbox": false in the check]` + "\n"
	}
	if errors.Is(err, shell.ErrSandbox) && k.commands.Area.Failed != nil {
		k.commands.Area.Failed()
	}
	return r, notes, err
}
