package tools

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/tools/read"
)

// span is which lines of a file to give.
type span struct {
	first int // from 1
	limit int
}

// The limits of one page.
const (
	maxLines = 2000
	maxPage  = 50_000   // bytes
	maxWidth = 2000     // characters of a line
	maxCount = 64 << 20 // bytes of a file of which all lines are counted
)

// page is a part of a file, with the numbers of its lines.
type page struct {
	text    strings.Builder
	shown   int
	total   int  // lines of the file; -1 if they were not counted
	cut     int  // lines of which only the beginning is shown
	crlf    int  // lines that end in CRLF
	bom     bool // the file begins with a byte order mark
	lossy   bool // not all that is shown is what the file holds
	unended bool // the last line of the file is shown and has no newline
}

// lineReader reads lines of any length, holding no more than a block of them.
type lineReader struct{ r *bufio.Reader }

// readBlock is how much is read at once, and looked at to tell whether a file
// is text.
const readBlock = 64 << 10

func newLineReader(ctx context.Context, r io.Reader) *lineReader {
	return &lineReader{bufio.NewReaderSize(read.Interruptible(ctx, r), readBlock)}
}

// line is the beginning of a line.
type line struct {
	text  []byte // without the line ending; valid until the next read
	crlf  bool
	ended bool  // with a newline
	rest  int64 // bytes beyond text
}

// next reads a line and returns up to maxWidth characters of it. After the last
// it returns io.EOF.
func (l *lineReader) next() (line, error) {
	b, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return l.long(b)
	}
	if err != nil && (err != io.EOF || len(b) == 0) {
		return line{}, err
	}
	var out line
	b, out.ended = bytes.CutSuffix(b, []byte("\n"))
	if out.ended {
		b, out.crlf = bytes.CutSuffix(b, []byte("\r"))
	}
	out.text = narrow(b)
	out.rest = int64(len(b) - len(out.text))
	return out, nil
}

// long reads on in a line that is longer than a block.
func (l *lineReader) long(start []byte) (line, error) {
	out := line{text: bytes.Clone(narrow(start))}
	out.rest = int64(len(start) - len(out.text))
	for {
		b, err := l.r.ReadSlice('\n')
		out.rest += int64(len(b))
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			return out, nil
		case err != nil:
			return line{}, err
		}
		out.ended = true
		out.rest--
		return out, nil
	}
}

// narrow returns the first maxWidth characters of b.
func narrow(b []byte) []byte {
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

// page reads the lines of a span. The lines after them are counted if that is
// wanted.
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
	p.lossy = p.lossy || !utf8.Valid(text)
	fmt.Fprintf(&p.text, "%d\t%s", n, text)
	if ln.rest > 0 {
		fmt.Fprintf(&p.text, "… (%s more)", phrase.Count(int(ln.rest), "byte"))
		p.cut++
	}
	p.text.WriteByte('\n')
	if ln.crlf {
		p.crlf++
	}
	p.unended = !ln.ended
	p.shown++
}
