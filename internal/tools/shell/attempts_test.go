//go:build unix

package shell_test

import (
	"path/filepath"
	"testing"

	"agent/internal/tools/shell"
)

func TestUserState(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "settings"))
	t.Setenv("XDG_CACHE_HOME", "")
	for name, want := range map[string]bool{
		".config": true, ".config/go/telemetry/local": true, ".cache/pip/http": true, ".config/configstore/update-notifier-npm.json": true, "settings/go": true,
		".": false, ".configured": false, ".bashrc": false, "other/.config": false, ".ssh/config": false,
	} {
		if got := shell.IsUserState(filepath.Join(home, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
