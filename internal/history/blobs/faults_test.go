package blobs_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"agent/internal/history/blobs"
)

// fault is the result of one call to a file.
type fault struct {
	name string
	take int // bytes that a write takes; -1 for all
	err  error
}

// faultyFile is a file whose writes, syncs and truncations fail as fail says.
type faultyFile struct {
	blobs.File
	fail func() *fault // nil: the call works
}

func (f faultyFile) WriteAt(b []byte, at int64) (int, error) {
	bad := f.fail()
	if bad == nil {
		return f.File.WriteAt(b, at)
	}
	take := len(b)
	if bad.take >= 0 {
		take = min(take, bad.take)
	}
	n, err := f.File.WriteAt(b[:take], at)
	return n, errors.Join(bad.err, err)
}

func (f faultyFile) Truncate(size int64) error {
	if bad := f.fail(); bad != nil {
		return bad.err
	}
	return f.File.Truncate(size)
}

func (f faultyFile) Datasync() error {
	if bad := f.fail(); bad != nil {
		return bad.err
	}
	return nil // a real sync only takes time
}

func TestFullOrBrokenDiskAtEveryCall(t *testing.T) {
	faults := []fault{
		{"full disk", 0, syscall.ENOSPC},
		{"full disk in the middle of a record", 20, syscall.ENOSPC},
		{"full disk before the last byte", 75, syscall.ENOSPC},
		{"quota reached after the record", -1, syscall.EDQUOT},
		{"broken disk", 7, syscall.EIO},
		{"short write", 13, io.ErrShortWrite},
	}
	if testing.Short() {
		faults = faults[:2] // make test tries the others
	}
	tried := 0
	for _, f := range faults {
		for _, calls := range []int{1, 2, 5} { // consecutive failing calls
			for at := 0; failsFrom(t, f, at, calls); at++ {
				tried++
			}
		}
	}
	t.Attr("promise", fmt.Sprintf("a full or broken disk at any call damages no old content, and the next one is stored: failures tried: %d", tried))
}

// failsFrom stores notes and contents in a new pack whose file fails from a given call
// on, and repeats each until it succeeds. It reports whether the file got that many calls.
func failsFrom(t *testing.T, f fault, at, calls int) bool {
	t.Helper()
	name := fmt.Sprintf("%s at calls %d to %d", f.name, at, at+calls-1)
	call := 0
	defer blobs.WrapFiles(func(file blobs.File) blobs.File {
		return faultyFile{file, func() *fault {
			call++
			if call-1 < at || call-1 >= at+calls {
				return nil
			}
			return &f
		}}
	})()
	path := filepath.Join(t.TempDir(), "x.undo")
	p := open(t, path, blobs.Limits{})
	var sums []string
	for i := range 6 {
		var sum string
		steps := []func() error{
			func() error { return p.Append(numbered{i}) },
			func() (err error) { sum, _, err = p.Put(slowReader(noise(uint64(i), 100*i))); return err },
			p.Sync,
		}
		for _, step := range steps {
			err := step()
			for tries := 0; err != nil && tries <= calls; tries++ {
				if !errors.Is(err, f.err) {
					t.Fatalf("%s: %v", name, err)
				}
				err = step()
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		sums = append(sums, sum)
		for _, s := range sums {
			if _, err := p.Read(s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	got, damage := notes(t, p)
	if f.take < 0 { // a note that was reported as lost may be there
		got = slices.Compact(got)
	}
	same(t, got, []int{0, 1, 2, 3, 4, 5})
	same(t, damage, []blobs.Damage(nil))
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return call > at
}

// slowReader returns a reader of b that gives few bytes at a time and cannot seek.
func slowReader(b []byte) io.Reader {
	var parts []io.Reader
	for part := range slices.Chunk(b, 33) {
		parts = append(parts, &once{part})
	}
	return io.MultiReader(parts...)
}

// once gives its bytes in one read.
type once struct{ b []byte }

func (o *once) Read(b []byte) (int, error) {
	if len(o.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, o.b)
	o.b = o.b[n:]
	return n, nil
}
