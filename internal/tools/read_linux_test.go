package tools_test

import (
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/workspace"
)

// TestFilesOfTheKernel reads kernel files in the workspace: some claim to be empty,
// others must not be read.
func TestFilesOfTheKernel(t *testing.T) {
	ws, err := workspace.Open("/proc/self")
	if err != nil {
		t.Skip(err)
	}
	defer ws.Close()
	for name, want := range map[string]string{
		"status":       "\tName:\t",
		"mem":          "read mem: ",
		"pagemap":      "pagemap is a binary file",
		"exe":          "is outside the working directory",
		"root/etc":     "is outside the working directory",
		"cwd/x":        "is outside the working directory",
		"../1/status":  "is outside the working directory",
		"/proc/1/stat": "is outside the working directory",
	} {
		if got := textOf(call(t, ws, "read", obj{"path": name})); !strings.Contains(got, want) {
			t.Errorf("%s: got %.200q, want %q in it", name, got, want)
		}
	}
}

func TestDevicesAreNamedNotOpened(t *testing.T) {
	ws, err := workspace.Open("/")
	if err != nil {
		t.Skip(err)
	}
	defer ws.Close()
	for _, name := range []string{"dev/zero", "/dev/full", filepath.Join(ws.Dir(), "dev", "null")} {
		if got := textOf(call(t, ws, "read", obj{"path": name})); !strings.Contains(got, "is a device, not a regular file") {
			t.Errorf("%s: got %.200q, want that it is a device", name, got)
		}
	}
}
