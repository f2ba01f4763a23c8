//go:build unix

package settings_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/cmd/agent/settings"
)

// TestReadOfAPipe does not block on a pipe.
func TestReadOfAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := settings.Read(path); err == nil || !strings.Contains(err.Error(), " is not a regular file. Move it away") {
		t.Errorf("got %v, want that it is not a regular file", err)
	}
}
