package search

import (
	"bytes"
	"context"
	"io"
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
	q         *Query
	budget    *budget
	keep      int // matches of one file that are kept; all are counted
	buf       []byte
	finders   []finder // of the literals
	automaton *automaton

	// Where in the file the buffer begins.
	line   int
	offset int64
	midway bool // in the middle of a line
	hit    bool // that line has matched already
}

func newScanner(q *Query, keep int, b *budget) *scanner {
	s := &scanner{q: q, budget: b, keep: keep, buf: make([]byte, bufferSize), automaton: newAutomaton(q.program)}
	for _, l := range q.literals {
		s.finders = append(s.finders, newFinder(l, q.fold))
	}
	return s
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
	for i := range s.finders {
		s.finders[i].reset()
	}
	line, counted, from := s.line, 0, 0
	if s.hit {
		if from = bytes.IndexByte(b, '\n') + 1; from == 0 {
			return
		}
		s.hit = false
	}
	for from < end {
		start, at, stop := s.match(b, from)
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

// match returns the first matching line of b that begins at or after from, and
// a place in it that belongs to a match. start is -1 if there is none.
func (s *scanner) match(b []byte, from int) (start, at, stop int) {
	for from < len(b) {
		at, sure := s.candidate(b, from)
		if at < 0 {
			break
		}
		start, stop = lineAround(b, from, at)
		if sure || s.matches(b[start:stop]) {
			return start, at, stop
		}
		from = stop + 1
	}
	return -1, 0, 0
}

// candidate returns a place in or at the end of the first line of b, from from
// on, that may match, or -1 if there is none. It reports whether it is sure that
// the line does.
func (s *scanner) candidate(b []byte, from int) (at int, sure bool) {
	if len(s.finders) > 0 {
		return s.literal(b, from)
	}
	if s.automaton.works() {
		if at = s.automaton.find(b[from:]); at < 0 {
			return -1, false
		}
		return from + at, true
	}
	loc := s.q.re.FindIndex(b[from:])
	if loc == nil || from+loc[0] == len(b) && b[len(b)-1] == '\n' {
		return -1, false
	}
	return from + loc[0], true
}

// literal returns the first place of a literal in b from from on, or -1, and
// whether that is all that a match takes.
func (s *scanner) literal(b []byte, from int) (at int, sure bool) {
	at = len(b)
	for i := range s.finders {
		at = min(at, s.finders[i].find(b, from))
	}
	if at == len(b) {
		return -1, false
	}
	return at, s.q.exact
}

// matches reports whether a line does.
func (s *scanner) matches(line []byte) bool {
	if s.automaton.works() {
		return s.automaton.find(line) >= 0
	}
	return s.q.re.Match(line)
}

// lineAround returns the bounds of the line that at is in, which does not begin
// before from.
func lineAround(b []byte, from, at int) (start, stop int) {
	start = from + bytes.LastIndexByte(b[from:at], '\n') + 1
	stop = len(b)
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		stop = at + i
	}
	return start, stop
}
