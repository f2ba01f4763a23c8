package scratch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"agent/internal/scratch"
)

// Temporary files are in the directory of the program if that can be made, and expire there.
func TestTemporaryFiles(t *testing.T) {
	t.Cleanup(func() { scratch.Use("") })
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR")) // on Windows
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "state", "tmp")
	for use, want := range map[string]string{own: own, "": os.TempDir(), filepath.Join(file, "tmp"): os.TempDir()} {
		scratch.Use(use)
		dir, err := scratch.MkdirTemp("a-")
		if err != nil || filepath.Dir(dir) != filepath.Clean(want) {
			t.Errorf("with %q: a directory in %s, %v", use, filepath.Dir(dir), err)
		}
		f, err := scratch.CreateTemp("b-")
		if err != nil {
			t.Fatal(err)
		}
		if f.Close(); filepath.Dir(f.Name()) != filepath.Clean(want) {
			t.Errorf("with %q: a file in %s", use, filepath.Dir(f.Name()))
		}
	}
	scratch.Use(own)
	entries, err := os.ReadDir(own)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(own, entries[0].Name()), old, old); err != nil {
		t.Fatal(err)
	}
	scratch.Expire(time.Minute)
	if left, err := os.ReadDir(own); err != nil || len(left) != 1 || left[0].Name() != entries[1].Name() {
		t.Errorf("left: %v, %v", left, err)
	}
}
