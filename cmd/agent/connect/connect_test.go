package connect

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"agent/cmd/agent/credentials"
	"agent/cmd/agent/settings"
)

// A program that prints a token is offered only if it is outside the workspace.
func TestProgramIsOutsideTheWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names")
	}
	work, bin, links := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(work, "evil"), filepath.Join(bin, "gh")} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho token\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(work, "evil"), filepath.Join(links, "linked")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", work+":"+links+":"+bin)
	c := &connector{dir: work}
	for name, want := range map[string]string{"gh": filepath.Join(bin, "gh"), "evil": "", "linked": "", "none": ""} {
		if got := c.program([]string{name, "auth", "token"}); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// The command of another program is recognized by its name and arguments.
func TestCommandPlace(t *testing.T) {
	for line, want := range map[string]string{
		"/usr/bin/gh auth token":  "gh auth token",
		"gh auth token":           "gh auth token",
		"gh auth token --user me": "command in the configuration",
		"pass show github":        "command in the configuration",
	} {
		if got := credentials.CommandPlace("github", settings.Command{Line: line}); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	if got := credentials.CommandPlace("openai", settings.Command{Words: []string{"gh", "auth", "token"}}); got != "command in the configuration" {
		t.Errorf("got %q for another provider", got)
	}
}
