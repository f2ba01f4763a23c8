package tools

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"agent/internal/tools/read"
)

// maxWhole is the largest file that is held in memory to be shown as something
// else than its lines.
const maxWhole = 32 << 20

// source is an open file that is to be shown.
type source struct {
	name  string // as a model writes it
	info  fs.FileInfo
	rest  *bufio.Reader
	held  []byte // what was read of it already
	whole bool   // that is all
	size  int64  // in bytes, as far as it is known
}

func newSource(ctx context.Context, name string, r io.Reader, info fs.FileInfo) *source {
	return &source{
		name: name,
		info: info,
		rest: bufio.NewReaderSize(&contextReader{ctx, r}, readBlock),
		size: info.Size(),
	}
}

// hold reads all of the file, if it holds no more than limit.
func (s *source) hold(limit int64) error {
	if s.held != nil || s.size > limit {
		return nil
	}
	var b bytes.Buffer
	b.Grow(int(s.size) + bytes.MinRead) // the size of what is in /proc is 0, whatever it holds
	n, err := b.ReadFrom(io.LimitReader(s.rest, limit+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", s.name, reason(err))
	}
	s.held = b.Bytes()[:n:n]
	s.whole = n <= limit
	s.size = max(s.size, n)
	return nil
}

// content returns all of the file, once.
func (s *source) content() io.Reader {
	if s.whole {
		return bytes.NewReader(s.held)
	}
	return io.MultiReader(bytes.NewReader(s.held), s.rest)
}

// counted reports whether the lines that are not shown are worth counting. A
// file that holds more than it says may have no end.
func (s *source) counted() bool {
	return s.whole || s.held == nil && s.size <= maxCount
}

// text says how the file is read as text. The error is for one that is not.
func (s *source) text() (read.Encoding, error) {
	e, ok := read.Detect(s.sample(), s.whole)
	if ok {
		if err := s.hold(maxEdit); err != nil {
			return "", err
		}
		e, ok = read.Detect(s.sample(), s.whole)
	}
	if !ok {
		return "", fmt.Errorf("%s is binary (%s, %s), so there are no lines to show: use a command in the shell that understands it",
			s.name, http.DetectContentType(s.sample()), size(s.size))
	}
	return e, nil
}

// sample is as much of the file as can be looked at.
func (s *source) sample() []byte {
	if s.held != nil {
		return s.held
	}
	b, _ := s.rest.Peek(readBlock)
	return b
}

// reading is what a model knows that was shown the file, but none of its lines.
func (s *source) reading() Reading {
	if !s.whole || len(s.held) > maxEdit {
		return Reading{Path: s.name, Sum: fmt.Sprintf("stat:%d-%d-%d", s.info.Size(), s.info.ModTime().UnixNano(), inode(s.info))}
	}
	r := Reading{Path: s.name, Sum: sumOf(s.held)}
	if len(s.held) <= maxKnown {
		r.Content = s.held
	}
	return r
}
