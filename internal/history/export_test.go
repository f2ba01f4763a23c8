package history

import (
	"context"
	"io"
)

// File is what a Log writes to.
type File = file

// Wrap puts something between a log and its file, which must be there.
func (l *Log) Wrap(wrap func(File) File) { l.f = wrap(l.f) }

// ResumeFile is Resume for a log of that size that f holds, wherever that is.
// What is cut from it goes to keep.
func ResumeFile(f File, size int64, keep func(io.Reader) error) (*Log, []Problem, error) {
	h, _ := readHeader(f)
	h.ID = "x"
	l := &Log{store: &Store{}, header: h, f: f, keep: keep}
	torn, err := l.openTail(size)
	if err != nil {
		return nil, nil, err
	}
	problems, err := check(context.Background(), f, l.opened)
	return l, append(problems, torn...), err
}

// Dir returns where the sessions lie.
func (s *Store) Dir() string { return s.dir }
