//go:build unix

package tempdir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"agent/internal/tools/tempdir"
)

// opened returns the directory of a session.
func opened(id string, writable ...string) *tempdir.Dir {
	return tempdir.New(tempdir.Options{Session: id, Used: func() bool { return true }, Writable: writable})
}

// inTemp makes a new directory the one of os.TempDir.
func inTemp(t *testing.T) string {
	t.Helper()
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	return temp
}

// Paths below /tmp are in the directory of the session, unless only the system has their first
// name, or they stay.
func TestRealPaths(t *testing.T) {
	inTemp(t)
	theirs, err := os.MkdirTemp("/tmp", "tempdir-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(theirs) })
	work := filepath.Join("/tmp", "tempdir-test-work")
	d := opened("s", work)
	own := filepath.Join(d.Path(), "tmp")
	if err := os.Mkdir(filepath.Join(own, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(own, filepath.Base(theirs)), 0); err != nil { // a mount point
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/tmp": own, "/tmp/": own, "/var/tmp/tempdir-x": d.Path() + "/var/tempdir-x", "/var/tmp": d.Path() + "/var", "/tmp/tempdir-new/x": own + "/tempdir-new/x", "/tmp/dir/../x": own + "/dir/../x",
		theirs: theirs, theirs + "/x": theirs + "/x", work: work, work + "/x": work + "/x", work + "2": own + "/tempdir-test-work2",
		"/tmp/../etc/passwd": "/tmp/../etc/passwd", "/tmp/a/../../etc/passwd": "/tmp/a/../../etc/passwd", "/etc/../tmp/tempdir-x": own + "/tempdir-x",
		"/tmpx": "/tmpx", "/": "/", "relative": "relative", "": "",
	} {
		if got := d.Real(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
	if err := os.Chmod(filepath.Join(own, filepath.Base(theirs)), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := d.Real(theirs); got != filepath.Join(own, filepath.Base(theirs)) {
		t.Errorf("a directory of the same name: got %q", got)
	}
	for real, want := range map[string]string{own: "/tmp", own + "/dir/x": "/tmp/dir/x", d.Path() + "/var/x": "/var/tmp/x", d.Path(): d.Path(), theirs: theirs, own + "x": own + "x"} {
		if got := d.Shown(real); got != want {
			t.Errorf("%q: shown %q, want %q", real, got, want)
		}
	}
}

// Without a sandbox that mounts it there is no directory, and none if the workspace contains /tmp.
func TestNoDirectory(t *testing.T) {
	temp := inTemp(t)
	for name, d := range map[string]*tempdir.Dir{
		"nil": nil, "unused": tempdir.New(tempdir.Options{Session: "s", Used: func() bool { return false }}), "workspace": opened("s", "/"), "above": opened("s", "/tmp"),
	} {
		if d.Path() != "" || d.Real("/tmp/x") != "/tmp/x" || d.Shown("/x") != "/x" || d.Holds("/tmp") {
			t.Errorf("%s: %q", name, d.Path())
		}
		d.Close()
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("created %v", left)
	}
}

// A session that is resumed has its files again. The directory of one that is not stored, one
// without files, and one that was not used for a week are removed, but not while they are used.
func TestDirectoriesEnd(t *testing.T) {
	inTemp(t)
	first := opened("s")
	path := first.Path()
	if err := os.WriteFile(filepath.Join(path, "tmp", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first.Close()
	again := opened("s")
	if _, err := os.Stat(filepath.Join(again.Path(), "tmp", "file")); err != nil || again.Path() != path || first.Left() != path {
		t.Errorf("%v: %s, left %s", err, again.Path(), first.Left())
	}
	old := time.Now().Add(-2 * tempdir.Age)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	tempdir.Expire()
	tempdir.Remove("s")
	if _, err := os.Stat(path); err != nil {
		t.Error("removed while it is used")
	}
	again.Close()
	tempdir.Remove("../" + filepath.Base(filepath.Dir(path)) + "/s")
	if _, err := os.Stat(path); err != nil {
		t.Error("a path was taken as an ID")
	}
	tempdir.Expire()
	if _, err := os.Stat(path); err == nil {
		t.Error("not removed")
	}
	unsaved, empty := opened(""), opened("e")
	for _, file := range []string{filepath.Join(unsaved.Path(), "tmp", "file"), filepath.Join(empty.Path(), "var", "point")} {
		if err := os.WriteFile(file, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	killed := filepath.Join(filepath.Dir(path), "killed")
	if err := os.MkdirAll(filepath.Join(killed, "tmp", "point"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(killed, "tmp", "point"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(killed, old, old.Add(tempdir.Age+24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	tempdir.Expire()
	unsaved.Close()
	empty.Close()
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 || unsaved.Left()+empty.Left() != "" {
		t.Errorf("left: %v", left)
	}
}

// A directory that commands can change does not hold that of the session, and neither does one
// that cannot be used any more. Without any there is no path, but commands do not get the system's.
func TestUnusableDirectories(t *testing.T) {
	temp := inTemp(t)
	d := opened("s", filepath.Dir(temp))
	t.Cleanup(d.Close)
	if filepath.Dir(filepath.Dir(d.Path())) != "/tmp" {
		t.Errorf("in a directory that commands can change: %s", d.Path())
	}
	tempdir.Remove("s")
	first := opened("s")
	path := first.Path()
	part := filepath.Join(path, "tmp")
	if err := os.WriteFile(filepath.Join(part, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if err := os.Chmod(part, 0); err != nil {
		t.Fatal(err)
	}
	again := opened("s")
	if at := again.Path(); at != path {
		t.Errorf("got %s", at)
	}
	if info, err := os.Stat(part); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("without permissions: %v, %v", info, err)
	}
	again.Close()
	victim := t.TempDir()
	if err := os.Rename(part, part+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, part); err != nil {
		t.Fatal(err)
	}
	linked := opened("s")
	if linked.Path() == path || linked.Path() == "" {
		t.Errorf("with a link: %s", linked.Path())
	}
	linked.Close()
	t.Setenv("TMPDIR", filepath.Join(temp, "missing"))
	none := opened("n", "/tmp/tempdir-none")
	if filepath.Dir(filepath.Dir(none.Path())) != "/tmp" || !none.Mounted() {
		t.Errorf("without TMPDIR: %q", none.Path())
	}
	none.Close()
	if left, _ := os.ReadDir(victim); len(left) > 0 {
		t.Errorf("created %v", left)
	}
}

// A directory that somebody else has prepared is not used.
func TestPreparedDirectory(t *testing.T) {
	temp := inTemp(t)
	d := opened("s")
	parent := filepath.Dir(d.Path())
	d.Close()
	if err := os.Remove(parent); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, parent); err != nil {
		t.Fatal(err)
	}
	d = opened("s")
	if got := filepath.Dir(d.Path()); got == parent || filepath.Dir(got) != temp {
		t.Errorf("got %s", got)
	}
	if info, err := os.Stat(d.Path()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(filepath.Dir(d.Path()), "link")); err != nil {
		t.Fatal(err)
	}
	d.Close()
	if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
		t.Errorf("created %v", left)
	}
}
