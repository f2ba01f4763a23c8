//go:build unix

package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

// prepareShell prepares a call of the shell tool in dir.
func prepareShell(t *testing.T, dir string, args any) (tools.Call, error) {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return tools.Shell(dir).Prepare(t.Context(), b)
}

func TestShellSaysWhatItWouldRun(t *testing.T) {
	for command, title := range map[string]string{
		"go test ./...":          "shell go test ./...",
		"\n  make\n\nmake two\n": "shell make (+2 lines)",
		"echo a\nb":              "shell echo a (+1 line)",
		"echo '\x1b[31mé\u202e'": `shell echo '\x1b[31mé\u202e'`,
		strings.Repeat("é", 300): "shell " + strings.Repeat("é", 119) + "…",
	} {
		c, err := prepareShell(t, t.TempDir(), obj{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		got := []any{c.Title, c.Effect, c.Targets}
		want := []any{title, tools.Execute, []tools.Target{{Kind: tools.Command, Value: command}}}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%q: got (-), want (+):\n%s", command, d)
		}
	}
}

func TestShellRefusesArguments(t *testing.T) {
	for _, c := range []struct {
		args any
		want string
	}{
		{obj{"command": " \n"}, "the command is empty"},
		{obj{"command": "a\x00b"}, "zero byte"},
		{obj{"command": strings.Repeat("x", 200<<10)}, "write it to a file"},
		{obj{"command": "true", "timeout_seconds": 601}, "from 1 to 600"},
		{obj{"command": "true", "timeout_seconds": -1}, "from 1 to 600"},
		{obj{"cmd": "true"}, "schema"},
	} {
		if _, err := prepareShell(t, t.TempDir(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60v: %v", c.args, err)
		}
	}
}

func TestShellPreparesWithoutRunning(t *testing.T) {
	dir := t.TempDir()
	if _, err := prepareShell(t, dir, obj{"command": "touch ran"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

func TestShellRuns(t *testing.T) {
	for _, c := range []struct {
		command string
		timeout int
		want    tools.Result
	}{
		{"echo a; echo b >&2", 0, tools.Result{Text: "a\nb\n[exit 0]\n", Summary: "exit 0 · 2 lines"}},
		{"true", 0, tools.Result{Text: "[exit 0]\n", Summary: "exit 0 · no output"}},
		{"printf x; exit 2", 0, tools.Result{Text: "x\n[exit 2]\n", Summary: "exit 2 · 1 line", IsError: true}},
		{"kill -SEGV $$", 0, tools.Result{Text: "[killed by SIGSEGV]\n", Summary: "killed by SIGSEGV · no output", IsError: true}},
		{"echo a; sleep 60", 1, tools.Result{
			Text:    "a\n[still running after 1 s, its time limit, and ended. If it needs longer, set timeout_seconds (up to 600); if it does not end by itself, run it so that it does]\n",
			Summary: "stopped after 1 s · 1 line", IsError: true,
		}},
	} {
		args := obj{"command": c.command}
		if c.timeout > 0 {
			args["timeout_seconds"] = c.timeout
		}
		call, err := prepareShell(t, t.TempDir(), args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := call.Run(t.Context(), tools.Approved{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%s: got (-), want (+):\n%s", c.command, d)
		}
	}
}

func TestShellInterruptedKeepsItsOutput(t *testing.T) {
	c, err := prepareShell(t, t.TempDir(), obj{"command": "echo ready; sleep 600"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	got, err := c.Run(ctx, tools.Approved{Progress: func(string) { stop() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	got.Text = regexp.MustCompile(`[0-9.]+ s`).ReplaceAllString(got.Text, "N s")
	want := tools.Result{Text: "ready\n[interrupted after N s, and ended]\n", Summary: "interrupted · 1 line", IsError: true}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestShellWithoutItsDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	c, err := prepareShell(t, dir, obj{"command": "true"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context(), tools.Approved{})
	if err == nil || !strings.Contains(err.Error(), "the directory to run in is gone") {
		t.Errorf("error %v", err)
	}
}
