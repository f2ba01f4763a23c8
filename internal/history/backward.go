package history

import (
	"bytes"
	"io"
	"iter"
	"slices"
)

// backward yields the valid lines that end at or before an offset, the last
// first. It skips damage and reads no further back than needed. An error comes
// last.
func backward(r io.ReaderAt, from int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		b := blocks{r: r, next: from, start: -1}
		for {
			p, err := b.read()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(line{}, err)
				return
			}
			var lines []line // usually one
			for l, ok := p.pop(); ok; l, ok = p.pop() {
				lines = append(lines, l)
			}
			for _, l := range slices.Backward(lines) {
				if !yield(l, nil) {
					return
				}
			}
		}
	}
}

// blocks reads a log backward.
type blocks struct {
	r     io.ReaderAt
	next  int64  // the offset before which the next block ends
	buf   []byte // read but not returned; it begins at next
	start int64  // of the long line that ends buf; -1 if it is not known
	split bool   // buf is in a line longer than maxLine
}

// read returns the previous piece, or io.EOF. Its text is valid until the next
// call. Pieces longer than a record can be are split.
func (b *blocks) read() (piece, error) {
	searched := len(b.buf) // the rest has a separator only at its end
	for {
		end, newline := b.trim()
		if b.split && end < len(b.buf) { // the line began where buf ended
			b.start, b.split = -1, false
		}
		if end > 0 {
			i := lastSeparator(b.buf[:min(searched, end)])
			if i < 0 && end >= longLine && b.start < 0 {
				var err error
				if b.start, err = lineStart(b.r, b.next, b.next+int64(end)-maxLine-1); err != nil {
					return piece{}, err
				}
				b.split = b.next+int64(end)-b.start > maxLine
			}
			if i >= 0 || b.next == 0 || b.split && end >= longLine {
				got := piece{text: b.buf[i+1 : end], off: b.next + int64(i+1), newline: newline}
				b.buf = b.buf[:i+1]
				if i >= 0 {
					b.start, b.split = -1, false
				}
				return got, nil
			}
		}
		if b.next == 0 {
			return piece{}, io.EOF
		}
		var err error
		if searched, err = b.fill(); err != nil {
			return piece{}, err
		}
	}
}

// trim drops all trailing separators except the first, which may belong to
// earlier data. It returns the length of the text before it, and whether it is
// a line feed.
func (b *blocks) trim() (end int, newline bool) {
	end = len(b.buf)
	for end > 0 && (b.buf[end-1] == 0 || b.buf[end-1] == '\n') {
		end--
	}
	b.buf = b.buf[:min(end+1, len(b.buf))]
	return end, end < len(b.buf) && b.buf[end] == '\n'
}

// fill reads the previous block and returns its length. Blocks grow with the
// buffer, so that a long line is not copied over and over.
func (b *blocks) fill() (int, error) {
	n := int(min(b.next, int64(max(blockSize, len(b.buf))), int64(maxBuffer-len(b.buf))))
	if b.start >= 0 && b.start < b.next && !b.split {
		n = int(b.next - max(b.start-1, 0))
	}
	buf := make([]byte, n+len(b.buf))
	got, err := b.r.ReadAt(buf[:n], b.next-int64(n))
	if got < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the file was truncated in the meantime
		}
		return 0, err
	}
	copy(buf[n:], b.buf)
	b.buf = buf
	b.next -= int64(n)
	return n, nil
}

// lineStart returns the offset after the last separator before an offset, or limit if there
// is none after it. limit may be negative.
func lineStart(r io.ReaderAt, to, limit int64) (int64, error) {
	for block := make([]byte, blockSize); to > max(limit, 0); {
		from := max(to-blockSize, limit, 0)
		n, err := r.ReadAt(block[:to-from], from)
		if i := lastSeparator(block[:n]); i >= 0 {
			return from + int64(i) + 1, nil
		}
		if err != nil && err != io.EOF {
			return 0, err
		}
		to = from
	}
	return max(limit, 0), nil
}

// lastSeparator returns the index of the last line feed or NUL, or -1.
func lastSeparator(b []byte) int {
	i := bytes.LastIndexByte(b, '\n')
	if j := bytes.LastIndexByte(b[i+1:], 0); j >= 0 {
		return i + 1 + j
	}
	return i
}
