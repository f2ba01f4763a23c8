package policy_test

import (
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// git in another directory writes there only if its subcommand changes something.
func TestGitInAnotherDirectory(t *testing.T) {
	dir, home := project(t, "sub/x"), project(t, "notes/x")
	at := policy.Paths{Workspace: dir, Home: home, Sandbox: policy.SandboxFull}
	for _, line := range []string{"git -C " + home + "/notes status", "git -C ~/notes log", "git -C sub commit -m x"} {
		p := policy.Policy{Mode: event.ModeAsk}
		if v := asks(&p, at, run(dir, line)); !v.Ask || v.Access.Write != nil || v.Access.Outside {
			t.Errorf("%s: %+v", line, v)
		}
	}
}
