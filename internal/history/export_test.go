package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// File is what a Log writes to.
type File = file

// Wrap replaces the file of a log.
func (l *Log) Wrap(wrap func(File) File) { l.f = wrap(l.f) }

// ResumeFile is Resume for a log of that size in f. keep gets the bytes that are cut off.
func ResumeFile(f File, size int64, keep func(io.Reader) error) (*Log, []Problem, error) {
	h, _ := readHeader(f)
	h.ID = "x"
	l := &Log{store: &Store{}, header: h, f: f, saveTail: keep}
	torn, err := l.openTail(size)
	if err != nil {
		return nil, nil, err
	}
	problems, err := check(context.Background(), f, l.opened)
	return l, append(problems, torn...), err
}

// Dir returns the directory of the session files.
func (s *Store) Dir() string { return s.dir.path }

// Read returns the header and the records of a session, which it closes.
func (s *Store) Read(id string) (Header, iter.Seq2[Record, error], error) {
	v, err := s.View(id)
	if err != nil {
		return Header{}, nil, err
	}
	defer v.Close()
	return v.Header(), func(yield func(Record, error) bool) {
		v, err := s.View(id)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer v.Close()
		v.From(0)(yield)
	}, nil
}

// Records yields all records of the log without Problems. An error comes last.
func (l *Log) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if l.f == nil {
			return
		}
		for r, err := range records(l.f, 0, l.size) {
			if errors.As(err, new(Problem)) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Check reads the whole session and returns its problems.
func (v *View) Check(ctx context.Context) ([]Problem, error) {
	problems, err := check(ctx, v.f, End)
	if err != nil {
		return problems, fmt.Errorf("check session %s: %w", v.header.ID, err)
	}
	return problems, nil
}

// At returns the record at an offset, or an error if none begins there.
func (v *View) At(offset int64) (Record, error) {
	for r, err := range v.From(offset) {
		if err == nil && r.Offset != offset {
			break
		}
		return r, err
	}
	return Record{}, fmt.Errorf("session %s has no record at offset %d", v.header.ID, offset)
}
