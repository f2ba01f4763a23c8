package search

import (
	"bytes"
	"context"
	"io"
	"strings"
)

// MaxMultilineBytes is the maximum size in bytes of a file for a multiline query, which
// reads it into memory.
const MaxMultilineBytes = 2 << 20

// maxMatchShown is how many bytes of a multiline match are shown.
const maxMatchShown = 4 << 10

// multilineFile searches r for matches that may span lines. Of a binary file it
// searches only the first block, unless named is set.
func (s *scanner) multilineFile(ctx context.Context, r content, named bool) (m Matched, err error) {
	n, err := readFull(r, s.buf[:firstBlock])
	if d := s.decoded(r, s.buf[:n], err == io.EOF); d != nil {
		m, err = s.multilineFile(ctx, d, named)
		m.decoded = true
		return m, err
	}
	m.Binary = bytes.IndexByte(s.buf[:n], 0) >= 0
	for err == nil && (named || !m.Binary) {
		if n > MaxMultilineBytes {
			m.large = true
			return m, nil
		}
		if n == len(s.buf) {
			s.buf = append(s.buf, make([]byte, min(n, MaxMultilineBytes+1-n))...)
		}
		var more int
		more, err = readFull(r, s.buf[n:])
		n += more
	}
	if err != nil && err != io.EOF {
		return m, err
	}
	return m, s.scanMultiline(ctx, &m, s.buf[:n])
}

// scanMultiline counts and keeps the matches in b. Each search starts after the
// last line of the previous match, so that no line is shown twice.
func (s *scanner) scanMultiline(ctx context.Context, m *Matched, b []byte) error {
	s.matcher.Reset()
	line, counted := 1, 0
	for from := 0; ; {
		start, at, stop := s.matcher.Next(b, from)
		if start < 0 {
			return nil
		}
		if m.Count++; m.Binary {
			return nil
		}
		line += bytes.Count(b[counted:start], []byte{'\n'})
		counted = start
		if len(m.Matches) < s.keep {
			text, left := m.clipLines(b[start:stop], at-start, b)
			m.Matches = append(m.Matches, Match{Line: line, Text: text, Left: left, start: int64(start), end: int64(stop)})
		}
		from = stop + 1
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// clipLines returns the lines of a match in sample, the first truncated around byte at, and
// the number of omitted lines.
func (m *Matched) clipLines(b []byte, at int, sample []byte) (text string, left int) {
	var out []string
	size := 0
	for line := range bytes.SplitSeq(b, []byte{'\n'}) {
		if size > maxMatchShown {
			left++
			continue
		}
		l := m.show(bytes.TrimSuffix(line, []byte{'\r'}), at, sample)
		size += len(l)
		out = append(out, l)
		at = 0
	}
	return strings.Join(out, "\n"), left
}
