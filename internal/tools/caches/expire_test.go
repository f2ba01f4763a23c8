package caches

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// put makes a file of a size in the caches of a workspace that was last used some time ago.
func put(t *testing.T, dir, workspace, name string, size int, ago time.Duration) (place string) {
	t.Helper()
	place = filepath.Join(dir, hash(workspace))
	for file, text := range map[string][]byte{nameFile: []byte(workspace), name: make([]byte, size)} {
		path := filepath.Join(place, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	touch(t, place, ago)
	return place
}

func touch(t *testing.T, path string, ago time.Duration) {
	t.Helper()
	then := time.Now().Add(-ago)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

// left returns which of the places exist.
func left(t *testing.T, dir string, places map[string]string) (names []string) {
	t.Helper()
	for name, place := range places {
		if _, err := os.Lstat(place); err == nil {
			names = append(names, name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(entries); n != len(names) && n != len(names)+1 { // measured
		t.Errorf("%d places and %v", len(names), entries)
	}
	slices.Sort(names)
	return names
}

// Caches that nobody needs are removed: old ones, those of lost workspaces, and those beyond the limit
// of the size. Those in use stay.
func TestExpire(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "caches")
	Expire(t.Context(), top, time.Now()) // there are none
	places := map[string]string{}
	for name, ago := range map[string]time.Duration{"old": Age + time.Hour, "old, in use": Age + time.Hour, "lost": time.Hour, "newest": time.Hour, "second": 2 * time.Hour, "third": 3 * time.Hour, "third, in use": 4 * time.Hour} {
		workspace := filepath.Join(top, name)
		if name != "lost" {
			if err := os.Mkdir(workspace, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		places[name] = put(t, dir, workspace, "x/upper/file", 1000, ago)
	}
	for _, name := range []string{"old, in use", "third, in use"} {
		lock := tryLock(places[name])
		if lock == nil {
			t.Fatal("no lock")
		}
		defer unlock(lock)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	expire(ended, dir, time.Now(), 1<<30)
	expire(t.Context(), dir, time.Now().Add(time.Second), 1<<30)
	if diff := cmp.Diff([]string{"newest", "old, in use", "second", "third", "third, in use"}, left(t, dir, places)); diff != "" {
		t.Error(diff)
	}
	expire(t.Context(), dir, time.Now(), 2500) // the sizes were measured just now
	if n := len(left(t, dir, places)); n != 5 {
		t.Errorf("%d are left", n)
	}
	expire(t.Context(), dir, time.Now().Add(2*measureAge), 2500)
	if diff := cmp.Diff([]string{"newest", "old, in use", "second", "third, in use"}, left(t, dir, places)); diff != "" {
		t.Error(diff)
	}
}

// Directories without permissions are removed, and no link is followed.
func TestExpireRemovesEverything(t *testing.T) {
	top := t.TempDir()
	dir, outside := filepath.Join(top, "caches"), filepath.Join(top, "outside")
	place := put(t, dir, filepath.Join(top, "lost"), "mod/upper/m@v1/file", 10, time.Hour)
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(outside, "d"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "file"), []byte("outside"), 0o400); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"mod/upper/out", "mod/work/out"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(place, link)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(place, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(place, "mod/work/work"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{"mod/upper/m@v1/file": 0, "mod/upper/m@v1": 0o555, "mod/upper": 0o555, "mod/work/work": 0} {
		if err := os.Chmod(filepath.Join(place, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	touch(t, place, time.Hour)
	Expire(t.Context(), top, time.Now())
	if names := left(t, dir, map[string]string{"lost": place}); names != nil {
		t.Error(names)
	}
	if b, err := os.ReadFile(filepath.Join(outside, "file")); err != nil || string(b) != "outside" {
		t.Errorf("%q, %v", b, err)
	}
	if info, err := os.Stat(filepath.Join(outside, "d")); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("%v, %v", info, err)
	}
}
