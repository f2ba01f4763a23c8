package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
)

// End is an offset after every record.
const End = math.MaxInt64

// View is a session open for reading. Any program may append to it meanwhile;
// new records are visible. It is safe for concurrent use.
type View struct {
	f      *os.File
	header Header
}

// View opens a session of any format for reading. id may be a unique prefix of
// an ID. It works when Resume fails because the session is open in another
// program, has a newer format, or is on a read-only disk.
func (s *Store) View(id string) (*View, error) {
	id, err := s.dir.find(id)
	if err != nil {
		return nil, err
	}
	return s.view(id)
}

// view is View for a complete ID.
func (s *Store) view(id string) (*View, error) {
	f, err := os.Open(s.dir.log(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", id, err)
	}
	h, _ := readHeader(f)
	h.ID = id
	return &View{f: f, header: h}, nil
}

// Delegate opens the session of a delegate of this session for reading. id is a
// complete ID. The error is an ErrNotFound if there is no such session, or if it is
// not of a delegate of this session.
func (v *View) Delegate(id string) (*View, error) {
	if !validID(id) {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	s := Store{dir: directory{filepath.Dir(v.f.Name())}}
	d, err := s.view(id)
	if err != nil {
		return nil, err
	}
	if d.header.Agent == "" || d.header.Parent != v.header.ID {
		return nil, errors.Join(fmt.Errorf("%w: %q", ErrNotFound, id), d.Close())
	}
	return d, nil
}

// Header returns the session's header. If the header of the log is damaged, it
// has only the ID.
func (v *View) Header() Header { return v.header }

// From yields the records that begin at or after an offset. Damage appears as
// an error that is a Problem, and reading continues after it. Any other error
// comes last.
func (v *View) From(offset int64) iter.Seq2[Record, error] { return records(v.f, offset, End) }

// Pass is From without copies: the Body of a record is valid until the next one
// is read.
func (v *View) Pass(offset int64) iter.Seq2[Record, error] { return passing(v.f, offset, End) }

// Before yields the records that begin before an offset, the last first. The
// Body of a record is valid until the next one is read. It reads no further
// back than needed. Damage is skipped; an error comes last.
func (v *View) Before(offset int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		size, err := v.Size()
		if err != nil {
			yield(Record{}, err)
			return
		}
		withoutHeader(backward(v.f, min(offset, size)))(yield)
	}
}

// Size returns the current length of the file in bytes.
func (v *View) Size() (int64, error) {
	info, err := v.f.Stat()
	if err != nil {
		return 0, fmt.Errorf("read session %s: %w", v.header.ID, err)
	}
	return info.Size(), nil
}

// Close closes the view.
func (v *View) Close() error { return v.f.Close() }

// records yields the records of a log between two offsets, with Problems among
// them.
func records(r io.ReaderAt, from, to int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for got, err := range passing(r, from, to) {
			got.Body = bytes.Clone(got.Body)
			if !yield(got, err) {
				return
			}
		}
	}
}

// passing is records without copies: each body is valid until the next record.
func passing(r io.ReaderAt, from, to int64) iter.Seq2[Record, error] {
	return withoutHeader(scan(r, from, to))
}

// withoutHeader yields the records of lines that are not headers.
func withoutHeader(lines iter.Seq2[line, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for l, err := range lines {
			if _, ok := l.header(); ok {
				continue
			}
			if !yield(l.Record, err) {
				return
			}
		}
	}
}

// check returns the problems of the log r up to an offset.
func check(ctx context.Context, r io.ReaderAt, to int64) ([]Problem, error) {
	var problems []Problem
	for _, err := range scan(r, 0, to) {
		var p Problem
		switch {
		case ctx.Err() != nil:
			return problems, ctx.Err()
		case errors.As(err, &p):
			problems = append(problems, p)
		case err != nil:
			return problems, err
		}
	}
	return problems, nil
}
