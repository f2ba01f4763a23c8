package history

import (
	"bytes"
	"fmt"
	"io"
	"iter"
)

// line is a valid line of a log. Its body is valid until the next line is read.
type line struct {
	Record
	end        int64 // offset after it
	terminated bool  // its newline exists and is included in end
}

// scan yields the valid lines of the log r from an offset on, including the
// header. Damage appears as an error that is a Problem, and the scan continues
// after it; any other error comes last.
func scan(r io.ReaderAt, from, to int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		s := scanner{pieces: pieces{r: r, next: from, limit: to}, covered: from, seq: -1}
		if from == 0 {
			s.seq = 0
		}
		for {
			l, err := s.line()
			if err == io.EOF {
				break
			}
			if err != nil {
				yield(line{}, err)
				return
			}
			if p, ok := s.problem(l); ok && !yield(line{}, p) {
				return
			}
			if !yield(l, nil) {
				return
			}
		}
		if end := s.pieces.next; end > s.covered {
			yield(line{}, damage(s.covered, end))
		}
	}
}

type scanner struct {
	pieces  pieces
	piece   piece // the unread rest of it
	covered int64 // end of the last record; other bytes after it are damage
	seq     int   // expected next number, -1 for any
}

// line returns the next valid line, or io.EOF.
func (s *scanner) line() (line, error) {
	for {
		if l, ok := s.piece.pop(); ok {
			return l, nil
		}
		var err error
		if s.piece, err = s.pieces.read(); err != nil {
			return line{}, err
		}
	}
}

// problem returns the damage between the last line and l, if any.
func (s *scanner) problem(l line) (Problem, bool) {
	from, want := s.covered, s.seq
	s.covered, s.seq = l.end, l.Seq+1
	switch {
	case l.Offset > from:
		return damage(from, l.Offset), true
	case want < 0 || l.Seq == want:
		return Problem{}, false
	case l.Seq > want:
		return Problem{Offset: l.Offset, Text: fmt.Sprintf("%d records are missing at offset %d", l.Seq-want, l.Offset)}, true
	}
	return Problem{Offset: l.Offset, Text: fmt.Sprintf("the record at offset %d is out of order: it has number %d instead of %d", l.Offset, l.Seq, want)}, true
}

func damage(from, to int64) Problem {
	return Problem{Offset: from, Size: to - from, Text: fmt.Sprintf("%d bytes at offset %d are damaged and were skipped", to-from, from)}
}

// piece is a part of a log without a line feed or NUL. Records contain neither,
// so each is within one piece. Without damage, a piece is one line.
type piece struct {
	text    []byte
	off     int64
	newline bool // a line feed follows
}

// pop removes the first record of a piece and returns it.
func (p *piece) pop() (line, bool) {
	r, start, end, ok := find(p.text)
	if !ok {
		p.text = nil
		return line{}, false
	}
	r.Offset = p.off + int64(start)
	l := line{Record: r, end: p.off + int64(end)}
	p.text, p.off = p.text[end:], l.end
	if len(p.text) == 0 && p.newline {
		l.end++
		l.terminated = true
	}
	return l, true
}

const (
	// blockSize is the size of a read of a log, in bytes.
	blockSize = 64 << 10
	// maxBuffer is the size of a buffer that holds the longest line.
	maxBuffer = maxLine + blockSize
	// longLine is the length at which the end of a line is looked for before the rest is
	// read. A line longer than maxLine is no record: it is read in pieces of about this length.
	longLine = 1 << 20
)

// pieces reads a log forward.
type pieces struct {
	r     io.ReaderAt
	next  int64  // offset of the next read
	limit int64  // offset to stop at, if the file is longer
	buf   []byte // read but not returned; its end is at next
	mem   []byte // the memory of buf
	end   int64  // of the long line that begins buf; 0 if it is not known
	split bool   // buf is in a line longer than maxLine
}

// read returns the next non-empty piece, or io.EOF. Its text is valid until the
// next call. Pieces longer than a record can be are split.
func (p *pieces) read() (piece, error) {
	searched := 0
	for {
		if n := p.leading(); n > 0 {
			p.buf, p.end, p.split, searched = p.buf[n:], 0, false, 0
		}
		if i := separator(p.buf[searched:]); i >= 0 {
			i += searched
			got := piece{text: p.buf[:i], off: p.offset(), newline: p.buf[i] == '\n'}
			p.buf, p.end, p.split = p.buf[i+1:], 0, false
			return got, nil
		}
		searched = len(p.buf)
		if searched >= longLine && p.end == 0 {
			end, err := lineEnd(p.r, p.next, min(p.limit, p.offset()+maxLine+1))
			if err != nil {
				return piece{}, err
			}
			p.end, p.split = end, end-p.offset() > maxLine
		}
		var err error
		if !p.split || searched < longLine {
			err = p.fill()
		}
		if err == io.EOF && len(p.buf) > 0 || p.split && searched >= longLine {
			got := piece{text: p.buf, off: p.offset()}
			p.buf = nil
			return got, nil
		}
		if err != nil {
			return piece{}, err
		}
	}
}

func (p *pieces) offset() int64 { return p.next - int64(len(p.buf)) }

// leading returns the number of separators at the beginning of buf.
func (p *pieces) leading() int {
	n := 0
	for n < len(p.buf) && (p.buf[n] == 0 || p.buf[n] == '\n') {
		n++
	}
	return n
}

// fill reads another block, or returns io.EOF.
func (p *pieces) fill() error {
	if p.mem == nil || len(p.buf) > len(p.mem)/2 && len(p.mem) < maxBuffer {
		size := max(min(blockSize, p.limit-p.next), int64(2*len(p.mem)))
		if p.end > p.next && !p.split {
			size = p.end + 1 - p.offset()
		}
		whole := make([]byte, min(size, maxBuffer))
		p.buf, p.mem = whole[:copy(whole, p.buf)], whole
	} else {
		p.buf = p.mem[:copy(p.mem, p.buf)]
	}
	free := int(min(int64(len(p.mem)-len(p.buf)), p.limit-p.next))
	if free <= 0 {
		return io.EOF
	}
	n, err := p.r.ReadAt(p.buf[len(p.buf):len(p.buf)+free], p.next)
	p.buf = p.buf[:len(p.buf)+n]
	p.next += int64(n)
	if n > 0 && err == io.EOF {
		return nil
	}
	return err
}

// lineEnd returns the offset of the first separator from an offset on, or limit.
func lineEnd(r io.ReaderAt, from, limit int64) (int64, error) {
	for block := make([]byte, blockSize); from < limit; from += blockSize {
		n, err := r.ReadAt(block[:min(blockSize, limit-from)], from)
		if i := separator(block[:n]); i >= 0 {
			return from + int64(i), nil
		}
		if err != nil && err != io.EOF {
			return 0, err
		}
	}
	return limit, nil
}

// separator returns the index of the first line feed or NUL, or -1.
func separator(b []byte) int {
	end := bytes.IndexByte(b, '\n')
	if end >= 0 {
		b = b[:end]
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return i
	}
	return end
}
