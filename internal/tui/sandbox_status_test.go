package tui

import (
	"errors"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

const noSandbox = "Commands run without a sandbox: this kernel has no Landlock. In every mode, those that are not read-only need your approval. If this machine or container is itself the boundary, start the program with --mode all --no-sandbox."

// The status line says that commands run without a sandbox because the system has none,
// at every size, and /status says why.
func TestNoSandboxIsShown(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(event.SandboxNow{Form: event.SandboxMissing, Why: noSandbox})
		d.golden("no-sandbox-" + size)
		d.typeText("/status")
		d.press("enter")
		d.events(event.PermissionsNow{})
		d.golden("no-sandbox-status-" + size)
	})
}

// A sandbox that is complete, incomplete or turned off is described by /status only.
func TestSandboxInStatus(t *testing.T) {
	for form, want := range map[event.SandboxForm]string{
		event.SandboxFull: "sandbox      on", event.SandboxOff: "sandbox      off", event.SandboxPartial: "sandbox      they can read all files",
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		now := event.SandboxNow{Form: form}
		if form == event.SandboxPartial {
			now.Why = "they can read all files"
		}
		d.events(now)
		d.hides("no sandbox")
		d.typeText("/status")
		d.press("enter")
		d.events(event.PermissionsNow{})
		d.shows(want)
		d.hides("no sandbox")
	}
}

// /status shows how much is stored for undo.
func TestUndoSizesInStatus(t *testing.T) {
	own, all, failure := int64(0), int64(0), error(nil)
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{
		UndoSizes: func() (int64, int64, error) { return own, all, failure },
	}})
	d.enter("/status")
	d.events(event.PermissionsNow{})
	d.shows("permissions")
	d.hides("old file contents")
	own, all = 3<<20, 40<<20
	d.enter("/status")
	d.events(event.PermissionsNow{})
	d.shows("undo         3.1 MB of old file contents, 41.9 MB in all sessions")
	failure = errors.New("the disk is broken")
	d.enter("/status")
	d.events(event.PermissionsNow{})
	d.shows("undo         the disk is broken")
}

// A permission mode has one name at every size: in the status line, in /mode and in
// /status.
func TestModesHaveOneName(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		for _, mode := range event.Modes {
			name := mode.Name()
			d := newDriver(t, w, h, screen.Options{Session: screen.Session{Mode: string(mode)}})
			if !strings.HasSuffix(strings.TrimSpace(d.screen()), " "+name) {
				t.Errorf("mode %s in the status line:\n%s", name, d.screen())
			}
			d.enter("/mode")
			d.shows("Permission mode: " + name + ". Change:")
			d.enter("/status")
			d.events(event.PermissionsNow{})
			if h > 12 {
				d.shows("mode         " + name)
			}
			d.events(event.SandboxNow{Form: event.SandboxMissing})
			d.shows("no sandbox · " + name)
		}
	})
}
