//go:build unix

package instructions

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO, a device and an unreadable file give a notice and do not block.
func TestSpecialFiles(t *testing.T) {
	p, home, work := newProject(t, map[string]string{"src/shop/AGENTS.md": "@pipe.md @zero.md @locked.md", "src/shop/locked.md": "x", "src/shop/web/x": ""})
	for _, path := range []string{filepath.Join(work, "pipe.md"), filepath.Join(work, "web", "AGENTS.md")} {
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "/dev/zero", filepath.Join(work, "zero.md"))
	if err := os.Chmod(filepath.Join(work, "locked.md"), 0); err != nil {
		t.Fatal(err)
	}
	wants := []string{"the import @pipe.md is not used: it is a FIFO", "the import @zero.md is not used: it is a symbolic link that leads out"}
	if os.Geteuid() != 0 {
		wants = append(wants, "the import @locked.md is not used: open locked.md: permission denied")
	}
	inTime(t, func() { p.Text(0) })
	wantNotices(t, p.Notices(), wants...)
	q := openAt(home, filepath.Join(work, "web"))
	inTime(t, func() { q.Files() })
	wantNotices(t, q.Notices(), append(wants, "AGENTS.md is not used: it is a FIFO")...)
}
