package search

import (
	"bytes"
	"context"
	"io"

	"agent/internal/tools/search/dfa"
)

// The sizes of reading. What is no text shows it in the first block, by a NUL.
// A line longer than the buffer is searched in pieces that overlap, so that no
// line however long is held in memory.
const (
	firstBlock = 64 << 10
	bufferSize = 256 << 10
	overlap    = 4 << 10
)

// scanner looks for a query in one file after another. It is used by one
// goroutine.
type scanner struct {
	q       *Query
	budget  *budget
	keep    int // matches of one file that are kept; all are counted
	buf     []byte
	matcher *dfa.Matcher

	// Where in the file the buffer begins.
	line   int
	offset int64
	midway bool // in the middle of a line
	hit    bool // that line has matched already
}

func newScanner(q *Query, keep int, b *budget) *scanner {
	return &scanner{q: q, budget: b, keep: keep, buf: make([]byte, bufferSize), matcher: q.pattern.Matcher()}
}

// file searches r to its end. A binary file is searched up to its first match,
// and unless it was named in its first block only.
func (s *scanner) file(ctx context.Context, r file, named bool) (Matched, error) {
	if s.q.spans {
		return s.wholeFile(ctx, r, named)
	}
	var m Matched
	s.line, s.offset, s.midway, s.hit = 1, 0, false, false
	most := int64(-1) // of a file that is more than one block
	for filled, limit := 0, firstBlock; ; limit = bufferSize {
		n, err := readFull(r, s.buf[filled:limit])
		if err != nil && err != io.EOF {
			return m, err
		}
		filled += n
		last := err == io.EOF
		if limit == firstBlock {
			m.Binary = bytes.IndexByte(s.buf[:filled], 0) >= 0
			last = last || m.Binary && !named
		}
		end := filled
		if lines := bytes.LastIndexByte(s.buf[:filled], '\n') + 1; !last && lines > 0 {
			end = lines
		} else if !last && filled < bufferSize {
			continue // the line is longer than the block, not yet than the buffer
		}
		s.block(&m, end, last)
		if last || m.Binary && m.Count > 0 {
			return m, nil
		}
		if err := ctx.Err(); err != nil {
			return m, err
		}
		if most < 0 {
			most = s.most(r)
		}
		if filled = s.advance(end, filled); s.offset > most {
			s.budget.note(func(l *Limits) { l.Grown++ })
			return m, nil
		}
	}
}

// most returns up to which place a file is searched: a little more than it holds
// now, since a file that grows all the time has no end.
func (s *scanner) most(r file) int64 {
	size, err := r.size()
	if err != nil {
		size = 0
	}
	return min(size, 1<<62) + s.budget.caps.growth
}

// readFull fills b as far as r goes. The error is io.EOF at the end of r, even
// if something was read.
func readFull(r file, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		k, err = r.Read(b[n:])
		n += k
	}
	return n, err
}

// advance moves what is still to be searched to the front of the buffer and
// returns how much that is. Of a line that goes on, the end is searched again.
func (s *scanner) advance(end, filled int) int {
	s.line += bytes.Count(s.buf[:end], []byte{'\n'})
	s.midway = s.buf[end-1] != '\n'
	if s.midway {
		end -= overlap
	} else {
		s.hit = false
	}
	s.offset += int64(end)
	return copy(s.buf, s.buf[end:filled])
}

// block counts and keeps the matching lines of the buffer's first end bytes,
// which are whole lines or, while the file is not at its last, a piece of one.
func (s *scanner) block(m *Matched, end int, last bool) {
	b := s.buf[:end]
	open := !last && b[max(end-1, 0)] != '\n'
	s.matcher.Reset()
	line, counted, from := s.line, 0, 0
	if s.hit {
		if from = bytes.IndexByte(b, '\n') + 1; from == 0 {
			return
		}
		s.hit = false
	}
	for from < end {
		start, at, stop := s.matcher.Next(b, from)
		if start < 0 {
			return
		}
		from = stop + 1
		if s.q.anchored && (s.midway && start == 0 || open && stop == end) {
			// Neither end of a piece is the end of a line.
			continue
		}
		s.hit = open && stop == end
		line += bytes.Count(b[counted:start], []byte{'\n'})
		counted = start
		text := bytes.TrimSuffix(b[start:stop], []byte("\r"))
		if bytes.IndexByte(text, 0) >= 0 {
			m.Binary = true
		}
		if m.Count++; len(m.Matches) < s.keep && !m.Binary {
			m.Matches = append(m.Matches, Match{
				Line: line, Text: clip(text, at-start), start: s.offset + int64(start), end: s.offset + int64(stop),
			})
		}
		if m.Binary {
			return
		}
	}
}
