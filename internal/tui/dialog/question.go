package dialog

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/review"
)

// lowDialog is the height below which a dialog omits blank lines and shows the
// change before the reason.
const lowDialog = 12

// question draws the first question: a title, a scrolling body and the rows of the
// answers.
type question struct {
	ask   event.Ask
	local *LocalQuestion // nil for a question of the agent
	rows  Rows
	body  body
	st    *ink.Styles
	short func(dir string) string

	place         string // "1 of 2"; empty for a single question
	note          string // the text of a closed comment
	plan          Plan
	review        *review.Review // of the changes, hunk by hunk; nil until the user opens it
	reviewing     bool           // the review is shown
	why           bool           // show the reason for the question
	width, height int
	low           bool // the height is below lowDialog
	tiny          bool // all answers share one line
}

// newQuestion returns a question with the first row marked. If ask has warnings, or a second
// run makes changes that cannot be undone, no row is marked, so that enter cannot approve by
// accident. If the changes of a first run stay, No is marked.
func newQuestion(ask event.Ask, st *ink.Styles, short func(dir string) string, edit func() *editor.Editor) question {
	q := question{ask: ask, plan: newPlan(ask.Plan, edit), rows: RowsOf(ask), body: body{limit: diffLines, change: -1}, st: st, short: short}
	if len(WarningsOf(ask)) > 0 || ask.Rerun && (ask.NotUndoable != "" || ask.Stay != "") {
		q.rows.at = -1
	}
	if ask.Rerun && ask.Stay != "" {
		q.rows.mark(No)
	}
	q.rows.preselect(ask.Form)
	return q
}

// chooses reports whether the question is about a choice or a value, whose rows scroll with
// the body.
func (q *question) chooses() bool { return q.ask.Chooses() }

// resize composes the body for that size unless it is already composed.
func (q *question) resize(width, height int) {
	low := height < lowDialog
	if q.body.lines != nil && !q.chooses() && q.width == width && q.low == low && (!low || q.height == height) {
		return
	}
	q.body.follows = q.body.follows || q.width != width && q.rows.at+q.body.scroll > 0
	q.width, q.height, q.low, q.tiny = width, height, low, false
	q.compose()
	if q.tiny = q.crowded(); q.tiny {
		q.compose()
	}
}

// describe sets the position among the waiting questions and the text of a closed
// comment.
func (q *question) describe(place, note string) {
	if place != q.place || note != q.note {
		q.place, q.note, q.body.lines = place, note, nil
	}
}

// crowded reports whether a low window has too little room for the body if each
// answer has its own row. A command, the arguments of a call or a plan need up to 5 lines.
func (q *question) crowded() bool {
	if !q.low || q.chooses() {
		return false
	}
	least := 1
	if exact(q.ask) || q.ask.Plan != "" {
		least = min(len(q.body.lines), 5)
	}
	q.nameRows()
	rows := q.rows.draw(q.st, q.width, func(Row) bool { return false })
	return q.height-len(rows)-2 < least
}

// title draws the first line: the question and the size of the change or command.
func (q *question) title() string {
	head, right := q.headline()
	return ink.Spread(q.st.Yellow.Render(ink.MarkAsked)+" "+q.st.Bold.Render(head[0]), right, q.width)
}

// headline returns the full text of the question. right goes at the end of the
// first line; the other lines start the body, so that nothing is truncated.
func (q *question) headline() (lines []string, right string) {
	const least = 24 // columns of the question that take precedence over right
	facts := q.size()
	if q.plan.changed() {
		facts = append(facts, "edited")
	}
	if q.place != "" {
		facts = append(facts, q.place)
	}
	right = strings.Join(facts, " · ")
	room := q.width - ink.Gutter
	if w := lipgloss.Width(right) + 2; room-w >= least {
		room -= w
	} else {
		right = ""
	}
	return ink.Wrap(QuestionText(q.ask, q.short), max(room, 1)), right
}

