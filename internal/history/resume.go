package history

import (
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
// tells of a file that cannot be opened.
func (s *Store) Resume(id string) (*Log, []Problem, error) {
	id, err := s.find(id)
	if err != nil {
		return nil, nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(s.path(id), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open session %s: %w", id, err)
	}
	l, problems, err := s.resume(f, id)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return l, problems, nil
}

func (s *Store) resume(f *os.File, id string) (*Log, []Problem, error) {
	free, err := lock(f)
	if err != nil {
		return nil, nil, err
	}
	if !free {
		return nil, nil, &LockedError{ID: id, PID: holder(f)}
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, nil, fmt.Errorf("make session %s private: %w", id, err)
	}
	h, _ := readHeader(f)
	if h.Format > Format {
		return nil, nil, fmt.Errorf("session %s: %w", id, ErrNewer)
	}
	h.ID = id
	l := &Log{store: s, header: h, f: osFile{f}}
	problems, err := l.repair(f)
	if err != nil {
		return nil, nil, fmt.Errorf("repair session %s: %w", id, err)
	}
	return l, problems, nil
}

// repair reads all of f, cuts what follows its last valid line, and leaves l
// ready for appending.
func (l *Log) repair(f *os.File) ([]Problem, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var problems []Problem
	whole := true
	for line, err := range scan(io.NewSectionReader(f, 0, info.Size())) {
		var p Problem
		switch {
		case errors.As(err, &p):
			problems = append(problems, p)
		case err != nil:
			return nil, err
		default:
			l.size, l.seq, whole = line.end, line.Seq+1, line.whole
		}
	}
	if l.size < info.Size() {
		torn, err := l.cut(f, info.Size())
		if err != nil {
			return nil, err
		}
		problems[len(problems)-1] = torn // the scan has found the same place
	}
	return problems, l.finish(whole)
}

// cut moves what follows the last valid line to a file beside the log.
func (l *Log) cut(f *os.File, size int64) (Problem, error) {
	path := filepath.Join(l.store.dir, l.header.ID+tornExtension)
	if err := keep(path, io.NewSectionReader(f, l.size, size-l.size)); err != nil {
		return Problem{}, fmt.Errorf("keep its torn end: %w", err)
	}
	if err := f.Truncate(l.size); err != nil {
		return Problem{}, fmt.Errorf("cut its torn end: %w", err)
	}
	l.unsynced = true
	text := fmt.Sprintf("the last %d bytes of session %s are no whole record: they were cut off and kept in %s", size-l.size, l.header.ID, path)
	return Problem{Offset: l.size, Size: size - l.size, Text: text}, nil
}

// keep adds what r holds to the file of that name, durably.
func keep(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		return err
	}
	return f.Sync()
}

// finish writes what a log must have before the next record: the newline of its
// last line, and a header if nothing at all is left.
func (l *Log) finish(whole bool) error {
	var text []byte
	switch {
	case l.size == 0:
		l.header.Format = Format
		body, err := headerBody(l.header)
		if err != nil {
			return err
		}
		text = seal(nil, 0, body)
		l.seq = 1
	case !whole:
		text = []byte("\n")
	default:
		return nil
	}
	if err := writeAll(l.f, text); err != nil {
		return errors.Join(err, l.f.Truncate(l.size))
	}
	l.size += int64(len(text))
	return l.f.Datasync()
}
