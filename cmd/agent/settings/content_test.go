package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/settings"
)

// TestReadOfWhatIsNoFile rejects anything but a regular file, without blocking, and
// says what to do.
func TestReadOfWhatIsNoFile(t *testing.T) {
	for name, c := range map[string]struct {
		lay func(path string) error
		err string // a part of it; empty for none
	}{
		"a directory": {func(path string) error { return os.Mkdir(path, 0o755) }, " is a directory. Move it away"},
		"too large":   {func(path string) error { return os.WriteFile(path, make([]byte, 2<<20), 0o600) }, " is larger than 1 MiB. Move it away"},
		"binary":      {func(path string) error { return os.WriteFile(path, []byte("\x7fELF\x02"), 0o600) }, ":1: invalid JSON: "},
		"marked":      {func(path string) error { return os.WriteFile(path, []byte("\uFEFF{\"mode\": \"ask\"}"), 0o600) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := c.lay(path); err != nil {
				t.Fatal(err)
			}
			_, read := settings.Read(path)
			set := settings.Set(path, "mode", "edits")
			for _, err := range []error{read, set} {
				if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, want %q", err, c.err)
				}
			}
		})
	}
}

// TestReadBelowAFile finds no file below a home that is not a directory, such as
// /dev/null.
func TestReadBelowAFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := settings.Read(filepath.Join(home, ".config", "agent", "config.json")); err != nil {
		t.Errorf("got %v, want no settings and no error", err)
	}
}
