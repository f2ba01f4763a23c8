package history

import (
	"bytes"
	"io"
	"iter"
	"slices"
)

// backward yields the valid lines that end at an offset or before it, the last
// first. It reads no further back than it is asked to go, and leaves out what
// is damaged. An error comes last.
func backward(r io.ReaderAt, from int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		b := blocks{r: r, next: from}
		for {
			p, err := b.read()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(line{}, err)
				return
			}
			var lines []line // nearly always one
			for l, ok := p.take(); ok; l, ok = p.take() {
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

// blocks reads a log backwards.
type blocks struct {
	r    io.ReaderAt
	next int64  // the offset before which is read next
	buf  []byte // read and not returned; it begins at next
}

// read returns the piece before the last one, or io.EOF. Its text lasts until
// the next call. What is longer than a record can be comes in several pieces.
func (b *blocks) read() (piece, error) {
	searched := len(b.buf) // from here on there is no separator but at the end
	for {
		end, newline := b.trim()
		if end > 0 {
			i := lastSeparator(b.buf[:min(searched, end)])
			if i >= 0 || b.next == 0 || end > maxLine {
				got := piece{text: b.buf[i+1 : end], off: b.next + int64(i+1), newline: newline}
				b.buf = b.buf[:i+1]
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

// trim drops all separators at the end but the first of them, which may belong
// to what is read next. It returns how long the text before it is, and whether
// it is a line feed.
func (b *blocks) trim() (end int, newline bool) {
	end = len(b.buf)
	for end > 0 && (b.buf[end-1] == 0 || b.buf[end-1] == '\n') {
		end--
	}
	b.buf = b.buf[:min(end+1, len(b.buf))]
	return end, end < len(b.buf) && b.buf[end] == '\n'
}

// fill reads the block before, and returns how long it is. Blocks grow with
// what is held, so that a long line is not moved again and again.
func (b *blocks) fill() (int, error) {
	n := int(min(b.next, int64(max(blockSize, len(b.buf)))))
	buf := make([]byte, n+len(b.buf))
	got, err := b.r.ReadAt(buf[:n], b.next-int64(n))
	if got < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // it was shortened since
		}
		return 0, err
	}
	copy(buf[n:], b.buf)
	b.buf = buf
	b.next -= int64(n)
	return n, nil
}

// lastSeparator returns where the last line feed or NUL is, -1 if there is none.
func lastSeparator(b []byte) int {
	i := bytes.LastIndexByte(b, '\n')
	if j := bytes.LastIndexByte(b[i+1:], 0); j >= 0 {
		return i + 1 + j
	}
	return i
}
