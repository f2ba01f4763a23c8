package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// foot is what stands below the body: the rows of an approval, the comment while
// it is typed, and the keys.
func (d *dialog) foot(width int) (lines []string, cursor *tea.Cursor) {
	d.rowsAt, d.comment.line = 0, 0
	if len(d.asks[0].Choices) == 0 && !(d.low && d.comment.open) {
		lines = d.approvalRows(width)
	}
	if d.comment.open {
		d.comment.line = len(lines)
		var typed []string
		typed, cursor = d.comment.lines(width)
		cursor.Y += len(lines)
		lines = append(lines, typed...)
	}
	return append(lines, d.st.Dim.Render(ink.Truncate("  "+d.hints(width-ink.Gutter), width))), cursor
}

// approvalRows draws the rows of an approval, below a blank line where there is
// room.
func (d *dialog) approvalRows(width int) []string {
	d.nameRows(width)
	dim := func(row answerRow) bool {
		yes := row.kind == answerYes || row.kind == answerAlways
		return !d.arming.ready || yes && (!d.seen && !d.readable() || !d.end.over(d.now()))
	}
	if d.tiny {
		return []string{d.rows.line(d.st, width, dim)}
	}
	rows := d.rows.draw(d.st, width, dim)
	if d.low || len(d.body) == 0 {
		return rows
	}
	d.rowsAt = 1
	return append([]string{""}, rows...)
}

// nameRows gives the rows whose texts depend on the width and on the comment
// their texts.
func (d *dialog) nameRows(width int) {
	ask := d.asks[0]
	for i := range d.rows.all {
		row := &d.rows.all[i]
		switch row.kind {
		case answerAlways:
			row.text = "Yes, and allow " + exactLine(ask.Scope) + " in this session"
			switch {
			case d.scopeFits():
			case scopeIsCommand(ask):
				row.text = "Yes, and allow this exact command in this session"
			default:
				row.text = "Yes, and allow the scope shown above in this session"
			}
		case answerComment:
			row.text = commentRow(ask)
			if !d.comment.open && !d.comment.blank() {
				before, _, _ := strings.Cut(row.text, ":")
				row.text = before + ": " + ink.Truncate(ink.SanitizeLine(strings.TrimSpace(d.comment.text())), max(width-40, 10))
			}
		}
	}
}

// unread says how to read the rest of what a yes approves.
func (d *dialog) unread() string {
	if d.shown == 0 {
		return "enlarge the window to read the command"
	}
	return "pgdn or end: read to the end first"
}

// hints are the keys that mean something now, as many as fit.
func (d *dialog) hints(width int) string {
	switch {
	case d.hint != "":
		return d.hint
	case d.arming.ready && d.shown == 0 && !d.readable():
		return d.unread()
	case d.behind:
		return "the question waits until the search is closed"
	case !d.arming.ready && d.arming.next, d.arming.ready && d.held.ignores(d.now()):
		return "keys are ignored for a moment"
	case !d.arming.ready:
		return "keys go to your draft until you pause"
	case d.comment.open && len(d.asks[0].Choices) > 0:
		return joinFitting(width, d.keys.Name(keys.Send)+" answer", "esc back")
	case d.comment.open:
		return joinFitting(width, d.keys.Name(keys.Send)+" reject and send", "esc back")
	case d.typing:
		return joinFitting(width, "text continues your draft", "↑↓ or "+d.digits()+", then enter", "esc interrupt")
	}
	ask := d.asks[0]
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
func (d *dialog) lookHints() (parts []string) {
	ask, stop := d.asks[0], "esc reject and interrupt"
	if len(d.hunks) > 1 && d.shown < len(d.body) {
		parts = append(parts, "tab hunks")
	}
	switch {
	case d.full:
		stop = "esc close"
	case d.shown < len(d.body):
		parts = append(parts, "ctrl+g full view")
	}
	if ask.AboutTurn() {
		stop = "esc interrupt"
	} else if whyOf(ask) != "" {
		parts = append(parts, "? why")
	}
	return append(parts, stop)
}

// digits names the digits of the rows: "1–4", or "1 3 4" if some are missing.
func (d *dialog) digits() string {
	all := d.rows.all
	first, last := all[0].digit, all[len(all)-1].digit
	if last-first+1 == len(all) {
		return digit(first) + "–" + digit(last)
	}
	var out []string
	for _, row := range all {
		out = append(out, digit(row.digit))
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
func (d *dialog) rowAt(y int) int {
	if d.tiny {
		return -1
	}
	if len(d.asks[0].Choices) > 0 {
		if y < 1 || y > d.shown {
			return -1
		}
		return d.rows.rowAt(y - 1 + d.scroll)
	}
	return d.rows.rowAt(y - d.rowsAt)
}

// pressScroll takes a key that scrolls. It reports whether it is one.
func (d *dialog) pressScroll(k string) bool {
	page := max(d.shown-1, 1)
	switch k {
	case "pgup":
		d.roll(-page)
	case "pgdown":
		d.roll(page)
	case "home":
		d.roll(-len(d.body))
	case "end":
		d.roll(len(d.body))
	default:
		return false
	}
	return true
}

// roll scrolls by so many lines, up if they are less than 0.
func (d *dialog) roll(by int) {
	if by > 0 && d.scroll >= len(d.body)-d.shown && d.more {
		d.deep, d.body = 4*d.deep, nil
	}
	d.scroll = max(d.scroll+by, 0)
}

// nextHunk scrolls to the next hunk of a change, from the last one to the first.
func (d *dialog) nextHunk() {
	for {
		last := len(d.body) - d.shown
		for _, at := range d.hunks {
			if at > d.scroll && d.scroll < last {
				d.scroll = at
				return
			}
		}
		if !d.more {
			break
		}
		d.deep *= 4
		d.body = d.makeBody(max(d.width-4, 1))
	}
	d.scroll = 0
}

// previousHunk scrolls to the hunk before, from the first one to the last.
func (d *dialog) previousHunk() {
	last := len(d.body) - d.shown
	to := -1
	for _, at := range d.hunks {
		if at = min(at, last); at < d.scroll || d.scroll == 0 {
			to = max(to, at)
		}
	}
	d.scroll = max(to, 0)
}
