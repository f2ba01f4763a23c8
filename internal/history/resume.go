package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Resume opens a session for appending. The ID may be shortened as long as one
// session alone begins with it. What it finds damaged it repairs, where that
// takes nothing valid away, and returns in words for the person.
//
// The error is an ErrNotFound, an ErrLocked (a *LockedError), an ErrNewer, or
// tells of a file that cannot be opened; all but the first leave a View.
func (s *Store) Resume(id string) (*Log, []Problem, error) {
	l, torn, err := s.ResumeTail(id)
	if err != nil {
		return nil, nil, err
	}
	problems, err := l.Check(context.Background())
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return l, append(problems, torn...), nil
}

// ResumeTail is Resume for a caller that cannot wait: it reads the end of the
// log and no more, which is all that appending needs. What it returns as
// damaged is a torn end; what Check would find before that is not.
func (s *Store) ResumeTail(id string) (*Log, []Problem, error) {
	id, err := s.find(id)
	if err != nil {
		return nil, nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, nil, err
	}
	f, err := s.openLocked(id)
	if err != nil {
		return nil, nil, err
	}
	l, problems, err := s.resume(f, id)
	if err != nil {
		release(f)
		return nil, nil, err
	}
	return l, problems, nil
}

// Repair does to a session what Resume does, and returns what was wrong.
func (s *Store) Repair(id string) ([]Problem, error) {
	l, problems, err := s.Resume(id)
	if err != nil {
		return nil, err
	}
	return problems, l.Close()
}

// openLocked opens the file of a session and takes it for this program.
func (s *Store) openLocked(id string) (*os.File, error) {
	f, err := os.OpenFile(s.path(id), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	free, err := lock(f)
	if err == nil && !free {
		err = &LockedError{ID: id, PID: holder(f)}
	}
	if err == nil && !s.has(f, id) {
		err = fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if err != nil {
		release(f)
		return nil, err
	}
	return f, nil
}

// has reports whether f is still the file of a session, and not one that was
// removed between its opening and its locking.
func (s *Store) has(f *os.File, id string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(s.path(id))
	return err == nil && os.SameFile(mine, there)
}

func (s *Store) resume(f *os.File, id string) (*Log, []Problem, error) {
	if err := f.Chmod(0o600); err != nil {
		return nil, nil, fmt.Errorf("make session %s private: %w", id, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("open session %s: %w", id, err)
	}
	h, _ := readHeader(f)
	h.ID = id
	l := &Log{store: s, header: h, f: osFile{f}}
	l.keep = func(end io.Reader) error { return keep(l.tornPath(), end) }
	problems, err := l.openTail(info.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("session %s: %w", id, err)
	}
	return l, problems, nil
}

func (l *Log) tornPath() string { return l.store.beside(l.header.ID, tornExtension) }

// openTail makes l ready for appending to a file of that size: it finds the
// last valid line and cuts what follows it. Where that cannot be kept, for want
// of room, the first Append that can does it.
func (l *Log) openTail(size int64) ([]Problem, error) {
	whole := true
	for line, err := range backward(l.f, size) {
		if err != nil {
			return nil, err
		}
		l.size, l.seq, whole = line.end, line.Seq+1, line.whole
		break
	}
	if l.header.Format > Format || l.size == 0 && foreign(l.f) {
		return nil, ErrNewer
	}
	if err := l.lead(whole); err != nil {
		return nil, err
	}
	l.opened = l.size
	if l.size == size {
		return nil, nil
	}
	l.torn, l.tail = true, size-l.size
	p := Problem{Offset: l.size, Size: l.tail}
	if err := l.restore(); err != nil {
		p.Text = fmt.Sprintf("the last %d bytes of session %s are no whole record. They must be kept before the session can go on, and could not be: %v", p.Size, l.header.ID, err)
		return []Problem{p}, nil
	}
	p.Text = fmt.Sprintf("the last %d bytes of session %s are no whole record: they were cut off and kept in %s", p.Size, l.header.ID, l.tornPath())
	return []Problem{p}, nil
}

// lead sees to what must stand before the next record: the newline of the last
// line, or a header if nothing at all is left.
func (l *Log) lead(whole bool) error {
	if l.size > 0 {
		if !whole {
			l.before = []byte("\n")
		}
		return nil
	}
	l.header.Format = Format
	body, err := headerBody(l.header)
	if err != nil {
		return err
	}
	l.before, l.seq = seal(nil, 0, body), 1
	return nil
}

// foreign reports whether a log in which no line is valid begins with the
// header of a newer format, whose lines may be sealed in another way.
func foreign(r io.ReaderAt) bool {
	p := pieces{r: r, limit: blockSize}
	first, err := p.read()
	if err != nil {
		return false
	}
	var h Header
	return json.Unmarshal(first.text, &h) == nil && h.Format > Format
}

// keep adds what r holds to the file of that name, durably and wholly, or
// leaves the file as it was.
func keep(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(info.Size()))
	}
	return syncDir(filepath.Dir(path))
}

// Check reads all that was in the log when it was opened, and returns what is
// damaged. It may run beside anything else that is done with the log, and be
// ended by ctx: appending does not wait for it.
func (l *Log) Check(ctx context.Context) ([]Problem, error) {
	if l.opened == 0 {
		return nil, nil
	}
	v, err := l.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	problems, err := check(ctx, v.f, l.opened)
	if err != nil {
		return problems, fmt.Errorf("check session %s: %w", l.header.ID, err)
	}
	return problems, nil
}
