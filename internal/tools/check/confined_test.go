//go:build unix

package check_test

import (
	"strings"
	"testing"

	"agent/internal/tools"
	"agent/internal/tools/check"
	"agent/internal/tools/confine"
	"agent/internal/tools/shell/sandbox"
)

// On a system without a sandbox a check does not run, unless its configuration says that
// it needs none.
func TestNoCheckRunsWithoutASandbox(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, nil)
	area := confine.New(confine.Options{Workspace: ws.Dir(), Session: func() *sandbox.Session { return nil }})
	k := check.New(tools.Commands{Workspace: ws, Area: area}, []check.Check{{Files: "*", Command: "echo confined; false"}, {Files: "*", Command: "echo outside; false", Outside: true}})
	c, err := k.Tools()[0].Prepare(t.Context(), []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), tools.Approved{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Text, "[check `echo confined; false`: cannot run it: there is no sandbox on this system.") || !strings.Contains(r.Text, "\noutside\n") || strings.Contains(r.Text, "\nconfined\n") {
		t.Errorf("got %s", r.Text)
	}
}
