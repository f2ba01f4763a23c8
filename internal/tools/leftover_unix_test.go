//go:build unix

package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A write removes temporary files in the same directory if they are old, belong to
// no running process and are not the only copy of a file.
func TestLeftoverTemporaryFilesAreRemoved(t *testing.T) {
	kept := map[string]string{
		"other/.agent-far.tmp": "x",
		"dir/.agent-young.tmp": "x", "dir/.agent-only.old": "x", "dir/agent-mine.tmp": "x", "dir/.agent-notes": "x",
		"dir/.agent-d.tmp/in": "x",
	}
	ws, dir := newWorkspace(t, map[string]string{"dir/f": "f\n", "dir/.agent-dead.tmp": "half"})
	for name, text := range kept {
		writeFile(t, filepath.Join(dir, name), text)
	}
	if err := os.Link(filepath.Join(dir, "dir/f"), filepath.Join(dir, "dir/.agent-second.old")); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(dir, "dir/.agent-link.tmp")
	if err := os.Symlink("f", link); err != nil {
		t.Skip(err)
	}
	if err := unix.Lutimes(link, make([]unix.Timeval, 2)); err != nil { // in 1970
		t.Fatal(err)
	}
	makeOld(t, filepath.Join(dir, "other"), "")
	if os.Geteuid() == 0 { // only root can change the owner
		kept["dir/.agent-foreign.tmp"] = "x"
		foreign := filepath.Join(dir, "dir/.agent-foreign.tmp")
		writeFile(t, foreign, "x")
		if err := os.Chown(foreign, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	makeOld(t, filepath.Join(dir, "dir"), "young")

	if _, err := call(t, ws, "write", obj{"path": "dir/f", "content": "new\n"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(link); err != nil {
		t.Errorf("a link is gone: %v", err)
	}
	kept["dir/f"] = "new\n"
	if diff := cmp.Diff(contents(t, dir), kept); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// The temporary file of another program is kept while that program holds the lock
// of the directory. Files next to it can be written.
func TestTemporaryFilesOfALiveWriterAreKept(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"f": "f\n", ".agent-live.tmp": "half"})
	makeOld(t, dir, "")
	other, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, c := range []struct {
		lock int
		want map[string]string
	}{
		{unix.LOCK_SH, map[string]string{"f": "one\n", ".agent-live.tmp": "half"}},
		{unix.LOCK_EX, map[string]string{"f": "two\n", ".agent-live.tmp": "half"}}, // of an unrelated program
		{unix.LOCK_UN, map[string]string{"f": "three\n"}},
	} {
		if err := unix.Flock(int(other.Fd()), c.lock); err != nil {
			t.Skip(err)
		}
		if _, err := call(t, ws, "write", obj{"path": "f", "content": c.want["f"]}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(contents(t, dir), c.want); diff != "" {
			t.Errorf("got (-), want (+):\n%s", diff)
		}
	}
}

// makeOld sets the times of the files in dir back by a day, except of those with
// young in their names.
func makeOld(t *testing.T, dir, young string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if young != "" && strings.Contains(e.Name(), young) || !e.Type().IsRegular() {
			continue
		}
		at := time.Now().Add(-24 * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, e.Name()), at, at); err != nil {
			t.Fatal(err)
		}
	}
}
