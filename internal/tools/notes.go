package tools

import (
	"fmt"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/read"
)

// oddities says what is not to be seen in the lines of a page.
func (p *page) oddities(e read.Encoding) string {
	var b strings.Builder
	switch {
	case e == read.UTF16LE || e == read.UTF16BE:
		fmt.Fprintf(&b, "(decoded from %s. edit and search see bytes and find no text in it: "+
			"change it by a command, such as iconv to UTF-8 and back)\n", e)
	case e != read.UTF8:
		fmt.Fprintf(&b, "(decoded from %s, as it is not UTF-8. edit replaces bytes: "+
			"keep to ASCII in old and new, or change the file by a command, such as iconv to UTF-8 and back)\n", e)
	case p.lossy:
		b.WriteString("(some bytes are not valid UTF-8 and shown as \ufffd)\n")
	}
	if p.bom {
		b.WriteString("(the file begins with a byte order mark)\n")
	}
	if p.crlf > 0 {
		lines := fmt.Sprintf("%d of the lines", p.crlf)
		if p.crlf == p.shown {
			lines = "the lines"
		}
		fmt.Fprintf(&b, "(%s end in CRLF)\n", lines)
	}
	if p.cut > 0 {
		fmt.Fprintf(&b, "(%s cut after %d characters; use search to find something further on in one)\n", phrase.Count(p.cut, "line"), maxWidth)
	}
	return b.String()
}

// place says which lines a page is of a file of so many bytes, and how to read
// on.
func (p *page) place(s span, bytes int64) string {
	last := s.first + p.shown - 1
	switch {
	case p.total < 0:
		return fmt.Sprintf("(lines %d-%d of a file of %s; read on with offset %d)\n", s.first, last, phrase.Bytes(bytes), last+1)
	case last < p.total:
		return fmt.Sprintf("(lines %d-%d of %d; read on with offset %d)\n", s.first, last, p.total, last+1)
	case p.unended:
		return "(no newline at the end of the file)\n"
	case s.first > 1:
		return "(end of the file)\n"
	}
	return ""
}

// beyond is the error for a page that begins after the last line.
func (p *page) beyond(name string) error {
	return fmt.Errorf("%s has %s: give an offset up to that", name, phrase.Count(p.total, "line"))
}
