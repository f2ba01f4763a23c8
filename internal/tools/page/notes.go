package page

import (
	"fmt"
	"strings"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
)

// Text returns the page for the model: its lines, and notes on them and on how to read on.
// The file has size bytes in the encoding e.
func (p *Page) Text(e charset.Encoding, size int64) string {
	return p.text.String() + p.notes(e) + p.Position(size)
}

// notes returns notes on the encoding, line endings and truncated lines of a
// page.
func (p *Page) notes(e charset.Encoding) string {
	var b strings.Builder
	switch {
	case p.Damaged:
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
		if p.crlf == p.Shown {
			lines = "these lines"
		}
		fmt.Fprintf(&b, "(%s end in CRLF)\n", lines)
	}
	if p.truncated > 0 {
		b.WriteString(marker.Note("%s after %d characters; use search to find text after that", phrase.Count(p.truncated, "line"), maxWidth) + "\n")
	}
	return b.String()
}

// Position returns a note on which lines the page has and how to read on; empty if it has all
// lines. The file has size bytes.
func (p *Page) Position(size int64) string {
	first := p.span.First
	last := first + p.Shown - 1
	asked := p.Shown == p.span.Limit && p.span.Limit < MaxLines // the page has what the model asked for
	limit := fmt.Sprintf("%d KB", maxPage/1000)
	if p.Shown == p.span.Limit {
		limit = fmt.Sprintf("%d lines", MaxLines)
	}
	switch {
	case p.Total < 0 && asked:
		return fmt.Sprintf("[lines %d-%d of a file of %s]\n", first, last, phrase.Bytes(size))
	case last < p.Total && asked:
		return fmt.Sprintf("[lines %d-%d of %d]\n", first, last, p.Total)
	case p.Total < 0:
		return fmt.Sprintf("[lines %d-%d of a file of %s, limit %s; continue with offset %d]\n", first, last, phrase.Bytes(size), limit, last+1)
	case last < p.Total:
		return fmt.Sprintf("[lines %d-%d of %d, limit %s; continue with offset %d]\n", first, last, p.Total, limit, last+1)
	case p.noNewline:
		return "(no newline at the end of the file)\n"
	case first > 1:
		return "(end of the file)\n"
	}
	return ""
}

// Err returns the error for the model if the lines begin after the last one of the file with
// that name.
func (p *Page) Err(name string) error {
	if p.Shown > 0 || p.span.First == 1 {
		return nil
	}
	return advice.Add(fmt.Errorf("%s has %s", name, phrase.Count(p.Total, "line")), "Give an offset within the file")
}
