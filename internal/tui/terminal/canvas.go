package terminal

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// Canvas holds the lines that are on the terminal's screen, with their styles, so
// that only changed lines are written. Each line begins and ends without a style.
type Canvas struct {
	lines []string // nil if the screen's content is unknown
}

// Forget marks the screen's content as unknown, after something else may have drawn.
func (c *Canvas) Forget() { c.lines = nil }

// Paint writes to b the sequences that turn the screen into content, in a window of
// height lines.
func (c *Canvas) Paint(b *bytes.Buffer, content string, height int) {
	lines := fit(content, height)
	if len(c.lines) != len(lines) {
		c.lines = make([]string, len(lines))
		for y, l := range lines {
			moveTo(b, 0, y)
			b.WriteString(eraseRight)
			writeLine(b, "", l)
		}
		copy(c.lines, lines)
		return
	}
	if s := findShift(c.lines, lines); s.by != 0 {
		s.write(b)
		s.apply(c.lines)
	}
	for y, l := range lines {
		if old := c.lines[y]; old != l {
			rewrite(b, y, old, l)
			c.lines[y] = l
		}
	}
}

// fit returns the lines of content, truncated or padded to height.
func fit(content string, height int) []string {
	lines := strings.Split(content, "\n")
	if len(lines) > height {
		return lines[:height]
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}

// rewrite writes the sequences that turn old, in row y, into line. It keeps the
// common prefix as far as all terminals agree on its width.
func rewrite(b *bytes.Buffer, y int, old, line string) {
	same := common(old, line)
	moveTo(b, same.columns, y)
	if same.bytes < len(old) {
		b.WriteString(eraseRight)
	}
	writeLine(b, same.style, line[same.bytes:])
}

// writeLine writes the rest of a line, which starts with style in effect.
func writeLine(b *bytes.Buffer, style, rest string) {
	if rest == "" {
		return
	}
	b.WriteString(style)
	b.WriteString(rest)
	if last := strings.LastIndex(rest, csi); style != "" && last < 0 || last >= 0 && !isReset(rest[last:]) {
		b.WriteString(resetStyle)
	}
}

// prefix is the common prefix of two lines.
type prefix struct {
	bytes, columns int
	style          string // in effect at the end
}

// common returns the common prefix of a and b that has only printable ASCII and
// styles.
func common(a, b string) prefix {
	var now, before prefix // before excludes the last character, which the next may combine with
	for now.bytes < len(a) && now.bytes < len(b) {
		rest := b[now.bytes:]
		if n := styleLength(rest); n > 0 && strings.HasPrefix(a[now.bytes:], rest[:n]) {
			if isReset(rest) {
				now.style = ""
			} else {
				now.style += rest[:n]
			}
			now.bytes += n
			continue
		}
		if !plain(rest[0]) || a[now.bytes] != rest[0] {
			break
		}
		before = now
		now.bytes++
		now.columns++
	}
	if follows(a[now.bytes:]) && follows(b[now.bytes:]) {
		return now
	}
	return before
}

// follows reports whether rest cannot combine with the character before it.
func follows(rest string) bool { return rest == "" || plain(rest[0]) }

// plain reports whether c is printable ASCII.
func plain(c byte) bool { return ' ' <= c && c <= '~' }

// styleLength returns the length of the SGR sequence at the start of s, or 0.
func styleLength(s string) int {
	if !strings.HasPrefix(s, csi) {
		return 0
	}
	for i := len(csi); i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

func isReset(s string) bool {
	return strings.HasPrefix(s, resetStyle) || strings.HasPrefix(s, "\x1b[0m")
}

// shift scrolls the rows from top to bottom up by rows, or down if by is negative.
// Rows that scroll in are blank.
type shift struct{ top, bottom, by int }

// findShift returns the shift that leaves the least to write. by is 0 if no shift
// helps.
func findShift(old, lines []string) shift {
	by := likelyShift(old, lines)
	if by == 0 {
		return shift{}
	}
	s := shift{top: len(lines), bottom: -1, by: by}
	for y, l := range lines {
		if from := y + by; from >= 0 && from < len(old) && l != "" && old[from] == l && old[y] != l {
			s.top, s.bottom = min(s.top, y, from), max(s.bottom, y, from)
		}
	}
	if s.bottom < 0 {
		return shift{}
	}
	const cost = 24 // bytes of the shift itself
	moved := append([]string(nil), old...)
	s.apply(moved)
	if toWrite(moved, lines)+cost >= toWrite(old, lines) {
		return shift{}
	}
	return s
}

// likelyShift returns the distance by which most of the moved lines moved.
func likelyShift(old, lines []string) (by int) {
	const few = 3 // changed lines below which a shift never pays
	changed := 0
	for y, l := range lines {
		if old[y] != l {
			changed++
		}
	}
	if changed < few || runtime.GOOS == "windows" { // the Windows console loses the cursor
		return 0
	}
	at := make(map[string]int, len(old))
	for y, l := range old {
		if _, twice := at[l]; twice {
			y = -1
		}
		at[l] = y
	}
	votes := map[int]int{}
	for y, l := range lines {
		if from, ok := at[l]; ok && from >= 0 && from != y && l != "" {
			votes[from-y]++
			if d := from - y; votes[d] > votes[by] || votes[d] == votes[by] && d < by {
				by = d
			}
		}
	}
	return by
}

// toWrite estimates the bytes needed to turn old into lines.
func toWrite(old, lines []string) (n int) {
	const move = 8
	for y, l := range lines {
		if old[y] != l {
			n += move + len(l)
		}
	}
	return n
}

func (s shift) write(b *bytes.Buffer) {
	b.WriteString(csi + strconv.Itoa(s.top+1) + ";" + strconv.Itoa(s.bottom+1) + "r")
	if s.by > 0 {
		moveTo(b, 0, s.bottom)
		b.WriteString(strings.Repeat("\n", s.by))
	} else {
		moveTo(b, 0, s.top)
		b.WriteString(strings.Repeat("\x1bM", -s.by))
	}
	b.WriteString(csi + "r")
}

func (s shift) apply(lines []string) {
	in := lines[s.top : s.bottom+1]
	if n := s.by; n > 0 {
		copy(in, in[n:])
		clear(in[len(in)-n:])
	} else {
		copy(in[-n:], in)
		clear(in[:-n])
	}
}

// Control sequences.
const (
	csi        = "\x1b["
	resetStyle = "\x1b[m"
	eraseRight = "\x1b[K"
)

// moveTo moves the cursor to a cell, counted from 0.
func moveTo(b *bytes.Buffer, x, y int) {
	b.WriteString(csi)
	b.WriteString(strconv.Itoa(y + 1))
	b.WriteByte(';')
	b.WriteString(strconv.Itoa(x + 1))
	b.WriteByte('H')
}
