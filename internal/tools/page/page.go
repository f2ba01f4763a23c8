// Package page shows a range of the lines of a text to a model, with their numbers. Notes say
// what the lines do not show, such as line endings. Start reading at Read.
package page

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

// Span is a range of lines of a file.
type Span struct {
	First int // from 1
	Limit int // number of lines
}

// The limits of one page.
const (
	MaxLines = 2000
	maxPage  = 50_000 // bytes
	maxWidth = 2000   // characters shown of a line
)

// Page is a numbered range of lines of a file.
type Page struct {
	Shown int
	Total int // lines of the file; -1 if not counted
	// Damaged is set by the caller if the file is UTF-16 with invalid bytes.
	Damaged bool

	span      Span
	text      strings.Builder
	truncated int  // truncated lines
	crlf      int  // lines that end in CRLF
	bom       bool // the file begins with a byte order mark
	invalid   bool // some bytes are not valid UTF-8
	noNewline bool // the last line of the file is included and has no newline
}

// lineReader reads lines of any length with a buffer of one block.
type lineReader struct{ r *bufio.Reader }

// Block is the maximum buffer size in bytes. The first block decides whether a file
// is text.
const Block = 64 << 10

// BlockFor returns the buffer size for a text of size bytes; 0 if the size is not known, as of
// files of the kernel.
func BlockFor(size int64) int {
	if size <= 0 || size > Block {
		return Block
	}
	return int(size)
}

// Read returns the lines of s in r, which has size bytes of UTF-8; 0 if the size is not known.
// If count is set, it counts the lines after them. The error is that of r or of ctx.
func Read(ctx context.Context, r io.Reader, size int, s Span, count bool) (*Page, error) {
	return newLineReader(ctx, r, size).page(s, count)
}

// newLineReader returns a reader of the lines of r, which has size bytes; 0 if that is not known.
func newLineReader(ctx context.Context, r io.Reader, size int) *lineReader {
	if size > 0 {
		size++ // a full buffer means that the line goes on
	}
	return &lineReader{bufio.NewReaderSize(read.Interruptible(ctx, r), BlockFor(int64(size)))}
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
func (l *lineReader) page(s Span, count bool) (*Page, error) {
	p := &Page{span: s}
	full := false
	for n := 1; ; n++ {
		ln, err := l.next()
		switch {
		case err == io.EOF:
			p.Total = n - 1
			return p, nil
		case err != nil:
			return nil, err
		case n < s.First || full:
		case p.Shown < s.Limit && (p.Shown == 0 || p.text.Len()+len(ln.text) <= maxPage):
			p.add(n, ln)
		case count:
			full = true
		default:
			p.Total = -1
			return p, nil
		}
	}
}

func (p *Page) add(n int, ln line) {
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
	p.Shown++
}
