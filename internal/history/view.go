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
)

// End is an offset behind every record.
const End = math.MaxInt64

// View is a session open for reading, whoever appends to it. What is appended
// meanwhile is seen. It is safe for concurrent use.
type View struct {
	f      *os.File
	header Header
}

// View opens a session of any format for reading. The ID may be shortened as
// long as one session alone begins with it. It is what remains where Resume is
// refused: the session is open elsewhere, of a newer format, or on a disk that
// cannot be written.
func (s *Store) View(id string) (*View, error) {
	id, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return s.view(id)
}

// view is View for a whole ID.
func (s *Store) view(id string) (*View, error) {
	f, err := os.Open(s.path(id))
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

// Header returns the session's header. That of a log whose header is damaged
// holds the ID alone.
func (v *View) Header() Header { return v.header }

// From yields the records that begin at an offset or after it. A damaged place
// comes as an error that is a Problem, and what follows it is still read: go
// on. Any other error comes last.
func (v *View) From(offset int64) iter.Seq2[Record, error] { return records(v.f, offset, End) }

// Pass is From for a reader that keeps nothing: a record's Body lasts until the
// next one is asked for.
func (v *View) Pass(offset int64) iter.Seq2[Record, error] { return passing(v.f, offset, End) }

// Before yields the records that begin before an offset, the last first. A
// record's Body lasts until the next one is asked for. It reads no further back
// than it is asked to go. Damaged places are left out; an error comes last.
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

// Size returns how long the file is now, in bytes.
func (v *View) Size() (int64, error) {
	info, err := v.f.Stat()
	if err != nil {
		return 0, fmt.Errorf("read session %s: %w", v.header.ID, err)
	}
	return info.Size(), nil
}

// Close ends the view.
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

// passing is records, each of whose bodies lasts until the next.
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

// check returns what is wrong in the log that r holds up to an offset.
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