// compose fills the lines of the body.
func (q *question) compose() {
	head, _ := q.headline()
	out := ink.RenderLines(q.st.Bold, slices.Clone(head[1:]))
	for i, l := range out {
		out[i] = "  " + l
	}
	q.body.more, q.body.change = false, -1
	if q.chooses() {
		out = append(out, served{q.ask, q.st}.value(q.width)...)
		q.nameRows()
		rows := q.rows.draw(q.st, q.width, func(Row) bool { return false })
		for i := range q.rows.lines {
			q.rows.lines[i] += len(out)
		}
		q.body.lines = append(out, rows...)
		return
	}
	draw := q.facts
	if q.ask.Plan != "" {
		draw = q.planFacts
	}
	if q.ask.Form != nil {
		draw = func(width, _ int) []string { return served{q.ask, q.st}.page(width) }
	}
	facts := draw(max(q.width-4, 1), len(out))
	for _, l := range facts {
		out = append(out, strings.TrimRight("    "+l, " "))
	}
	q.body.lines = out
}

// facts draws the warnings, command, reason and changes, starting at line at of the
// body.
func (q *question) facts(width, at int) []string {
	var out, warned []string
	for _, w := range WarningsOf(q.ask) {
		warned = append(warned, ink.RenderLines(q.st.Yellow, ink.Wrap("warning: "+ink.Sanitize(w), width))...)
	}
	if text := q.scopeLine(); text != "" { // before the command, which may be long
		warned = append(warned, ink.RenderLines(q.st.Dim, ink.Wrap(text, width))...)
	}
	if !q.tiny { // in a tiny window the command comes first
		out, warned = warned, nil
	}
	for _, t := range q.ask.Targets {
		switch {
		case t.Kind == event.CommandTarget:
			out = append(out, ink.WrapExact(t.Value, width)...)
		case t.Kind == event.MCPTarget:
			out = append(out, ink.WrapExact(t.Input, width)...)
		case t.Kind == event.HostTarget && len(q.ask.Targets) == 1:
			out = append(out, ink.WrapExact(RequestOf(q.ask.Title), width)...)
		}
	}
	if text := ReasonText(q.ask); text != "" {
		out = append(out, ink.Wrap(text, width)...)
	}
	out = append(out, warned...)
	about := q.about(width)
	if !q.low {
		out = append(out, about...)
	}
	out = append(out, q.notes(width, at+len(out))...)
	first := len(out)
	for _, change := range q.diffs() {
		if q.body.more = q.body.more || len(out)-first >= q.body.limit; q.body.more {
			break
		}
		if len(q.ask.Diffs) > 1 || q.local != nil || !namesFile(q.ask) {
			out = append(out, ink.Wrap(ExactLine(change.Path)+"  "+diff.Stat(change), width)...)
		}
		out = append(out, q.change(change, width, at+len(out), q.body.limit-(len(out)-first))...)
	}
	out = append(out, q.kept(width, at+len(out))...)
	out = append(out, q.lineComments(width)...)
	if q.low { // in a low window the change comes first
		out = append(out, about...)
	}
	return out
}

// scopeLine describes what row 2 allows. It is empty if the row itself says it.
func (q *question) scopeLine() string {
	switch exact := ScopeIsCommand(q.ask); {
	case q.scopeFits(), !q.tiny && exact:
		return ""
	case exact:
		return "2 allows exactly this command"
	}
	if q.ask.Project {
		return "2 always allows " + ExactLine(q.ask.Scope)
	}
	return "2 allows in this session: " + ExactLine(q.ask.Scope)
}

// change draws at most limit lines of a diff that starts at line at of the body.
func (q *question) change(change event.Diff, width, at, limit int) []string {
	b := &q.body
	lines := diff.Lines(q.st, change, width, max(limit, 1))
	b.more = b.more || len(lines) >= limit
	if b.change < 0 {
		b.change = at
	}
	return lines
}

// about draws the reason for the question if the user asked for it.
func (q *question) about(width int) []string {
	if ReasonOf(q.ask) == "" || !q.why && !q.ask.AboutTurn() {
		return nil
	}
	return ink.RenderLines(q.st.Dim, ink.Wrap(ink.Sanitize(q.ask.Why), width))
}

// nameRows sets the row texts that depend on the width and on the comment.
func (q *question) nameRows() {
	if q.local != nil {
		return
	}
	for i := range q.rows.All {
		row := &q.rows.All[i]
		switch row.Kind {
		case Yes:
			if q.divided() {
				row.Text = yesRow(q.review)
			}
		case No:
			if q.divided() {
				row.Text = "No" + sends(q.review)
			}
		case Always:
			scope := ExactLine(q.ask.Scope)
			switch {
			case q.scopeFits():
			case ScopeIsCommand(q.ask):
				scope = "this exact command"
			default:
				scope = "the scope shown above"
			}
			row.Text = alwaysRow(q.ask, scope)
		case Comment:
			row.Text = commentRow(q.ask)
			if q.note != "" {
				before, _, _ := strings.Cut(row.Text, ":")
				row.Text = before + ": " + ink.Truncate(ink.SanitizeLine(strings.TrimSpace(q.note)), max(q.width-40, 10))
			}
		}
	}
}

