package access

import (
	"strings"
	"testing"

	"agent/internal/loop/policy"
	"agent/internal/tools/shell/sandbox"
)

// The user learns what a missing sandbox means.
func TestMissingSandboxIsReported(t *testing.T) {
	s := Sandbox{report: func() sandbox.Report { return sandbox.Report{Reason: "there is none"} }}
	state, notice := s.State()
	if want := "Commands run without a sandbox: there is none. In every mode, those that are not read-only need your approval."; state != policy.SandboxMissing || !strings.HasPrefix(notice, want) {
		t.Errorf("%v, %s", state, notice)
	}
}
