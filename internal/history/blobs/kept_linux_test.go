package blobs_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"agent/internal/history/blobs"
)

// keepFile lets a pack keep a new file of a size, and removes the file.
func keepFile(t *testing.T, p *blobs.Pack, size int, since time.Time) (name string, info syscall.Stat_t, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, noise(uint64(size), size), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Lstat(path, &info); err != nil {
		t.Fatal(err)
	}
	name, err = p.Keep(path, &info, since)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return name, info, err
}

func sumOf(t *testing.T, p *blobs.Pack, name string, info syscall.Stat_t) string {
	t.Helper()
	sum, err := p.Sum(name, info.Size, info.Mtim.Nano(), "")
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestKeptFilesAreReadByTheirHash(t *testing.T) {
	dir := t.TempDir()
	p := open(t, blobs.Path(dir, "x"), blobs.Limits{})
	name, info, err := keepFile(t, p, 1000, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	sum := sumOf(t, p, name, info)
	if got, err := p.Read(sum); err != nil || string(got) != string(noise(1000, 1000)) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	size := p.Size()
	if again := put(t, p, noise(1000, 1000)); again != sum || p.Size() != size {
		t.Errorf("the content was stored again: %d bytes, before %d", p.Size(), size)
	}
	own, all, err := blobs.Sizes(dir, "x")
	if err != nil || own != all || own < 1000 {
		t.Errorf("sizes %d, %d, %v", own, all, err)
	}
	if err := os.WriteFile(filepath.Join(p.KeptDir(), name), []byte("altered"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(sum); err == nil {
		t.Error("another content was read")
	}
	if _, err := p.Sum(name, info.Size, info.Mtim.Nano(), ""); err == nil {
		t.Error("a file that was changed has a sum")
	}
	if err := blobs.Remove(dir, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(p.KeptDir()); err == nil {
		t.Error("the kept files remain after the session was removed")
	}
	if _, err := p.Sum(name, info.Size, info.Mtim.Nano(), ""); !errors.Is(err, blobs.ErrMissing) {
		t.Errorf("got %v", err)
	}
}

// A file that a program has open for writing, that has another link or that was replaced is not kept.
func TestFilesThatCanChangeAreNotKept(t *testing.T) {
	dir := t.TempDir()
	p := open(t, blobs.Path(dir, "x"), blobs.Limits{})
	path := filepath.Join(dir, "file")
	var info syscall.Stat_t
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err == nil {
		err = syscall.Lstat(path, &info)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Keep(path, &info, time.Now()); err == nil {
		t.Error("a file that is open for writing was kept")
	}
	if err := errors.Join(f.Close(), os.Link(path, path+"2"), syscall.Lstat(path, &info)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Keep(path, &info, time.Now()); err == nil {
		t.Error("a file with another link was kept")
	}
	if err := errors.Join(os.Remove(path+"2"), syscall.Lstat(path, &info), os.Rename(path, path+"2"), os.WriteFile(path, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Keep(path, &info, time.Now()); err == nil {
		t.Error("a file that was replaced was kept")
	}
	if entries, _ := os.ReadDir(p.KeptDir()); len(entries) > 0 {
		t.Errorf("%d links remain", len(entries))
	}
}

func TestOnlyKeptFilesOfEarlierTurnsAreDropped(t *testing.T) {
	dir := t.TempDir()
	limits := blobs.Limits{Kept: 60 << 20, Free: 1}
	const size = 17 << 20
	began := time.Now()
	kept := map[string]string{}
	for _, id := range []string{"closed", "open", "own"} {
		session(t, dir, id, time.Hour)
		p := open(t, blobs.Path(dir, id), limits)
		name, _, err := keepFile(t, p, size, began)
		if err != nil {
			t.Fatal(err)
		}
		kept[id] = filepath.Join(p.KeptDir(), name)
	}
	defer lockSession(t, dir, "open")()
	defer lockSession(t, dir, "own")()
	p := open(t, blobs.Path(dir, "own"), limits)
	exists := func(id string) bool { _, err := os.Lstat(kept[id]); return err == nil }
	if _, _, err := keepFile(t, p, size, began); err != nil || exists("closed") || !exists("open") || !exists("own") || p.Dropped() != 1 {
		t.Errorf("%v; remaining: %v, %v, %v", err, exists("closed"), exists("open"), exists("own"))
	}
	p = open(t, blobs.Path(dir, "own"), limits)
	if _, _, err := keepFile(t, p, size, began); !errors.Is(err, blobs.ErrFull) || !exists("own") {
		t.Errorf("in the same turn: %v; remaining: %v", err, exists("own"))
	}
	p = open(t, blobs.Path(dir, "own"), limits)
	if _, _, err := keepFile(t, p, size, time.Now()); err != nil || exists("own") || !exists("open") {
		t.Errorf("in a later turn: %v; remaining: %v, %v", err, exists("own"), exists("open"))
	}
}
