package tools

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/read"
)

// span is a range of lines of a file.
type span struct {
	first int // from 1
	limit int
}

// The limits of one page.
const (
	maxLines = 2000
	maxPage  = 50_000   // bytes
	maxWidth = 2000     // characters shown of a line
	maxCount = 64 << 20 // size in bytes up to which all lines are counted
)

// page is a numbered range of lines of a file.
type page struct {
	text      strings.Builder
	shown     int
	total     int  // lines of the file; -1 if not counted
	truncated int  // truncated lines
	crlf      int  // lines that end in CRLF
	bom       bool // the file begins with a byte order mark
	invalid   bool // some bytes are not valid UTF-8
	damaged   bool // the file is UTF-16 with invalid bytes
	noNewline bool // the last line of the file is included and has no newline
}

// lineReader reads lines of any length with a buffer of one block.
type lineReader struct{ r *bufio.Reader }

// readBlock is the maximum buffer size in bytes. The first block decides whether a file
// is text.
const readBlock = 64 << 10

// blockFor returns the buffer size for a text of size bytes; 0 if the size is not known, as of
// files of the kernel.
func blockFor(size int64) int {
	if size <= 0 || size > readBlock {
		return readBlock
	}
	return int(size)
}

// newLineReader returns a reader of the lines of r, which has size bytes; 0 if that is not known.
func newLineReader(ctx context.Context, r io.Reader, size int) *lineReader {
	if size > 0 {
		size++ // a full buffer means that the line goes on
	}
	return &lineReader{bufio.NewReaderSize(read.Interruptible(ctx, r), blockFor(int64(size)))}
}

// line is the beginning of a line.
type line struct {
	text  []byte // without the line ending; valid until the next read
	crlf  bool
	ended bool  // has a newline
	more  int64 // bytes after text
}

// next reads a line and returns up to maxWidth characters of it. It returns
// io.EOF after the last line.
func (l *lineReader) next() (line, error) {
	b, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return l.nextLong(b)
	}
	if err != nil && (err != io.EOF || len(b) == 0) {
		return line{}, err
	}
	var out line
	b, out.ended = bytes.CutSuffix(b, []byte("\n"))
	if out.ended {
		b, out.crlf = bytes.CutSuffix(b, []byte("\r"))
	}
	out.text = truncateLine(b)
	out.more = int64(len(b) - len(out.text))
	return out, nil
}

// nextLong finishes a line that is longer than a block.
func (l *lineReader) nextLong(start []byte) (line, error) {
	out := line{text: bytes.Clone(truncateLine(start))}
	out.more = int64(len(start) - len(out.text))
	for {
		b, err := l.r.ReadSlice('\n')
		out.more += int64(len(b))
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			return out, nil
		case err != nil:
			return line{}, err
		}
		out.ended = true
		out.more--
		return out, nil
	}
}

// truncateLine returns the first maxWidth characters of b.
func truncateLine(b []byte) []byte {
	if len(b) <= maxWidth {
		return b
	}
	end := 0
	for range maxWidth {
		_, n := utf8.DecodeRune(b[end:])
		if end += n; end == len(b) {
			break
		}
	}
	return b[:end]
}

// page reads the lines of s. If count is set, it counts the lines after them.
func (l *lineReader) page(s span, count bool) (*page, error) {
	p := &page{}
	full := false
	for n := 1; ; n++ {
		ln, err := l.next()
		switch {
		case err == io.EOF:
			p.total = n - 1
			return p, nil
		case err != nil:
			return nil, err
		case n < s.first || full:
		case p.shown < s.limit && (p.shown == 0 || p.text.Len()+len(ln.text) <= maxPage):
			p.add(n, ln)
		case count:
			full = true
		default:
			p.total = -1
			return p, nil
		}
	}
}

func (p *page) add(n int, ln line) {
	text := ln.text
	if n == 1 {
		text, p.bom = bytes.CutPrefix(text, []byte("\ufeff"))
	}
	p.invalid = p.invalid || !utf8.Valid(text)
	fmt.Fprintf(&p.text, "%d\t%s", n, text)
	if ln.more > 0 {
		p.text.WriteString(marker.Note("%s more", phrase.Count(int(ln.more), "byte")))
		p.truncated++
	}
	p.text.WriteByte('\n')
	if ln.crlf {
		p.crlf++
	}
	p.noNewline = !ln.ended
	p.shown++
}
