package transcript

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
)

// selection is the text selected with the mouse, from one cell to another, both
// included. It moves with its text when rows are added, and ends when one of its rows
// is removed or the rows are drawn differently.
type selection struct {
	view     *viewport
	from, to *pin
	frame    drawing // width and look of the rows when the selection was made
}

// pin is a cell of the transcript that moves with its row.
type pin struct {
	row  *Row
	line int // of the drawn row; -1 for the blank line above it
	col  int // of the window
}

// Clear removes the selection.
func (s *selection) Clear() { s.from, s.to = nil, nil }

// Begin starts an empty selection at a cell of the window. It reports whether
// that line has text.
func (s *selection) Begin(x, y int) bool {
	s.from = s.pinAt(x, y)
	s.to = s.from
	s.frame = drawing{width: s.view.width, look: s.view.look}
	return s.from != nil
}

// Extend extends the selection to a cell of the window.
func (s *selection) Extend(x, y int) {
	if s.from == nil {
		return
	}
	if p := s.pinAt(x, max(0, min(y, len(s.view.cells)-1))); p != nil {
		s.to = p
	}
}

// pinAt returns a pin for a cell of the window, nil if there is no row.
func (s *selection) pinAt(x, y int) *pin {
	if y < 0 || y >= len(s.view.cells) {
		return nil
	}
	c := s.view.cells[y]
	return &pin{s.view.Pages.row(c.at), c.line, max(x, 0)}
}

// Widen selects the word, or the line, at the start of the selection.
func (s *selection) Widen(line bool) {
	at, ok := s.find(s.from)
	if !ok {
		return
	}
	text := s.line(at)
	from, to := 0, max(ansi.StringWidth(text)-1, 0)
	if !line {
		from, to = ink.WordAt(text, s.from.col)
	}
	row := s.from.row
	s.from, s.to = &pin{row, at.line, from}, &pin{row, at.line, to}
}

// find returns the current line of a pin.
func (s *selection) find(p *pin) (rowLine, bool) {
	if p == nil {
		return rowLine{}, false
	}
	at, ok := s.view.Pages.find(p.row)
	return rowLine{at, p.line}, ok
}

// textRange is a selection in the order of the text.
type textRange struct {
	from, to    rowLine
	left, right int // the first column, and the one after the last
}

// textRange returns the selected range. ok is false if nothing is selected.
func (s *selection) textRange() (r textRange, ok bool) {
	if s.from == nil || s.frame != (drawing{width: s.view.width, look: s.view.look}) || *s.from == *s.to {
		return r, false
	}
	from, ok := s.find(s.from)
	to, also := s.find(s.to)
	a, b := s.from.col, s.to.col
	if to.before(from) || from == to && b < a {
		from, to, a, b = to, from, b, a
	}
	return textRange{from: from, to: to, left: a, right: b + 1}, ok && also
}

// columns returns the selected columns of a line. None are selected if right <= left.
func (r textRange) columns(c rowLine) (left, right int) {
	if c.before(r.from) || r.to.before(c) {
		return 0, 0
	}
	left, right = ink.Gutter, 1<<20
	if c == r.from {
		left = r.left
	}
	if c == r.to {
		right = r.right
	}
	return left, right
}

// highlight draws the selection in the window.
func (s *selection) highlight() {
	r, ok := s.textRange()
	if !ok {
		return
	}
	for i, l := range s.view.Window {
		left, right := r.columns(s.view.cells[i])
		if right = min(right, ansi.StringWidth(l)); right <= left {
			continue
		}
		reversed := lipgloss.NewStyle().Reverse(true).Render(ansi.Strip(ansi.Cut(l, left, right)))
		s.view.Window[i] = ansi.Truncate(l, left, "") + reversed + ansi.TruncateLeft(l, right, "")
	}
}

// line returns a line of the transcript without style, empty if it no longer exists.
func (s *selection) line(c rowLine) string {
	lines, _ := s.view.lines(c.at)
	if c.line < 0 || c.line >= len(lines) {
		return ""
	}
	text := ansi.Strip(lines[c.line])
	if s.view.Pages.row(c.at).class() == prose {
		text = strings.Repeat(" ", ink.Gutter) + text
	}
	return text
}

// Text returns the selected text without the gutter.
func (s *selection) Text() string {
	r, ok := s.textRange()
	if !ok {
		return ""
	}
	var out []string
	for c := r.from; !r.to.before(c); {
		text := s.line(c)
		left, right := r.columns(c)
		if margin := ink.Gutter; hasMargin(text) && strings.TrimSpace(ansi.Cut(text, margin, max(left, margin))) == "" {
			left = margin // only space is left of it
		}
		out = append(out, strings.TrimRight(ansi.Cut(text, left, min(right, max(ansi.StringWidth(text), left))), " "))
		lines, _ := s.view.lines(c.at)
		if c.line++; c.line < len(lines) {
			continue
		}
		next, ok := s.view.Pages.next(c.at)
		if !ok || s.view.Pages.unread(next) {
			break
		}
		c = rowLine{at: next}
		if _, gap := s.view.lines(next); gap == 1 {
			c.line = -1
		}
	}
	return strings.TrimRight(strings.Join(outdent(out), "\n"), "\n")
}

// outdent removes the common indentation of lines.
func outdent(lines []string) []string {
	common := -1
	for _, l := range lines {
		if space := len(l) - len(strings.TrimLeft(l, " ")); l != "" && (common < 0 || space < common) {
			common = space
		}
	}
	for i, l := range lines {
		lines[i] = l[min(len(l), max(common, 0)):]
	}
	return lines
}

// hasMargin reports whether a line starts with the gutter: a mark or a space, then a
// space.
func hasMargin(line string) bool {
	r := []rune(line)
	return len(r) >= ink.Gutter && r[1] == ' ' && (r[0] == ' ' || !unicode.IsLetter(r[0]) && !unicode.IsDigit(r[0]))
}
