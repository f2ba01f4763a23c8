package transcript

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
)

// pin is a cell of the transcript, which keeps to the text that it stands on
// whatever is added above or below.
type pin struct {
	row  *Row
	line int // of the row as it is drawn; -1 is the blank one above it
	col  int // of the window
}

// lineAt is where a line of the window comes from.
type lineAt struct {
	at   Position
	line int
}

// Selection is what is marked in the transcript, from one cell to another, both
// of which belong to it. It ends when one of its rows does.
type Selection struct {
	from, to *pin
	frame    struct{ width, look int } // that it was made in
}

// BeginSelection marks nothing yet, from that cell of the window on. It reports
// whether there is something at it.
func (t *Transcript) BeginSelection(x, y int) bool {
	t.Selection = Selection{}
	p := t.placeAt(x, y)
	if p == nil {
		return false
	}
	t.Selection = Selection{from: p, to: p}
	t.Selection.frame.width, t.Selection.frame.look = t.width, t.look
	return true
}

// ExtendSelection marks as far as that cell.
func (t *Transcript) ExtendSelection(x, y int) {
	if t.Selection.from == nil || len(t.cells) == 0 {
		return
	}
	if p := t.placeAt(x, max(0, min(y, len(t.cells)-1))); p != nil {
		t.Selection.to = p
	}
}

// placeAt returns what stands at a cell of the window, if something does.
func (t *Transcript) placeAt(x, y int) *pin {
	if y < 0 || y >= len(t.cells) {
		return nil
	}
	c := t.cells[y]
	return &pin{t.Pages[c.at.Page].Rows[c.at.row], c.line, max(x, 0)}
}

// WidenSelection marks the word at the cell that the selection began with, or the line.
func (t *Transcript) WidenSelection(line bool) {
	at, ok := t.where(t.Selection.from)
	if !ok {
		return
	}
	text := t.textAt(at)
	from, to := 0, max(ansi.StringWidth(text)-1, 0)
	if !line {
		from, to = ink.WordAt(text, t.Selection.from.col)
	}
	t.Selection.from = &pin{t.Selection.from.row, at.line, from}
	t.Selection.to = &pin{t.Selection.from.row, at.line, to}
}

// where returns the cell's place among the rows that are there now.
func (t *Transcript) where(p *pin) (lineAt, bool) {
	if p == nil {
		return lineAt{}, false
	}
	for i, leaf := range t.Pages {
		for j, r := range leaf.Rows {
			if r == p.row {
				return lineAt{Position{i, j}, p.line}, true
			}
		}
	}
	return lineAt{}, false
}

// before reports whether c comes before o.
func (c lineAt) before(o lineAt) bool {
	switch {
	case c.at.Page != o.at.Page:
		return c.at.Page < o.at.Page
	case c.at.row != o.at.row:
		return c.at.row < o.at.row
	}
	return c.line < o.line
}

// stretch is a selection in the order of the text.
type stretch struct {
	from, to       lineAt
	left, right    int // the first column, and the one behind the last
	empty, missing bool
}

func (t *Transcript) stretched() stretch {
	if t.Selection.from == nil || t.Selection.frame.width != t.width || t.Selection.frame.look != t.look {
		return stretch{missing: true}
	}
	from, ok := t.where(t.Selection.from)
	to, also := t.where(t.Selection.to)
	if !ok || !also {
		return stretch{missing: true}
	}
	a, b := t.Selection.from.col, t.Selection.to.col
	if to.before(from) || from == to && b < a {
		from, to, a, b = to, from, b, a
	}
	return stretch{from: from, to: to, left: a, right: b + 1, empty: *t.Selection.from == *t.Selection.to}
}

// span returns which columns of a line are marked, none if right is not beyond
// left.
func (m stretch) span(c lineAt) (left, right int) {
	if m.missing || m.empty || c.before(m.from) || m.to.before(c) {
		return 0, 0
	}
	left, right = ink.Gutter, 1<<20
	if c == m.from {
		left = m.left
	}
	if c == m.to {
		right = m.right
	}
	return left, right
}

// showSelection marks the lines of the window.
func (t *Transcript) showSelection() {
	m := t.stretched()
	if m.missing || m.empty {
		return
	}
	for i, l := range t.Window {
		left, right := m.span(t.cells[i])
		if right = min(right, ansi.StringWidth(l)); right <= left {
			continue
		}
		reversed := lipgloss.NewStyle().Reverse(true).Render(ansi.Strip(ansi.Cut(l, left, right)))
		t.Window[i] = ansi.Truncate(l, left, "") + reversed + ansi.TruncateLeft(l, right, "")
	}
}

// textAt returns a line of the transcript without its looks, nothing for one
// that is not there any more.
func (t *Transcript) textAt(c lineAt) string {
	lines, _ := t.lines(c.at)
	if c.line < 0 || c.line >= len(lines) {
		return ""
	}
	text := ansi.Strip(lines[c.line])
	if t.Pages[c.at.Page].Rows[c.at.row].Class() == Prose {
		text = strings.Repeat(" ", ink.Gutter) + text
	}
	return text
}

// Selected returns what is marked, without the marks and the margin of the
// gutter.
func (t *Transcript) Selected() string {
	m := t.stretched()
	if m.missing || m.empty {
		return ""
	}
	var out []string
	for c := m.from; !m.to.before(c); {
		text := t.textAt(c)
		left, right := m.span(c)
		if margin := ink.Gutter; hasMargin(text) && strings.TrimSpace(ansi.Cut(text, margin, max(left, margin))) == "" {
			left = margin // nothing but space is left of it
		}
		out = append(out, strings.TrimRight(ansi.Cut(text, left, min(right, max(ansi.StringWidth(text), left))), " "))
		lines, _ := t.lines(c.at)
		if c.line++; c.line < len(lines) {
			continue
		}
		next, ok := t.next(c.at)
		if !ok || t.unread(next) {
			break
		}
		c = lineAt{at: next}
		if _, gap := t.lines(next); gap == 1 {
			c.line = -1
		}
	}
	return strings.TrimRight(strings.Join(outdent(out), "\n"), "\n")
}

// outdent takes the space away that all lines begin with.
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

// hasMargin reports whether a line begins with the gutter: a mark or nothing,
// and a space.
func hasMargin(line string) bool {
	r := []rune(line)
	return len(r) >= ink.Gutter && r[1] == ' ' && (r[0] == ' ' || !unicode.IsLetter(r[0]) && !unicode.IsDigit(r[0]))
}
