package policy_test

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Mode all approves calls that run no command of their own, such as input for a job, where it also
// approves commands.
func TestInputOfJobs(t *testing.T) {
	for sandbox, want := range map[policy.Sandbox]string{policy.SandboxFull: "runs", policy.SandboxOutside: "runs", policy.SandboxPartial: "asks"} {
		at := policy.Paths{Workspace: project(t), Sandbox: sandbox, Room: room(1 << 20)}
		if got := outcome(asks(&policy.Policy{Mode: event.ModeAll}, at, to(tools.Execute, tools.Command, "yes"))); got != want {
			t.Errorf("sandbox %d: %s, want %s", sandbox, got, want)
		}
	}
}

// After a command has tried to hide a change from undo, only commands that read run without approval.
func TestEvasionEndsUnaskedRunning(t *testing.T) {
	dir := project(t, "a.txt")
	evaded := false
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20), Commands: policy.Commands{Evaded: func() bool { return evaded }}}
	for _, mode := range []event.Mode{event.ModeAuto, event.ModeAll} {
		p := policy.Policy{Mode: mode}
		for _, evaded = range []bool{false, true} {
			for command, reads := range map[string]bool{"ls": true, "make": false, "rm a.txt": false} {
				call := run(dir, command)
				v := p.Judge(call, at.Look(t.Context(), call))
				if asks := evaded && !reads; v.Ask != asks || asks && !strings.Contains(v.Rule, "hide a change from undo") {
					t.Errorf("%s in %s, evaded %v: asks %v (%s)", command, mode, evaded, v.Ask, v.Rule)
				}
			}
		}
	}
}