// scopeFits reports whether row 2 has room for its scope.
func (q *question) scopeFits() bool {
	i := q.rows.Digit(2)
	if i < 0 || q.rows.All[i].Kind != Always {
		return true
	}
	return !q.tiny && len(ink.Wrap(alwaysRow(q.ask, ExactLine(q.ask.Scope)), max(q.width-q.rows.headWidth(), 1))) <= 2
}

// mustSee reports whether the user must scroll to the end before approving: for
// commands, calls of MCP servers, warnings, and a scope that does not fit into row 2. Changes can be
// approved without.
func (q *question) mustSee() bool {
	row := q.rows.marked()
	return q.local != nil && q.local.Read || exact(q.ask) || q.ask.Form != nil || len(WarningsOf(q.ask)) > 0 || row != nil && row.Kind == Always && !q.scopeFits()
}

// readable reports whether the user has seen enough to approve.
func (q *question) readable() bool { return q.body.seen || !q.mustSee() && !q.body.hidesChange() }

// visible returns the part of the body that fits in room lines. If lines are
// hidden, the last line says how many. ended says that the user just scrolled to
// the end of a body that must be seen.
func (q *question) visible(room int) (out []string, ended bool) {
	q.body.resize(room)
	q.followMark()
	out, ended = q.body.visible()
	if q.body.cut() && room > 1 {
		out = append(out, q.st.Dim.Render(ink.Truncate("    "+q.below(q.width-4), q.width)))
	}
	return out, ended && q.mustSee()
}

// below returns the line that says how much of the body is below the window, and
// how a long command ends.
func (q *question) below(width int) string {
	more, left := "the end", len(q.body.lines)-q.body.shown-q.body.scroll
	switch {
	case q.body.more:
		more = "many more lines below"
	case left > 0:
		more = phrase.Count(left, "more line") + " below"
	}
	hint := more + " · pgup and pgdn scroll"
	if lipgloss.Width(hint) > width {
		hint = more + " · pgup, pgdn"
	}
	c := commandOf(q.ask)
	if c == nil || left <= 0 {
		return hint
	}
	command := strings.TrimRight(c.Value, " \n")
	last := ExactLine(strings.TrimSpace(command[strings.LastIndexByte(command, '\n')+1:]))
	const least = 20 // columns of the command that take precedence over the key hint
	ends := more + " (pgdn) · ends: "
	if width-lipgloss.Width(ends) < least {
		ends = fmt.Sprintf("%d below · ends: ", left)
	}
	if over := lipgloss.Width(last) - max(width-lipgloss.Width(ends), 1); over > 0 {
		last = ansi.TruncateLeft(last, over+1, "…")
	}
	return ink.Truncate(ends+last, width)
}

// followMark scrolls to the marked choice after the marker moved.
func (q *question) followMark() {
	at, lines := q.rows.at, q.rows.lines
	if q.body.follows && q.chooses() && at >= 0 && at+1 < len(lines) {
		q.body.follow(lines[at], lines[at+1])
	}
	q.body.follows = false
}

// rowAt returns the row drawn in line y of the dialog, or a negative number for
// none. first is the line where the rows of an approval begin.
func (q *question) rowAt(y, first int) int {
	switch {
	case q.tiny:
		return -1
	case !q.chooses():
		return q.rows.rowAt(y - first)
	case y < 1 || y > q.body.shown:
		return -1
	}
	return q.rows.rowAt(y - 1 + q.body.scroll)
}

// approvalRows draws the rows of an approval, below a blank line if there is room.
// dim reports the rows that cannot be chosen now.
func (q *question) approvalRows(dim func(Row) bool) []string {
	q.nameRows()
	if q.tiny {
		return []string{q.rows.line(q.st, q.width, dim)}
	}
	rows := q.rows.draw(q.st, q.width, dim)
	if !q.spaced() {
		return rows
	}
	return append([]string{""}, rows...)
}

// spaced reports whether a blank line separates the body from the rows.
func (q *question) spaced() bool { return !q.low && !q.tiny && len(q.body.lines) > 0 }
