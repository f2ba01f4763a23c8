package history_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/internal/history"
)

// flaky is a file whose calls fail once as configured.
type flaky struct {
	history.File
	short    int   // the next write takes this many bytes without an error
	write    error // the next write takes half and fails
	datasync error
	truncate error
	writes   int
	syncs    int
}

func (f *flaky) Write(b []byte) (int, error) {
	f.writes++
	if n := f.short; n > 0 && n < len(b) {
		f.short = 0
		return f.File.Write(b[:n])
	}
	if err := take(&f.write); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

func (f *flaky) Datasync() error {
	f.syncs++
	if err := take(&f.datasync); err != nil {
		return err
	}
	return f.File.Datasync()
}

func (f *flaky) Truncate(size int64) error {
	if err := take(&f.truncate); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func take(err *error) error {
	e := *err
	*err = nil
	return e
}

func TestFailedAppendLeavesLogUnchanged(t *testing.T) {
	for name, fail := range map[string]func(*flaky){
		"full disk":                       func(f *flaky) { f.write = syscall.ENOSPC },
		"failed sync":                     func(f *flaky) { f.datasync = syscall.EIO },
		"full disk and failed truncation": func(f *flaky) { f.write, f.truncate = syscall.ENOSPC, syscall.EIO },
		"failed sync and truncation":      func(f *flaky) { f.datasync, f.truncate = syscall.EIO, syscall.EIO },
	} {
		t.Run(name, func(t *testing.T) {
			s := history.Open(t.TempDir())
			l := s.Create(history.Header{ID: "x"})
			fill(t, l, 1, 2)
			file := &flaky{}
			l.Wrap(func(f history.File) history.File { file.File = f; return file })
			before, _ := os.ReadFile(l.Path())

			fail(file)
			cuts := file.truncate == nil
			if err := l.Append([]byte(body(3)), true); !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EIO) {
				t.Errorf("append: %v", err)
			}
			after, _ := os.ReadFile(l.Path())
			if cuts {
				same(t, string(after), string(before))
			}
			got, _ := bodies(t, l.Records())
			same(t, got, wanted(1, 2))

			fill(t, l, 3, 4)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			_, records, err := s.Read("x")
			if err != nil {
				t.Fatal(err)
			}
			got, problems := bodies(t, records)
			same(t, got, wanted(1, 4))
			same(t, problems, nil)
		})
	}
}

func TestShortWriteIsContinued(t *testing.T) {
	s := history.Open(t.TempDir())
	l := s.Create(history.Header{ID: "x"})
	fill(t, l, 1, 1)
	l.Wrap(func(f history.File) history.File { return &flaky{File: f, short: 7} })
	fill(t, l, 2, 2)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, records, err := s.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	got, problems := bodies(t, records)
	same(t, got, wanted(1, 2))
	same(t, problems, nil)
}

func TestOneWritePerRecordAndSyncOnRequest(t *testing.T) {
	l := history.Open(t.TempDir()).Create(history.Header{})
	fill(t, l, 1, 1)
	file := &flaky{}
	l.Wrap(func(f history.File) history.File { file.File = f; return file })
	for i, sync := range []bool{false, true, false} {
		if err := l.Append([]byte(body(2+i)), sync); err != nil {
			t.Fatal(err)
		}
	}
	same(t, []int{file.writes, file.syncs}, []int{3, 1})
	if err := l.Close(); err != nil { // syncs the last one
		t.Fatal(err)
	}
	same(t, []int{file.writes, file.syncs}, []int{3, 2})
}

func TestErrorsNameSession(t *testing.T) {
	l := history.Open(t.TempDir()).Create(history.Header{ID: "x"})
	fill(t, l, 1, 1)
	var file history.File
	l.Wrap(func(f history.File) history.File { file = f; return f })
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]byte(body(2)), false); err == nil || !strings.Contains(err.Error(), l.Path()) {
		t.Errorf("append to a file that is closed: %v", err)
	}
}

func TestCreateAfterFailure(t *testing.T) {
	dir := t.TempDir()
	inTheWay := filepath.Join(dir, "sessions")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := history.Open(dir).Create(history.Header{})
	if err := l.Append([]byte(body(1)), true); err == nil {
		t.Fatal("a session was made in a file")
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	fill(t, l, 1, 2)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(l.Path())
	same(t, bytes.Count(text, []byte("\n")), 3)
}

func TestSyncLater(t *testing.T) {
	l := history.Open(t.TempDir()).Create(history.Header{})
	fill(t, l, 1, 1)
	file := &flaky{}
	l.Wrap(func(f history.File) history.File { file.File = f; return file })
	if err := l.Append([]byte(body(2)), false); err != nil {
		t.Fatal(err)
	}
	file.datasync = syscall.EIO
	for _, want := range []error{syscall.EIO, nil, nil} { // the last one has nothing to sync
		unsynced := l.Unsynced()
		if err := l.Sync(); !errors.Is(err, want) || l.Unsynced() != (want != nil) {
			t.Errorf("sync: %v, unsynced %v before and %v behind it, want %v", err, unsynced, l.Unsynced(), want)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, []any{file.syncs, l.Unsynced(), l.Sync()}, []any{2, false, nil})
}
