package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// foot is what stands below the body: the rows of an approval, the comment while
// it is typed, and the keys.
func (d *Dialog) foot(width int) (lines []string, cursor *tea.Cursor) {
	d.rowsAt, d.Comment.line = 0, 0
	if len(d.Asks[0].Choices) == 0 && !(d.low && d.Comment.Open) {
		lines = d.approvalRows(width)
	}
	if d.Comment.Open {
		d.Comment.line = len(lines)
		var typed []string
		typed, cursor = d.Comment.lines(width)
		cursor.Y += len(lines)
		lines = append(lines, typed...)
	}
	return append(lines, d.st.Dim.Render(ink.Truncate("  "+d.hints(width-ink.Gutter), width))), cursor
}

// approvalRows draws the rows of an approval, below a blank line where there is
// room.
func (d *Dialog) approvalRows(width int) []string {
	d.nameRows(width)
	dim := func(row Row) bool {
		yes := row.Kind == Yes || row.Kind == Always
		return !d.Arming.Ready || yes && (!d.seen && !d.readable() || !d.end.over(d.now()))
	}
	if d.tiny {
		return []string{d.rows.line(d.st, width, dim)}
	}
	rows := d.rows.draw(d.st, width, dim)
	if d.low || len(d.Body) == 0 {
		return rows
	}
	d.rowsAt = 1
	return append([]string{""}, rows...)
}

// nameRows gives the rows whose texts depend on the width and on the comment
// their texts.
func (d *Dialog) nameRows(width int) {
	ask := d.Asks[0]
	for i := range d.rows.All {
		row := &d.rows.All[i]
		switch row.Kind {
		case Always:
			row.Text = "Yes, and allow " + ExactLine(ask.Scope) + " in this session"
			switch {
			case d.scopeFits():
			case ScopeIsCommand(ask):
				row.Text = "Yes, and allow this exact command in this session"
			default:
				row.Text = "Yes, and allow the scope shown above in this session"
			}
		case Comment:
			row.Text = commentRow(ask)
			if !d.Comment.Open && !d.Comment.Blank() {
				before, _, _ := strings.Cut(row.Text, ":")
				row.Text = before + ": " + ink.Truncate(ink.SanitizeLine(strings.TrimSpace(d.Comment.Text())), max(width-40, 10))
			}
		}
	}
}

// unread says how to read the rest of what a yes approves.
func (d *Dialog) unread() string {
	if d.shown == 0 {
		return "enlarge the window to read the command"
	}
	return "pgdn or end: read to the end first"
}

// hints are the keys that mean something now, as many as fit.
func (d *Dialog) hints(width int) string {
	switch {
	case d.hint != "":
		return d.hint
	case d.Arming.Ready && d.shown == 0 && !d.readable():
		return d.unread()
	case d.Behind:
		return "the question waits until the search is closed"
	case !d.Arming.Ready && d.Arming.Next, d.Arming.Ready && d.Held.ignores(d.now()):
		return "keys are ignored for a moment"
	case !d.Arming.Ready:
		return "keys go to your draft until you pause"
	case d.Comment.Open && len(d.Asks[0].Choices) > 0:
		return joinFitting(width, d.keys.Name(keys.Send)+" answer", "esc back")
	case d.Comment.Open:
		return joinFitting(width, d.keys.Name(keys.Send)+" reject and send", "esc back")
	case d.Typing:
		return joinFitting(width, "text continues your draft", "↑↓ or "+d.digits()+", then enter", "esc interrupt")
	}
	ask := d.Asks[0]
	if len(ask.Choices) > 0 {
		parts := []string{"↑↓ enter", d.digits(), "type your answer", "esc interrupt"}
		if ask.Many {
			parts = []string{"space or digit select", "enter answer", "type your answer", "esc interrupt"}
		}
		return joinFitting(width, parts...)
	}
	parts := []string{"↑↓ enter", d.digits()}
	switch {
	case !d.readable():
		parts = []string{d.unread(), "3 4"}
	case !d.end.over(d.now()):
		parts = []string{"yes is ignored for a moment", "3 4"}
	}
	return joinFitting(width, append(parts, d.lookHints()...)...)
}

// lookHints are the keys that look at the question closer, and the one that
// leaves it.
func (d *Dialog) lookHints() (parts []string) {
	ask, stop := d.Asks[0], "esc reject and interrupt"
	if len(d.hunks) > 1 && d.shown < len(d.Body) {
		parts = append(parts, "tab hunks")
	}
	switch {
	case d.Full:
		stop = "esc close"
	case d.shown < len(d.Body):
		parts = append(parts, "ctrl+g full view")
	}
	if ask.AboutTurn() {
		stop = "esc interrupt"
	} else if WhyOf(ask) != "" {
		parts = append(parts, "? why")
	}
	return append(parts, stop)
}

// digits names the digits of the rows: "1–4", or "1 3 4" if some are missing.
func (d *Dialog) digits() string {
	all := d.rows.All
	first, last := all[0].Digit, all[len(all)-1].Digit
	if last-first+1 == len(all) {
		return digit(first) + "–" + digit(last)
	}
	var out []string
	for _, row := range all {
		out = append(out, digit(row.Digit))
	}
	return strings.Join(out, " ")
}

func digit(n int) string { return string(rune('0' + n)) }

// joinFitting joins hints. Where not all fit, those before the last one are left
// out, from the end.
func joinFitting(width int, parts ...string) string {
	for len(parts) > 1 && lipgloss.Width(strings.Join(parts, " · ")) > width {
		parts = append(parts[:len(parts)-2:len(parts)-2], parts[len(parts)-1])
	}
	return strings.Join(parts, " · ")
}

// rowAt returns the row that is drawn in a line of the dialog, negative for none.
func (d *Dialog) rowAt(y int) int {
	if d.tiny {
		return -1
	}
	if len(d.Asks[0].Choices) > 0 {
		if y < 1 || y > d.shown {
			return -1
		}
		return d.rows.rowAt(y - 1 + d.Scroll)
	}
	return d.rows.rowAt(y - d.rowsAt)
}

// pressScroll takes a key that scrolls. It reports whether it is one.
func (d *Dialog) pressScroll(k string) bool {
	page := max(d.shown-1, 1)
	switch k {
	case "pgup":
		d.Roll(-page)
	case "pgdown":
		d.Roll(page)
	case "home":
		d.Roll(-len(d.Body))
	case "end":
		d.Roll(len(d.Body))
	default:
		return false
	}
	return true
}

// Roll scrolls by so many lines, up if they are less than 0.
func (d *Dialog) Roll(by int) {
	if by > 0 && d.Scroll >= len(d.Body)-d.shown && d.more {
		d.deep, d.Body = 4*d.deep, nil
	}
	d.Scroll = max(d.Scroll+by, 0)
}

// nextHunk scrolls to the next hunk of a change, from the last one to the first.
func (d *Dialog) nextHunk() {
	for {
		last := len(d.Body) - d.shown
		for _, at := range d.hunks {
			if at > d.Scroll && d.Scroll < last {
				d.Scroll = at
				return
			}
		}
		if !d.more {
			break
		}
		d.deep *= 4
		d.Body = d.makeBody(max(d.width-4, 1))
	}
	d.Scroll = 0
}

// previousHunk scrolls to the hunk before, from the first one to the last.
func (d *Dialog) previousHunk() {
	last := len(d.Body) - d.shown
	to := -1
	for _, at := range d.hunks {
		if at = min(at, last); at < d.Scroll || d.Scroll == 0 {
			to = max(to, at)
		}
	}
	d.Scroll = max(to, 0)
}
