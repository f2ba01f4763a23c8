// Package hunk divides the change of a file into hunks, and computes what a file becomes
// if only some of them are applied. It reads no file and asks nobody. Start reading at Of.
package hunk

import (
	"strconv"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/textdiff"
)

// Hunk is a part of a change that is accepted or rejected as one.
type Hunk struct {
	// Unified is the hunk as it is written in the Diff.
	Unified string
	// Lines are the lines of Unified without its header. There are none if the content of
	// the file is not shown.
	Lines []Line
	// Whole is set if the hunk is all of the change: the file is created, deleted or moved,
	// or its content is not shown. It may then have gaps.
	Whole bool
	// Fixed is set if the hunk cannot be edited.
	Fixed bool

	at, size int // the lines of the old file that it replaces: index of the first, number
}

// Line is a line of a hunk.
type Line struct {
	Mark     byte   // ' ', '-' or '+'; '@' for a gap, '\\' for a remark about the line above
	Text     string // with its line end; empty for '@' and '\\'
	Old, New int    // line numbers, from 1; 0 if the line is not in that file
}

// Of returns the hunks of d, at least one.
func Of(d event.Diff) []Hunk {
	hunks := parse(d.Unified)
	if len(hunks) > 0 && !d.Created && !d.Deleted && d.Moved == "" {
		return hunks
	}
	whole := Hunk{Unified: d.Unified, Whole: true, Fixed: !d.Created || d.Moved != "" || d.Unified != "" && hunks == nil}
	for i, h := range hunks {
		if i > 0 {
			whole.Lines = append(whole.Lines, Line{Mark: '@'})
		}
		whole.Lines = append(whole.Lines, h.Lines...)
	}
	return []Hunk{whole}
}

// New returns the new lines of the hunk: the added and the unchanged ones.
func (h Hunk) New() string { return h.side('+') }

// old returns the lines of the old file that the hunk replaces.
func (h Hunk) old() string { return h.side('-') }

// side returns the unchanged lines and those with mark.
func (h Hunk) side(mark byte) string {
	var b strings.Builder
	for _, l := range h.Lines {
		if l.Mark == ' ' || l.Mark == mark {
			b.WriteString(l.Text)
		}
	}
	return b.String()
}

// Size returns the numbers of added and removed lines.
func (h Hunk) Size() (added, removed int) {
	for _, l := range h.Lines {
		switch l.Mark {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// Range returns the first and the last changed line of the hunk in the new file, or in
// the old one if it only removes lines. Both are 0 if the content is not shown.
func (h Hunk) Range() (first, last int, removed bool) {
	added, _ := h.Size()
	for _, l := range h.Lines {
		n := l.New
		switch {
		case added > 0 && l.Mark != '+', added == 0 && l.Mark != '-':
			continue
		case added == 0:
			n = l.Old
		}
		if first == 0 {
			first = n
		}
		last = n
	}
	return first, last, added == 0 && last > 0
}

// bom is the byte order mark at the beginning of a file.
const bom = "\ufeff"

// Fit returns text, which the user wrote for New in an editor, with the line ends of New.
// Editors add a newline at the end of a file, and some of them write other line ends or
// drop a byte order mark. It returns "" if text is blank.
func (h Hunk) Fit(text string) string {
	proposed := h.New()
	if strings.TrimSpace(strings.TrimPrefix(text, bom)) == "" {
		return ""
	}
	if n := strings.Count(proposed, "\n"); n > 0 && n == strings.Count(proposed, "\r\n") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	if strings.HasPrefix(proposed, bom) && !strings.HasPrefix(text, bom) {
		text = bom + text
	}
	end := lineEnd(proposed)
	switch {
	case end != "" && lineEnd(text) == "":
		text += end
	case end == "" && proposed != "":
		text = strings.TrimSuffix(text, lineEnd(text))
	}
	return text
}

// lineEnd returns the line end with which text ends; empty for none.
func lineEnd(text string) string {
	switch {
	case strings.HasSuffix(text, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(text, "\n"):
		return "\n"
	}
	return ""
}

// Unified returns the hunks of a unified diff with three lines of context, and the
// numbers of lines that it adds and removes.
func Unified(before, after string) (hunks string, added, removed int) {
	u := textdiff.Unified("a", "b", before, after)
	at := strings.Index(u, "@@")
	if at < 0 {
		return "", 0, 0
	}
	u = u[at:]
	for line := range strings.Lines(u) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return u, added, removed
}

// parse returns the hunks of a unified diff; nil if it is none.
func parse(unified string) []Hunk {
	var out []Hunk
	before, after := 0, 0
	for line := range strings.Lines(unified) {
		if line[0] == '@' {
			h, first, ok := readHeader(line)
			if !ok {
				return nil
			}
			before, after = h.at, first
			out = append(out, h)
		}
		if len(out) == 0 {
			return nil
		}
		h := &out[len(out)-1]
		h.Unified += line
		l := Line{Mark: line[0], Text: line[1:]}
		switch l.Mark {
		case '@':
			continue
		case ' ':
			before, after = before+1, after+1
			l.Old, l.New = before, after
		case '-':
			before++
			l.Old = before
		case '+':
			after++
			l.New = after
		case '\\': // no newline at the end
			l.Text = ""
			if n := len(h.Lines); n > 0 {
				h.Lines[n-1].Text = strings.TrimSuffix(h.Lines[n-1].Text, "\n")
			}
		default:
			return nil
		}
		h.Lines = append(h.Lines, l)
	}
	return out
}

// readHeader reads "@@ -41,2 +41,3 @@": the lines that the hunk replaces, and the index
// of its first line in the new file.
func readHeader(line string) (h Hunk, first int, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" {
		return Hunk{}, 0, false
	}
	at, size, ok := readRange(fields[1], "-")
	first, _, okNew := readRange(fields[2], "+")
	return Hunk{at: at, size: size}, first, ok && okNew
}

// readRange reads "-41,2" as the index of the first line and the number of lines.
func readRange(s, sign string) (at, size int, ok bool) {
	s, signed := strings.CutPrefix(s, sign)
	from, count, counted := strings.Cut(s, ",")
	at, err := strconv.Atoi(from)
	size = 1
	if counted && err == nil {
		size, err = strconv.Atoi(count)
	}
	if size > 0 {
		at--
	}
	return at, size, signed && err == nil && at >= 0 && size >= 0
}

// LineOf returns the text of the line of d that a comment is about; empty if d does not
// show it.
func LineOf(d event.Diff, c event.LineComment) string {
	for _, h := range Of(d) {
		for _, l := range h.Lines {
			if c.Removed && l.Mark == '-' && l.Old == c.Line || !c.Removed && l.Mark != '-' && l.New == c.Line && c.Line > 0 {
				return l.Text
			}
		}
	}
	return ""
}
