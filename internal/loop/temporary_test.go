package loop_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Commands append to temporary files that the session has made, but not to those that
// something else made before.
func TestAppendsToTemporaryFiles(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, temp := filepath.Join(root, "work"), filepath.Join(root, "temp")
	for _, d := range []string{dir, temp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", temp)
	if os.TempDir() != temp {
		t.Skip("the system ignores TMPDIR")
	}
	if err := os.WriteFile(filepath.Join(temp, "other"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run := tools.New("run", "runs a command", func(_ context.Context, a textArgs) (tools.Call, error) {
		name := filepath.Join(temp, a.Text)
		return tools.Call{Title: "append", Effect: tools.Execute,
			Targets: []tools.Target{{Kind: tools.Command, Value: "echo x >> " + name, Dir: dir}},
			Run: func(context.Context, tools.Approved) (tools.Result, error) {
				return tools.Result{Text: "ran"}, os.WriteFile(name, []byte("x\n"), 0o644)
			}}, nil
	})
	o := options(script.New(script.Call("1", "run", args("new")), script.Call("2", "run", args("new")), script.Call("3", "run", args("other")), script.Say("done")), run)
	o.Permissions.Attended, o.Permissions.Mode, o.Permissions.Paths = false, event.ModeAuto, policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: func() int64 { return 1 << 20 }}
	var got []string
	for _, e := range play(t, o, []string{"go"}, nil) {
		if end, ok := e.(*event.ToolEnd); ok {
			got = append(got, string(end.Outcome))
		}
	}
	if s := strings.Join(got, " "); s != "ok ok refused" {
		t.Errorf("the calls ended with %s, want ok ok refused", s)
	}
}
