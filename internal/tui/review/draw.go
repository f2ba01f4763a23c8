package review

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
)

// view is the visible part of the current hunk. Lines are drawn only when they come into
// view, because a new file can be long.
type view struct {
	rows    *diff.Rows // nil if they must be made
	width   int
	height  int  // number of visible lines
	top     spot // the first visible line
	follows bool // scroll the current line into view
	typing  int  // the line at which an open comment begins
}

// spot is a drawn line: one of those of a row.
type spot struct{ row, line int }

// gutter is the width of the mark before each line.
const gutter = 4

// Lines draws the current hunk in at most height lines, and returns the cursor of a
// comment that is being typed.
func (r *Review) Lines(width, height int) ([]string, *tea.Cursor) {
	v := &r.view
	if v.rows == nil || v.width != width {
		v.rows, v.width, v.follows = diff.NewRows(r.st, r.shown(), max(width-gutter, 2)), width, true
	}
	var typed []string
	var cursor *tea.Cursor
	if r.comment != nil {
		r.comment.Resize(width, min(editor.MaxLines, max(height/2, 1)))
		typed, cursor = r.comment.Lines()
	}
	out := r.head(width)
	v.height = max(height-len(out)-len(typed), 1)
	if v.follows {
		r.follow()
	}
	body := r.body()
	out = append(out, body...)
	if cursor != nil {
		v.typing = len(out)
		cursor.Y += len(out)
	}
	return append(out, typed...), cursor
}

// head draws the line above the hunk: its place, its file and the decision.
func (r *Review) head(width int) []string {
	p := r.current()
	d := r.diffs[p.file]
	path := d.Path
	switch {
	case r.target(d) >= 0:
		path = d.Moved + " → " + path
	case d.Created:
		path += " (new)"
	case d.Deleted:
		path += " (deleted)"
	}
	state := r.st.Green.Render(r.terms.Accept.Done)
	switch {
	case p.rejected:
		state = r.st.Red.Render(r.terms.Reject.Done)
	case p.edited != "":
		state = r.st.Yellow.Render("edited")
	}
	place := fmt.Sprintf("hunk %d of %d · ", r.at+1, len(r.hunks))
	room := max(width-ink.Gutter-lipgloss.Width(place)-max(len(r.terms.Accept.Done), len(r.terms.Reject.Done))-2, 1)
	left := "  " + place + r.st.Bold.Render(ink.Truncate(ink.MarkSpaces(ink.Exact(path)), room))
	return []string{ink.Spread(left, state, width)}
}

// drawn draws a row with its comment below.
func (r *Review) drawn(i int) []string {
	lines := r.view.rows.Lines(i)
	p := r.current()
	if p.edited != "" || i >= len(p.hunk.Lines) {
		return lines
	}
	c, ok := placeOf(p.hunk.Lines[i])
	at := p.find(c)
	if !ok || at < 0 {
		return lines
	}
	return append(lines, r.drawComment(p.comments[at])...)
}

// drawComment draws a comment.
func (r *Review) drawComment(c event.LineComment) []string {
	const lead = "  " + ink.MarkUser + " "
	var out []string
	for i, l := range ink.Wrap(ink.Sanitize(c.Text), max(r.view.width-gutter-lipgloss.Width(lead), 1)) {
		mark := lead
		if i > 0 {
			mark = "    "
		}
		out = append(out, r.st.Yellow.Render(mark)+l)
	}
	return out
}

// body draws the visible lines.
func (r *Review) body() []string {
	v := &r.view
	var out []string
	at := v.top
	for at.row < v.rows.Len() && len(out) < v.height {
		lines := r.drawn(at.row)
		for ; at.line < len(lines) && len(out) < v.height; at.line++ {
			mark := strings.Repeat(" ", gutter)
			if at.row == r.line && at.line == 0 && len(r.lines()) > 0 {
				mark = "  " + r.st.Cyan.Render(ink.MarkRow) + " "
			}
			out = append(out, mark+lines[at.line])
		}
		if at.line == len(lines) {
			at = spot{row: at.row + 1}
		}
	}
	if r.current().rejected {
		for i, l := range out {
			out[i] = r.st.Dim.Render(ansi.Strip(l))
		}
	}
	return out
}

// follow scrolls the current line into view.
func (r *Review) follow() {
	v := &r.view
	v.follows = false
	v.top.row = min(v.top.row, max(v.rows.Len()-1, 0))
	if r.line < v.top.row || r.line == v.top.row && v.top.line > 0 {
		v.top = spot{row: r.line}
		return
	}
	// The highest top from which the whole line is visible.
	top, room := spot{row: r.line}, v.height-len(r.drawn(r.line))
	for room > 0 && top.row > 0 {
		n := len(r.drawn(top.row - 1))
		if n > room {
			top = spot{top.row - 1, n - room}
			break
		}
		top, room = spot{row: top.row - 1}, room-n
	}
	if v.top.row < top.row || v.top.row == top.row && v.top.line < top.line {
		v.top = top
	}
}

// Scroll scrolls by that many lines, up if negative. The current line stays.
func (r *Review) Scroll(by int) {
	v := &r.view
	if v.rows == nil {
		return
	}
	for ; by > 0 && r.below(v.height); by-- {
		if v.top.line++; v.top.line >= len(r.drawn(v.top.row)) {
			v.top = spot{row: v.top.row + 1}
		}
	}
	for ; by < 0 && v.top != (spot{}); by++ {
		if v.top.line--; v.top.line < 0 {
			v.top = spot{row: v.top.row - 1}
			v.top.line = len(r.drawn(v.top.row)) - 1
		}
	}
}

// below reports whether there are more than height lines from the top.
func (r *Review) below(height int) bool {
	n := -r.view.top.line
	for i := r.view.top.row; i < r.view.rows.Len(); i++ {
		if n += len(r.drawn(i)); n > height {
			return true
		}
	}
	return false
}

// Click makes the line at a cell of Lines the current one, or places the cursor in the
// comment that is being typed.
func (r *Review) Click(x, y int) {
	if r.comment != nil {
		if y >= r.view.typing {
			r.comment.PlaceCaret(x, y-r.view.typing)
		}
		return
	}
	v := &r.view
	if y -= 1; v.rows == nil || y < 0 || y >= v.height {
		return
	}
	for at := v.top; at.row < min(v.rows.Len(), len(r.lines())); at = (spot{row: at.row + 1}) {
		n := len(r.drawn(at.row)) - at.line
		if y < n {
			r.line = at.row
			return
		}
		y -= n
	}
}

// Hints returns the key hints, the most important ones first and the one that must not be
// omitted last.
func (r *Review) Hints() []string {
	switch {
	case r.hint != "":
		return []string{r.hint}
	case r.comment != nil:
		return []string{"esc discard", "enter keep"}
	}
	t := r.terms
	hints := []string{t.Accept.Key + " " + t.Accept.Verb, t.Reject.Key + " " + t.Reject.Verb}
	if len(r.hunks) > 1 {
		hints = append(hints, "tab next")
	}
	if t.Bare {
		return append(hints, "esc done")
	}
	hints = append(hints, "c comment")
	if r.current().edited != "" {
		hints = append(hints, "u undo edit")
	}
	if !r.current().hunk.Fixed {
		hints = append(hints, "e $EDITOR")
	}
	return append(hints, "esc done")
}
