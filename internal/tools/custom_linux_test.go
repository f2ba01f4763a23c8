package tools_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// A custom tool runs in the sandbox. One that only reads needs no approval: it cannot change the
// workspace, and sees nothing else of the home directory.
func TestCustomToolsRunInTheSandbox(t *testing.T) {
	c := confineAlways(t)
	ws, err := workspace.Open(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	for _, effect := range []tools.Effect{tools.Read, tools.Execute} {
		tool, err := tools.Commands{Workspace: ws, Area: c.area}.Custom(tools.Custom{Name: "x", Effect: effect, Command: "cat " + filepath.Join(c.home, "notes") + "; echo x > here; echo x > " + filepath.Join(c.home, "outside")})
		if err != nil {
			t.Fatal(err)
		}
		call, err := tool.Prepare(t.Context(), json.RawMessage("{}"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := call.Run(t.Context(), tools.Approved{})
		if err != nil || !got.IsError || !strings.Contains(got.Text, "outside") {
			t.Errorf("%s: %+v, %v", effect, got, err)
		}
		if sees := strings.HasPrefix(got.Text, "notes\n"); sees != (effect == tools.Execute) {
			t.Errorf("%s: sees the home directory: %t: %s", effect, sees, got.Text)
		}
		if c.exists("here") != (effect == tools.Execute) || c.exists("../../outside") {
			t.Errorf("%s: wrote the wrong files: %s", effect, got.Text)
		}
	}
}
