package tools

import (
	"fmt"
	"strings"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
)

// notes returns notes on the encoding, line endings and truncated lines of a
// page.
func (p *page) notes(e charset.Encoding) string {
	var b strings.Builder
	switch {
	case p.damaged:
		fmt.Fprintf(&b, "(decoded from %s with invalid bytes, which are shown as \ufffd. Only write can change the file, and makes it UTF-8)\n", e)
	case e.Converts():
		fmt.Fprintf(&b, "(decoded from %s, in which changes are written, too)\n", e)
	case e == charset.Unknown:
		b.WriteString("(the encoding is unknown: bytes that are not valid UTF-8 are shown as \ufffd. Changes can add only ASCII)\n")
	case p.invalid:
		b.WriteString("(bytes that are not valid UTF-8 are shown as \ufffd)\n")
	}
	if p.bom {
		b.WriteString("(the file starts with a byte order mark)\n")
	}
	if p.crlf > 0 {
		lines := fmt.Sprintf("%d of these lines", p.crlf)
		if p.crlf == p.shown {
			lines = "these lines"
		}
		fmt.Fprintf(&b, "(%s end in CRLF)\n", lines)
	}
	if p.truncated > 0 {
		b.WriteString(marker.Note("%s after %d characters; use search to find text after that", phrase.Count(p.truncated, "line"), maxWidth) + "\n")
	}
	return b.String()
}

// position returns a note on which lines the page has and how to read on. The
// file has size bytes.
func (p *page) position(s span, size int64) string {
	last := s.first + p.shown - 1
	switch {
	case p.total < 0:
		return marker.Note("lines %d-%d of a file of %s; continue with offset %d", s.first, last, phrase.Bytes(size), last+1) + "\n"
	case last < p.total:
		return marker.Note("lines %d-%d of %d; continue with offset %d", s.first, last, p.total, last+1) + "\n"
	case p.noNewline:
		return "(no newline at the end of the file)\n"
	case s.first > 1:
		return "(end of the file)\n"
	}
	return ""
}

// offsetError returns the error for an offset after the last line.
func (p *page) offsetError(name string) error {
	return advice.Add(fmt.Errorf("%s has %s", name, phrase.Count(p.total, "line")), "Give an offset within the file")
}
