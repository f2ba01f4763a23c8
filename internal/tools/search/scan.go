package search

import (
	"bytes"
	"context"
	"io"

	"agent/internal/tools/search/dfa"
)

// The sizes of reads in bytes. A NUL in the first block marks a binary file. A
// line longer than the buffer is searched in overlapping pieces, so that memory
// is bounded.
const (
	firstBlock = 64 << 10
	bufferSize = 256 << 10
	overlap    = 4 << 10
)

// scanner searches files for a query, one after another. It is not safe for
// concurrent use.
type scanner struct {
	q       *Query
	budget  *budget
	keep    int // maximum number of matches kept per file; all are counted
	buf     []byte
	matcher *dfa.Matcher

	// Position of the buffer in the file.
	line        int
	offset      int64
	midLine     bool // the buffer begins in the middle of a line
	lineMatched bool // that line has already matched
}

func newScanner(q *Query, keep int, b *budget) *scanner {
	return &scanner{q: q, budget: b, keep: keep, buf: make([]byte, bufferSize), matcher: q.pattern.Matcher()}
}

// file searches r. A binary file is searched up to its first match and, unless
// named is set, only in its first block. Text in another encoding is decoded.
func (s *scanner) file(ctx context.Context, r content, named bool) (Matched, error) {
	if s.q.multiline {
		return s.multilineFile(ctx, r, named)
	}
	var m Matched
	s.line, s.offset, s.midLine, s.lineMatched = 1, 0, false, false
	most := int64(-1) // maximum offset; -1 until needed
	for filled, limit := 0, firstBlock; ; limit = bufferSize {
		n, err := readFull(r, s.buf[filled:limit])
		if err != nil && err != io.EOF {
			return m, err
		}
		filled += n
		last := err == io.EOF
		if limit == firstBlock {
			if d := s.decoded(r, s.buf[:filled], last); d != nil {
				m, err := s.file(ctx, d, named)
				m.decoded = true
				return m, err
			}
			m.Binary = bytes.IndexByte(s.buf[:filled], 0) >= 0
			last = last || m.Binary && !named
		}
		end := filled
		if lines := bytes.LastIndexByte(s.buf[:filled], '\n') + 1; !last && lines > 0 {
			end = lines
		} else if !last && filled < bufferSize {
			continue // the line is longer than the block, but not than the buffer
		}
		s.block(&m, end, last)
		if last || m.Binary && m.Count > 0 {
			return m, nil
		}
		if err := ctx.Err(); err != nil {
			return m, err
		}
		if most < 0 {
			most = s.maxOffset(r)
		}
		if filled = s.advance(end, filled); s.offset > most {
			s.budget.note(func(l *Limits) { l.Grown++ })
			return m, nil
		}
	}
}

// maxOffset returns the offset up to which a file is searched: a little above its
// current size, because a growing file may have no end.
func (s *scanner) maxOffset(r content) int64 {
	size, err := r.size()
	if err != nil {
		size = 0
	}
	return min(size, 1<<62) + s.budget.caps.growth
}

// readFull fills b. At the end of r the error is io.EOF, even if n > 0.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		k, err = r.Read(b[n:])
		n += k
	}
	return n, err
}

// advance moves the unsearched rest to the front of the buffer and returns its
// length. The end of an incomplete line is searched again.
func (s *scanner) advance(end, filled int) int {
	s.line += bytes.Count(s.buf[:end], []byte{'\n'})
	s.midLine = s.buf[end-1] != '\n'
	if s.midLine {
		end -= overlap
	} else {
		s.lineMatched = false
	}
	s.offset += int64(end)
	return copy(s.buf, s.buf[end:filled])
}

// block counts and keeps the matching lines in the first end bytes of the buffer.
// They contain complete lines or, unless last is set, a piece of one.
func (s *scanner) block(m *Matched, end int, last bool) {
	b := s.buf[:end]
	open := !last && b[max(end-1, 0)] != '\n'
	s.matcher.Reset()
	line, counted, from := s.line, 0, 0
	if s.lineMatched {
		if from = bytes.IndexByte(b, '\n') + 1; from == 0 {
			return
		}
		s.lineMatched = false
	}
	for from < end {
		start, at, stop := s.matcher.Next(b, from)
		if start < 0 {
			return
		}
		from = stop + 1
		if s.q.anchored && (s.midLine && start == 0 || open && stop == end) {
			// Both ends of a piece are within a line.
			continue
		}
		s.lineMatched = open && stop == end
		line += bytes.Count(b[counted:start], []byte{'\n'})
		counted = start
		text := bytes.TrimSuffix(b[start:stop], []byte("\r"))
		if bytes.IndexByte(text, 0) >= 0 {
			m.Binary = true
		}
		if m.Count++; len(m.Matches) < s.keep && !m.Binary {
			m.Matches = append(m.Matches, Match{
				Line: line, Text: m.show(text, at-start, b), start: s.offset + int64(start), end: s.offset + int64(stop),
			})
		}
		if m.Binary {
			return
		}
	}
}
