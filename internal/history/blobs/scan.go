package blobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Note is a note of a pack.
type Note struct {
	Offset int64           // of its record
	Next   int64           // from where Notes yields the later ones
	Body   json.RawMessage // the receiver may keep it
}

// Damage is damage found in a pack. It is an error, so that it can appear between notes.
type Damage struct {
	Path   string
	Offset int64
	Size   int64 // in bytes
}

func (d Damage) Error() string {
	return fmt.Sprintf("%s is damaged: %d bytes at %d cannot be read", d.Path, d.Size, d.Offset)
}

// Notes yields the notes that all processes have appended, in their order, from offset 0
// or the Next of a note. Damage is yielded as an error of type Damage, and the notes
// continue after it. Damage of contents is yielded only if it hides a record. Any other
// error comes last.
func (p *Pack) Notes(from int64) iter.Seq2[Note, error] {
	return func(yield func(Note, error) bool) {
		p.mu.Lock()
		size, err := p.open()
		s := scanner{f: p.f, mark: p.mark, off: max(from, headerSize), end: size}
		p.mu.Unlock()
		if errors.Is(err, errUnreadable) {
			err = Damage{Path: p.path, Size: p.Size()}
		}
		if err == nil && size > 0 && from < headerSize {
			var b [headerSize]byte
			if _, err = s.f.ReadAt(b[:], 0); err == nil && !isHeader(b[:]) && !yield(Note{}, Damage{p.path, 0, headerSize}) {
				return
			}
		}
		if err != nil {
			yield(Note{}, err)
			return
		}
		p.notes(&s, yield)
	}
}

// notes yields the notes that s finds. It does not need mu.
func (p *Pack) notes(s *scanner, yield func(Note, error) bool) {
	for {
		r, skipped, err := s.next()
		if err == io.EOF {
			return
		}
		if err != nil {
			yield(Note{}, err)
			return
		}
		if skipped > 0 && !yield(Note{}, Damage{p.path, r.start - skipped, skipped}) {
			return
		}
		if r.kind != noteKind {
			continue
		}
		body := make([]byte, r.payload)
		if _, err := s.f.ReadAt(body, r.start+headSize); err != nil {
			yield(Note{}, err)
			return
		}
		if checksum(body) != r.sum {
			if !yield(Note{}, Damage{p.path, r.start, r.end() - r.start}) {
				return
			}
			continue
		}
		if !yield(Note{Offset: r.start, Next: r.end(), Body: body}, nil) {
			return
		}
	}
}

// record is a complete record of a pack. Its payload was not read.
type record struct {
	head
	start int64 // offset
}

func (r record) end() int64 { return r.start + recordSize(r.payload) }

// scanner reads the records of a pack forward, without their payloads.
type scanner struct {
	f    io.ReaderAt
	mark mark
	off  int64 // where the next record should begin
	end  int64 // length of the pack

	buf   []byte
	start int64 // offset of buf
}

const scanBlock = 64 << 10

// next returns the next complete record, and how many bytes before it are damaged. At
// the end, which may be an incomplete record, the error is io.EOF.
func (s *scanner) next() (r record, skipped int64, err error) {
	from := s.off
	for at := from; ; at++ {
		if at, err = s.find(at); err != nil {
			return record{}, 0, err
		}
		r, ok, err := s.at(at)
		if err != nil {
			return record{}, 0, err
		}
		if ok {
			s.off = r.end()
			return r, at - from, nil
		}
	}
}

// find returns the offset of the first mark at or after an offset, or io.EOF.
func (s *scanner) find(at int64) (int64, error) {
	for s.end-at >= headSize {
		b, err := s.bytes(at, headSize)
		if err != nil {
			return 0, err
		}
		if i := bytes.Index(b, s.mark[:]); i >= 0 {
			return at + int64(i), nil
		}
		at += int64(len(b) - len(s.mark) + 1)
	}
	return 0, io.EOF
}

// at returns the record at an offset, if it is complete.
func (s *scanner) at(start int64) (record, bool, error) {
	if s.end-start < headSize {
		return record{}, false, nil
	}
	b, err := s.bytes(start, headSize)
	if err != nil {
		return record{}, false, err
	}
	first := [headSize]byte(b)
	h, ok := parseHead(first[:], s.mark)
	r := record{h, start}
	if !ok || r.end() > s.end {
		return record{}, false, nil
	}
	b, err = s.bytes(r.end()-trailerSize, trailerSize)
	if err != nil {
		return record{}, false, err
	}
	return r, isTrailer(b, first[:], h), nil
}

// bytes returns at least n bytes that begin at an offset. They are valid until the next
// call.
// The error is io.EOF if the pack has become shorter.
func (s *scanner) bytes(at int64, n int) ([]byte, error) {
	if at >= s.start && at+int64(n) <= s.start+int64(len(s.buf)) {
		return s.buf[at-s.start:], nil
	}
	if s.buf == nil {
		s.buf = make([]byte, scanBlock)
	}
	s.buf = s.buf[:min(scanBlock, s.end-at)]
	got, err := s.f.ReadAt(s.buf, at)
	s.start, s.buf = at, s.buf[:got]
	if got >= n {
		return s.buf, nil
	}
	return nil, err
}
