//go:build unix

package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/shell"
)

// A result names every test, build or check that failed, wherever it is in the command.
func TestShellNamesTheChecksThatFailed(t *testing.T) {
	if filepath.Base(shell.Program()) != "bash" {
		t.Skip("bash is not installed")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\nfor last; do :; done\nexit $last\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	ws, _ := newWorkspace(t, nil)
	c := newCommands(t, ws, nil)
	for command, want := range map[string]string{
		"go test 1":                                    "[exit 1]",
		"cd . && go test 1":                            "[exit 1]",
		"go test 0; true":                              "[exit 0]",
		"go test 1; true":                              "[exit 0; go test: exit 1]",
		"go build 0 && go test 1 || true":              "[exit 0; go test: exit 1]",
		"go build 2 && go test 1":                      "[exit 2; go build: exit 2]",
		"(go test 1; true)":                            "[exit 0; go test: exit 1]",
		"for p in 0 1 2; do go test $p; done; true":    "[exit 0; go test 1: exit 1; go test 2: exit 2]",
		"for p in 1 2 3 4 5 6 7 0; do go test $p;done": "[exit 0; go test 1: exit 1; go test 2: exit 2; go test 3: exit 3; go test 4: exit 4; go test 5: exit 5; 2 more failed]",
		"go test 1 > /dev/null; true":                  "[exit 0; go test: exit 1]",
		"x=$(go test 1); true":                         "[exit 0; go test: exit 1]",
		"timeout 60 go test 1 | cat":                   "[exit 0; go test: exit 1]",
		"go vet 2 | cat; go test 1 | cat":              "[exit 0; go vet: exit 2; go test: exit 1]",
		"false | go test 1 | cat":                      "[exit 0; go test: exit 1; false: exit 1]",
	} {
		if got := c.run("shell", obj{"command": command}).Text; strings.TrimSpace(got) != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}
