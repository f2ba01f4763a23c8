//go:build unix

package desktop

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestBranchOfAPipe does not block on a pipe in place of a git file.
func TestBranchOfAPipe(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git", ".git/HEAD"} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		if got, inRepo := Branch(dir); got != "" || !inRepo {
			t.Errorf("%s: got %q, %v, want no branch in a repository", name, got, inRepo)
		}
	}
}
