//go:build unix

package snapshot_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"agent/internal/tools/snapshot"
)

func TestTakeTellsWhatIsThereAndWhyItIsLost(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	must(os.WriteFile(in("file"), []byte("abc"), 0o600))
	must(os.Chmod(in("file"), 0o640|fs.ModeSetuid))
	must(os.WriteFile(in("linked"), []byte("abc"), 0o600))
	must(os.Link(in("linked"), in("other")))
	must(os.WriteFile(in("big"), nil, 0o600))
	must(os.Truncate(in("big"), snapshot.MaxFile+1))
	must(os.WriteFile(in("closed"), []byte("abc"), 0))
	must(os.Mkdir(in("dir"), 0o750))
	must(os.Symlink("/nowhere", in("link")))
	must(unix.Mkfifo(in("pipe"), 0o600))
	root, err := os.OpenRoot(dir)
	must(err)
	defer root.Close()
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	want := map[string]snapshot.State{
		"file":        {Kind: snapshot.File, Mode: 0o4640, Size: 3, Hash: abc},
		"linked":      {Kind: snapshot.File, Mode: 0o600, Size: 3, Hash: abc, Lost: "it has several hard links"},
		"big":         {Kind: snapshot.File, Mode: 0o600, Size: snapshot.MaxFile + 1, Lost: "it is larger than 64 MB"},
		"dir":         {Kind: snapshot.Dir, Mode: 0o750},
		"link":        {Kind: snapshot.Link, Target: "/nowhere"},
		"pipe":        {Kind: snapshot.Other, Mode: 0o600, Lost: "it is neither a file nor a directory"},
		"none":        {Kind: snapshot.Absent},
		"file/within": {Kind: snapshot.Absent},
	}
	if os.Geteuid() != 0 { // the superuser reads everything
		want["closed"] = snapshot.State{Kind: snapshot.File, Size: 3, Lost: "it cannot be read: permission denied"}
	}
	for name, want := range want {
		got := snapshot.Take(root, name, snapshot.Hashes{})
		if (got.Stamp == "") != (want.Kind == snapshot.Absent) {
			t.Errorf("%s: stamp %q", name, got.Stamp)
		}
		if want.Kind != snapshot.Absent {
			want.Owner = fmt.Sprintf("%d:%d", os.Geteuid(), os.Getegid())
		}
		if (got.Inode == "") != (want.Lost != snapshot.UnsavedLinks) {
			t.Errorf("%s: inode %q", name, got.Inode)
		}
		got.Stamp, got.Inode = "", ""
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if want.Kind == snapshot.File && want.Lost == "" && got.FileMode() != 0o640|fs.ModeSetuid {
			t.Errorf("%s: mode %v", name, got.FileMode())
		}
	}
}
