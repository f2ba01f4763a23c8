package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agent/internal/history/blobs"
	"agent/internal/history/filelock"
)

// Resume opens a session for appending. id may be a unique prefix of an ID. It
// repairs damage without losing valid records and returns the problems for the
// user.
//
// The error is an ErrNotFound, an ErrLocked (a *LockedError), an ErrNewer, or
// that of opening the file. Except for ErrNotFound, the session can still be
// opened with View.
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

// ResumeTail is a fast Resume: it only reads the end of the log, which is all
// that appending needs. The problems it returns are limited to an incomplete
// end; Check finds the others.
func (s *Store) ResumeTail(id string) (*Log, []Problem, error) {
	id, err := s.dir.find(id)
	if err != nil {
		return nil, nil, err
	}
	if err := s.dir.prepare(); err != nil {
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

// Repair resumes and closes a session, and returns its problems.
func (s *Store) Repair(id string) ([]Problem, error) {
	l, problems, err := s.Resume(id)
	if err != nil {
		return nil, err
	}
	return problems, l.Close()
}

// openLocked opens the file of a session, locks it, and waits until no command of the
// program that had it before runs any more.
func (s *Store) openLocked(id string) (*os.File, error) {
	f, err := os.OpenFile(s.dir.log(id), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	free, err := filelock.Try(f)
	if err == nil && !free {
		err = &LockedError{ID: id, PID: holder(f)}
	}
	if err == nil && !s.isCurrent(f, id) {
		err = fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if err != nil {
		release(f)
		return nil, err
	}
	blobs.Settle(s.dir.path, id)
	return f, nil
}

// isCurrent reports whether f is still the file of the session, and was not
// removed between opening and locking.
func (s *Store) isCurrent(f *os.File, id string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(s.dir.log(id))
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
	l.saveTail = func(end io.Reader) error { return appendTo(l.tornPath(), end) }
	problems, err := l.openTail(info.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("session %s: %w", id, err)
	}
	return l, problems, nil
}

func (l *Log) tornPath() string { return l.store.dir.sibling(l.header.ID, tornExtension) }

// openTail prepares l for appending to a file of that size: it finds the last
// valid line and cuts off what follows. If that cannot be saved first, for
// example because the disk is full, the next Append tries again.
func (l *Log) openTail(size int64) ([]Problem, error) {
	whole := true
	for line, err := range backward(l.f, size) {
		if err != nil {
			return nil, err
		}
		l.size, l.seq, whole = line.end, line.Seq+1, line.terminated
		break
	}
	if l.header.Format > Format || l.size == 0 && isNewerFormat(l.f) {
		return nil, ErrNewer
	}
	if err := l.setPrefix(whole); err != nil {
		return nil, err
	}
	l.opened = l.size
	if l.size == size {
		return nil, nil
	}
	l.torn, l.tail = true, size-l.size
	p := Problem{Offset: l.size, Size: l.tail}
	if err := l.truncate(); err != nil {
		p.Text = fmt.Sprintf("the last %d bytes of session %s are an incomplete record, which could not be saved to another file: %v. The session cannot be continued until it can", p.Size, l.header.ID, err)
		return []Problem{p}, nil
	}
	p.Text = fmt.Sprintf("the last %d bytes of session %s were an incomplete record. They were cut off and saved in %s", p.Size, l.header.ID, l.tornPath())
	return []Problem{p}, nil
}

// setPrefix sets what must precede the next record: the missing newline of the
// last line, or a header if no line is left.
func (l *Log) setPrefix(whole bool) error {
	if l.size > 0 {
		if !whole {
			l.prefix = []byte("\n")
		}
		return nil
	}
	l.header.Format = Format
	body, err := headerBody(l.header)
	if err != nil {
		return err
	}
	l.prefix, l.seq = seal(nil, 0, body), 1
	return nil
}

// isNewerFormat reports whether a log without a valid line begins with the
// header of a newer format, which may have other checksums.
func isNewerFormat(r io.ReaderAt) bool {
	p := pieces{r: r, limit: blockSize}
	first, err := p.read()
	if err != nil {
		return false
	}
	var h Header
	return json.Unmarshal(first.text, &h) == nil && h.Format > Format
}

// appendTo appends the content of r to a file and syncs it, or leaves the file
// unchanged.
func appendTo(path string, r io.Reader) error {
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
	return filelock.SyncDir(filepath.Dir(path))
}

// Check reads the part of the log that existed when it was opened, and returns
// its problems. It may run concurrently with all other methods; appending does
// not wait for it.
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
