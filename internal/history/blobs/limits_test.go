package blobs_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/history/blobs"
	"agent/internal/history/filelock"
)

// session creates the log of a session, and a pack with a content of 100 KB. It returns
// the hash of the content.
func session(t *testing.T, dir, id string, age time.Duration) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := blobs.Path(dir, id)
	p := open(t, path, blobs.Limits{})
	sum := put(t, p, noise(uint64(len(id)+int(id[0])), 100_000))
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return sum
}

// lockSession locks the log of a session, as a program does that has it open.
func lockSession(t *testing.T, dir, id string) (release func()) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, id+".jsonl"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if free, err := filelock.Try(f); !free || err != nil {
		t.Fatal(free, err)
	}
	return func() {
		if err := errors.Join(filelock.Unlock(f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// packs returns the names of the packs in a directory.
func packs(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(names(t, dir), func(n string) bool { return !strings.HasSuffix(n, ".undo") })
}

func TestOldestPacksMakeRoom(t *testing.T) {
	dir := t.TempDir()
	for i, id := range []string{"a", "b", "c", "d"} { // from the oldest on
		session(t, dir, id, time.Duration(10-i)*time.Hour)
	}
	release := lockSession(t, dir, "a")
	limits := blobs.Limits{Total: (4*128 + 64) << 10} // the four packs count for 128 KB each
	p := open(t, blobs.Path(dir, "x"), limits)
	defer lockSession(t, dir, "x")()

	put(t, p, noise(1, 60_000))
	same(t, packs(t, dir), []string{"a.undo", "c.undo", "d.undo", "x.undo"})
	put(t, p, noise(2, 200_000))
	same(t, packs(t, dir), []string{"a.undo", "d.undo", "x.undo"})
	_, _, err := p.Put(bytes.NewReader(noise(3, 200_000)))
	if !errors.Is(err, blobs.ErrFull) {
		t.Fatalf("with an open session: %v", err)
	}
	release()
	put(t, p, noise(3, 200_000))
	same(t, packs(t, dir), []string{"x.undo"})

	// Only the running session is left, which is never removed.
	for i := range 1000 {
		if _, _, err = p.Put(bytes.NewReader(noise(uint64(10+i), 1000))); err != nil {
			break
		}
	}
	if !errors.Is(err, blobs.ErrFull) || !p.Has(put(t, p, noise(1, 60_000))) {
		t.Fatalf("with a full store: %v", err)
	}
	if p.Size() > limits.Total {
		t.Errorf("the pack has %d bytes", p.Size())
	}
	add(t, p, 1) // there is still room for notes
}

func TestLimitOfOnePack(t *testing.T) {
	p := open(t, filepath.Join(t.TempDir(), "x.undo"), blobs.Limits{Pack: 1 << 20})
	put(t, p, noise(1, 1000_000))
	if _, _, err := p.Put(bytes.NewReader(noise(2, 40_000))); !errors.Is(err, blobs.ErrFull) {
		t.Errorf("beyond the limit: %v", err)
	}
	add(t, p, 1)
	put(t, p, noise(3, 10_000))
}

func TestPackWithoutLogStaysForADay(t *testing.T) {
	dir := t.TempDir()
	for id, age := range map[string]time.Duration{"a": 30 * time.Hour, "b": 20 * time.Hour} {
		session(t, dir, id, age)
		if err := os.Remove(filepath.Join(dir, id+".jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, blobs.Path(dir, "x"), blobs.Limits{Total: 400 << 10})
	put(t, p, noise(1, 200_000))
	same(t, packs(t, dir), []string{"b.undo", "x.undo"})
}

func TestForkKeepsContents(t *testing.T) {
	dir := t.TempDir()
	a := session(t, dir, "a", time.Hour)
	blobs.Fork(dir, "a", "b")
	b := session(t, dir, "b", time.Minute)
	blobs.Fork(dir, "b", "c")
	blobs.Fork(dir, "none", "d")
	same(t, packs(t, dir), []string{"a.undo", "b.a.undo", "b.undo", "c.a.undo", "c.b.undo"})
	own, all, err := blobs.Sizes(dir, "b")
	if err != nil {
		t.Fatal(err)
	}
	pb, pc := open(t, blobs.Path(dir, "b"), blobs.Limits{}), open(t, blobs.Path(dir, "c"), blobs.Limits{})
	same(t, []int64{own, all}, []int64{pb.Size(), 2 * pb.Size()})

	if err := blobs.Remove(dir, "a"); err != nil {
		t.Fatal(err)
	}
	same(t, []bool{pb.Has(a), pb.Has(b), pc.Has(a), pc.Has(b)}, []bool{true, true, true, true})
	got, damage := notes(t, pc)
	same(t, len(got)+len(damage), 0)
	content, err := pc.Read(a)
	if err != nil || !bytes.Equal(content, noise(uint64(1+'a'), 100_000)) {
		t.Fatalf("of %d bytes: %v", len(content), err)
	}

	// A fork that is open keeps the contents that it needs.
	release := lockSession(t, dir, "c")
	x := open(t, blobs.Path(dir, "x"), blobs.Limits{Total: 300 << 10})
	if _, _, err := x.Put(bytes.NewReader(noise(1, 250_000))); !errors.Is(err, blobs.ErrFull) {
		t.Fatalf("contents of an open session: %v", err)
	}
	same(t, packs(t, dir), []string{"b.a.undo", "b.undo", "c.a.undo", "c.b.undo", "x.undo"})
	release()
	if err := os.WriteFile(filepath.Join(dir, "c.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, x, noise(1, 250_000))
	same(t, packs(t, dir), []string{"x.undo"})
	fresh := open(t, blobs.Path(dir, "c"), blobs.Limits{})
	if _, err := fresh.Read(a); !errors.Is(err, blobs.ErrMissing) {
		t.Errorf("after the packs were removed: %v", err)
	}
}

// No other pack can grow between the check of the limit and the write.
func TestDirectoryIsLockedWhileAPackGrows(t *testing.T) {
	dir := t.TempDir()
	var locked []bool
	defer blobs.WrapFiles(func(f blobs.File) blobs.File {
		return watchedFile{f, func() {
			lock, err := os.OpenFile(filepath.Join(dir, ".undo.lock"), os.O_RDWR|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Close()
			free, err := filelock.Try(lock)
			if err != nil {
				t.Fatal(err)
			}
			locked = append(locked, !free)
		}}
	})()
	p := open(t, blobs.Path(dir, "x"), blobs.Limits{})
	for i := range 3 {
		put(t, p, noise(uint64(i), 40_000))
	}
	// The header, then 40 KB, 80 KB and 120 KB, of which the first two exceed what the
	// pack counted for before: 0 KB, 64 KB and 128 KB.
	same(t, locked, []bool{false, true, true, false})
}

// watchedFile calls a function before each write.
type watchedFile struct {
	blobs.File
	onWrite func()
}

func (f watchedFile) WriteAt(b []byte, at int64) (int, error) {
	f.onWrite()
	return f.File.WriteAt(b, at)
}

// Packs of several sessions grow at once. Together they never exceed the limit.
func TestPacksNeverExceedTheLimit(t *testing.T) {
	dir := t.TempDir()
	limits := blobs.Limits{Total: 2 << 20}
	var writers sync.WaitGroup
	done := make(chan struct{})
	for w := range 4 {
		writers.Go(func() {
			for i := range 6 {
				id := fmt.Sprintf("s%d-%d", w, i)
				release := lockSession(t, dir, id)
				p, err := blobs.Open(blobs.Path(dir, id), limits)
				if err != nil {
					t.Error(err)
					return
				}
				for k := range 30 {
					_, _, err := p.Put(bytes.NewReader(noise(uint64(w<<16|i<<8|k), 20_000)))
					if err != nil && !errors.Is(err, blobs.ErrFull) {
						t.Error(err)
					}
				}
				p.Close()
				release()
			}
		})
	}
	go func() {
		writers.Wait()
		close(done)
	}()
	checks, largest := 0, int64(0)
	for running := true; running; checks++ {
		select {
		case <-done:
			running = false
		default:
		}
		unlock, err := blobs.LockDirectory(dir) // no pack is removed while the sizes are added
		if err != nil {
			t.Fatal(err)
		}
		_, all, err := blobs.Sizes(dir, "")
		unlock()
		if err != nil {
			t.Fatal(err)
		}
		if largest = max(largest, all); all > limits.Total {
			t.Fatalf("all packs have %d bytes", all)
		}
	}
	if largest < limits.Total*3/4 {
		t.Errorf("at most %d of %d bytes were used", largest, limits.Total)
	}
	t.Attr("promise", fmt.Sprintf("the store of old contents never exceeds its limit: times measured: %d", checks))
}
