//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"testing"
)

// The doctor warns if a shell finds another program under the name of this one.
func TestAnotherProgramOfThisName(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, links := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(own, filepath.Join(links, "agent")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]status{dir: warning, links + ":" + dir: ok, t.TempDir(): ok} {
		t.Setenv("PATH", path)
		if got := checkName("agent"); got.Status != want {
			t.Errorf("PATH=%s: got %+v", path, got)
		}
	}
}
