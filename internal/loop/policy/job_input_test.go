package policy_test

import (
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
