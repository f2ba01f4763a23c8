package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
)

// line is a valid line of a log.
type line struct {
	Record
	end   int64 // the offset after it
	whole bool  // its newline is there
}

// scan yields the valid lines of the log that r holds, the header among them.
// Damage comes as an error that is a Problem, and what follows it is still
// read; any other error comes last.
func scan(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		s := scanner{in: bufio.NewReaderSize(r, 64<<10), damaged: -1}
		for {
			l, err := s.next()
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
		if s.damaged >= 0 {
			yield(line{}, damage(s.damaged, s.off))
		}
	}
}

type scanner struct {
	in      *bufio.Reader
	off     int64 // of what is read next
	seq     int   // expected next
	damaged int64 // where the damage before off began, -1 if there is none
}

// next returns the next valid line, or io.EOF.
func (s *scanner) next() (line, error) {
	for {
		text, n, err := readLine(s.in)
		if err != nil {
			return line{}, err
		}
		start := s.off
		s.off += n
		r, skip, ok := unsealEnd(text)
		if (!ok || skip > 0) && s.damaged < 0 {
			s.damaged = start
		}
		if ok {
			r.Offset = start + int64(skip)
			return line{Record: r, end: s.off, whole: n > int64(len(text))}, nil
		}
	}
}

// problem returns what is wrong between the last line and l, if anything.
func (s *scanner) problem(l line) (Problem, bool) {
	from, want := s.damaged, s.seq
	s.damaged, s.seq = -1, l.Seq+1
	switch {
	case from >= 0:
		return damage(from, l.Offset), true
	case l.Seq > want:
		return Problem{Offset: l.Offset, Text: fmt.Sprintf("%d records are missing at offset %d", l.Seq-want, l.Offset)}, true
	case l.Seq < want:
		return Problem{Offset: l.Offset, Text: fmt.Sprintf("the record at offset %d is out of order: it is number %d where %d was due", l.Offset, l.Seq, want)}, true
	}
	return Problem{}, false
}

func damage(from, to int64) Problem {
	return Problem{Offset: from, Size: to - from, Text: fmt.Sprintf("%d bytes at offset %d are damaged and were skipped", to-from, from)}
}

// readLine returns the next line without its newline, and how many bytes it
// took from in. The text of a line longer than maxLine is dropped. Only a line
// feed ends a line.
func readLine(in *bufio.Reader) (text []byte, n int64, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		n += int64(len(piece))
		if n <= maxLine {
			text = append(text, piece...)
		} else {
			text = nil
		}
		switch {
		case err == nil && len(text) > 0:
			return text[:len(text)-1], n, nil
		case err == nil, err == io.EOF && n > 0:
			return text, n, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, n, err
		}
	}
}
