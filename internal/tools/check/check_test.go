//go:build unix

package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/check"
	"agent/internal/tools/workspace"
)

// newWorkspace returns a workspace of a new directory with files.
func newWorkspace(t *testing.T, files map[string]string) *workspace.Workspace {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

type obj = map[string]any

// runChecked runs a tool of a workspace that has checks.
func runChecked(ctx context.Context, t *testing.T, ws *workspace.Workspace, checks []check.Check, name string, args any, progress func(string)) (tools.Result, error) {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	k := check.New(tools.Commands{Workspace: ws}, checks)
	around := tools.Intercept(k)
	for _, tool := range append(tools.Files(ws, nil), k.Tools()...) {
		if tool.Spec().Name != name {
			continue
		}
		in := tools.Info{Tool: name, Args: b}
		c, err := around.Prepare(ctx, in, tool)
		if err != nil {
			return tools.Result{}, err
		}
		if name == "diagnostics" && c.Effect != tools.Read {
			t.Errorf("diagnostics has the effect %s", c.Effect)
		}
		return around.Run(ctx, in, c, tools.Approved{Changes: c.Changes, Progress: progress})
	}
	t.Fatalf("there is no tool %s", name)
	return tools.Result{}, nil
}

// checkOutput returns what the checks added to the text of a result.
func checkOutput(r tools.Result) string {
	_, rest, ok := strings.Cut(r.Text, "[check ")
	if !ok {
		return ""
	}
	return "[check " + rest
}

func TestChecksRunAfterAChange(t *testing.T) {
	for name, c := range map[string]struct {
		path          string
		checks        []check.Check
		text, summary string
	}{
		"fails": {"a.go", []check.Check{{Files: "*.go", Command: "echo a.go:1: no; exit 3"}},
			"[check `echo a.go:1: no; exit 3`: exit 3]\na.go:1: no\n", "1 line · check failed"},
		"is fine, says nothing": {"a.go", []check.Check{{Files: "*.go", Command: "echo all good"}},
			"[check `echo all good`: ok]\n", "1 line"},
		"of another kind": {"a.py", []check.Check{{Files: "*.go", Command: "false"}}, "", "1 line"},
		"by path": {"web/x/a.ts", []check.Check{{Files: "web/**/*.ts", Command: "false"}, {Files: "*/a.ts", Command: "true"}},
			"[check `false`: exit 1]\n", "1 line · check failed"},
		"several": {"b/a.go", []check.Check{{Files: "*.go", Command: "true"}, {Files: "**", Command: "printf bad; false"}, {Files: "./b/*.{go,c}", Command: "true"}},
			"[check `true`: ok]\n[check `printf bad; false`: exit 1]\nbad\n[check `true`: ok]\n", "1 line · check failed"},
		"runs in the workspace, afterwards": {"d/a.txt", []check.Check{{Files: "*", Command: "cat d/a.txt; false"}},
			"[check `cat d/a.txt; false`: exit 1]\nhello\n", "1 line · check failed"},
		"with the file": {"d/it's $(x) -a.txt", []check.Check{{Files: "*.txt", Command: "cat {file} && printf '<%s>' {file}; false"}},
			"[check `cat {file} && printf '<%s>' {file}; false`: exit 1]\nhello\n<d/it's $(x) -a.txt>\n", "1 line · check failed"},
		"no option": {"-rf.txt", []check.Check{{Files: "*.txt", Command: "cat {file}; false"}},
			"[check `cat {file}; false`: exit 1]\nhello\n", "1 line · check failed"},
		"takes too long": {"a.go", []check.Check{{Files: "*.go", Command: "echo begun; sleep 600", Limit: time.Second}},
			"[check `echo begun; sleep 600`: still running after 1 s, the time limit; stopped]\nbegun\n", "1 line · check failed"},
	} {
		t.Run(name, func(t *testing.T) {
			ws := newWorkspace(t, nil)
			r, err := runChecked(t.Context(), t, ws, c.checks, "write", obj{"path": c.path, "content": "hello\n"}, nil)
			if err != nil || r.IsError || len(r.Changes) != 1 {
				t.Fatalf("got %+v, %v", r, err)
			}
			if d := cmp.Diff([]string{checkOutput(r), r.Summary}, []string{c.text, c.summary}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCheckOutputIsLimited(t *testing.T) {
	ws := newWorkspace(t, nil)
	long := []check.Check{{Files: "*", Command: "yes | head -c 1000000; false"}}
	r, err := runChecked(t.Context(), t, ws, long, "write", obj{"path": "a", "content": "b"}, nil)
	if n := len(r.Text); err != nil || n < 8<<10 || n > 10<<10 {
		t.Errorf("got %d bytes, %v", n, err)
	}
}

func TestChecksDoNotRunWithoutAChange(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a.go": "package a\n"})
	checks := []check.Check{{Files: "*", Command: "touch ran"}}
	if _, err := runChecked(t.Context(), t, ws, checks, "read", obj{"path": "a.go"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := runChecked(t.Context(), t, ws, checks, "edit", obj{"path": "a.go", "old": "nowhere", "new": "x"}, nil); err == nil {
		t.Error("the edit matches nowhere")
	}
	if _, err := runChecked(t.Context(), t, ws, checks, "read", obj{"path": "ran"}, nil); err == nil {
		t.Error("a check has run")
	}
}

// A check that is interrupted does not hide that the file was written.
func TestInterruptedCheckReportsTheChange(t *testing.T) {
	ws := newWorkspace(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	checks := []check.Check{{Files: "*", Command: "echo ready; sleep 600"}}
	r, err := runChecked(ctx, t, ws, checks, "write", obj{"path": "a", "content": "b\n"}, func(string) { stop() })
	if !errors.Is(err, context.Canceled) || len(r.Changes) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	if got, want := checkOutput(r), "[check `echo ready; sleep 600`: interrupted]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDiagnostics(t *testing.T) {
	code := func(n int) *int { return &n }
	ws := newWorkspace(t, map[string]string{"a.go": "package a\n", "b.py": ""})
	checks := []check.Check{{Files: "*.go", Command: "echo wrong; exit 1"}, {Files: "*.go", Command: "cat {file}; exit 2"}, {Files: "*.py", Command: "true"}}
	for path, want := range map[string]tools.Result{
		"": {Text: "[check `echo wrong; exit 1`: exit 1]\nwrong\n[check `cat {file}; exit 2`: not run, it needs a path]\n[check `true`: ok]\n",
			Summary: "check failed", IsError: true, Checked: []tools.Checked{
				{Command: "echo wrong; exit 1", ExitCode: code(1), Ended: "exit 1", Output: "wrong\n"}, {Command: "true", ExitCode: code(0), Ended: "ok"}}},
		"a.go": {Text: "[check `echo wrong; exit 1`: exit 1]\nwrong\n[check `cat {file}; exit 2`: exit 2]\npackage a\n", Summary: "check failed", IsError: true, Checked: []tools.Checked{
			{Command: "echo wrong; exit 1", ExitCode: code(1), Ended: "exit 1", Output: "wrong\n"}, {Command: "cat 'a.go'; exit 2", ExitCode: code(2), Ended: "exit 2", Output: "package a\n"}}},
		"b.py": {Text: "[check `true`: ok]\n", Summary: "ok", Checked: []tools.Checked{{Command: "true", ExitCode: code(0), Ended: "ok"}}},
	} {
		args := obj{}
		if path != "" {
			args["path"] = path
		}
		got, err := runChecked(t.Context(), t, ws, checks, "diagnostics", args, nil)
		for i, c := range got.Checked {
			if c.Began.IsZero() {
				t.Errorf("%q: the check %s has no time", path, c.Command)
			}
			got.Checked[i].Began = time.Time{}
		}
		if d := cmp.Diff(got, want); d != "" || err != nil {
			t.Errorf("%q: %v %s", path, err, d)
		}
	}
	for path, want := range map[string]string{
		".":       "no check is configured for .; there are checks for *.go, *.py",
		"none.go": "none.go does not exist",
		"../up":   "is outside the working directory",
	} {
		if _, err := runChecked(t.Context(), t, ws, checks, "diagnostics", obj{"path": path}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
}

// Without checks there is no diagnostics tool.
func TestDiagnosticsNeedsChecks(t *testing.T) {
	ws := newWorkspace(t, nil)
	for _, tool := range check.New(tools.Commands{Workspace: ws}, nil).Tools() {
		if tool.Spec().Name == "diagnostics" {
			t.Error("there is a tool without anything to run")
		}
	}
}
