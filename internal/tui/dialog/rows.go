package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Kind is the meaning of a row.
type Kind int

// The kinds of rows.
const (
	Yes     Kind = iota // approve once; a plan has one such row for each mode
	Always              // approve, and always allow the scope
	No                  // reject; for a question of the model: let the model decide
	Comment             // reject with a reason; for a question of the model: type an answer
	Choice              // one of the model's choices
	Copy                // copy the URL of a page
	Skip                // send no value to an MCP server
)

// Row is one of the answers to a question.
type Row struct {
	Digit         int
	Kind          Kind
	Text, Explain string // not sanitized
	Short         string // the text in a tiny window; empty for that of the kind

	Mode event.Mode // in which the turn continues after a plan is approved
}

// Rows holds the answers to a question and the marker. Approvals, questions of the
// model and plain mode use the same rows.
type Rows struct {
	All    []Row
	at     int   // index of the marked row, negative for none
	many   bool  // several choices may be selected
	typed  bool  // digits are typed and select no row
	picked []int // indexes of the selected choices, sorted
	lines  []int // first line of each row in the last drawing, and the end of the last row
}

// RowsOf returns the rows of a question, with the first one marked.
func RowsOf(ask event.Ask) Rows {
	r := Rows{many: ask.Many}
	switch {
	case ask.Form.AsksValue():
		r.All, r.typed = valueRows(ask), ask.Form.Typed
	case len(ask.Choices) > 0:
		for i, c := range ask.Choices {
			r.All = append(r.All, Row{Digit: i + 1, Kind: Choice, Text: c.Text, Explain: c.Explain})
		}
		n := len(ask.Choices)
		r.All = append(r.All, Row{Digit: n + 1, Kind: Comment, Text: commentRow(ask)},
			Row{Digit: n + 2, Kind: No, Text: "Let the model decide"})
	case ask.Plan != "":
		r.All = planRows()
	case ask.Form != nil:
		r.All = pageRows()
	default:
		yes := Row{Digit: 1, Kind: Yes, Text: "Yes"}
		if confirmsAgent(ask) { // as in /trust
			yes.Text, yes.Short = "Confirm this content in this workspace", "Confirm"
		}
		r.All = append(r.All, yes)
		if ask.Scope != "" {
			r.All = append(r.All, Row{Digit: 2, Kind: Always, Text: alwaysRow(ask, ask.Scope)})
		}
		r.All = append(r.All, Row{Digit: 3, Kind: No, Text: "No"})
		if !ask.AboutTurn() {
			r.All = append(r.All, Row{Digit: 4, Kind: Comment, Text: commentRow(ask)})
		}
	}
	return r
}

// alwaysRow returns the text of the row that always allows scope.
func alwaysRow(ask event.Ask, scope string) string {
	if ask.Project { // the scope names the project
		return "Yes, and always allow " + scope
	}
	return "Yes, and allow " + scope + " in this session"
}

// commentRow returns the text of the row for a comment.
func commentRow(ask event.Ask) string {
	switch {
	case ask.Form != nil:
		return "Type your answer"
	case len(ask.Choices) > 0:
		return "Something else: type your answer"
	case ask.Plan != "":
		return planCommentRow
	}
	return "No, and tell the model why"
}

// marked returns the marked row, nil if there is none.
func (r *Rows) marked() *Row {
	if r.at < 0 || r.at >= len(r.All) {
		return nil
	}
	return &r.All[r.at]
}

// hint says how to answer with the marker. Without one, enter does nothing.
func (r *Rows) hint() string {
	if r.marked() == nil {
		return "↑↓ select"
	}
	return "↑↓ enter"
}

// move moves the marker. Without one, it goes to the first row or the last.
func (r *Rows) move(by int) {
	if r.at < 0 && by < 0 {
		r.at = len(r.All)
	}
	r.at = max(0, min(r.at+by, len(r.All)-1))
}

// mark moves the marker to the first row of that kind and reports whether there is one.
func (r *Rows) mark(kind Kind) bool {
	i := slices.IndexFunc(r.All, func(a Row) bool { return a.Kind == kind })
	if i >= 0 {
		r.at = i
	}
	return i >= 0
}

// drop removes the rows of that kind.
func (r *Rows) drop(kind Kind) {
	r.All = slices.DeleteFunc(r.All, func(a Row) bool { return a.Kind == kind })
}

// Digit returns the index of the row with digit n, negative if there is none.
func (r *Rows) Digit(n int) int {
	return slices.IndexFunc(r.All, func(a Row) bool { return a.Digit == n })
}

// selects reports whether the marked row is a choice of a multiple-choice question.
func (r *Rows) selects() bool {
	row := r.marked()
	return r.many && row != nil && row.Kind == Choice
}

// toggle selects the marked choice or deselects it.
func (r *Rows) toggle() {
	if i := slices.Index(r.picked, r.at); i >= 0 {
		r.picked = slices.Delete(r.picked, i, i+1)
		return
	}
	r.picked = append(r.picked, r.at)
	slices.Sort(r.picked)
}

// rowAt returns the row in that line of the last drawing, negative for none.
func (r *Rows) rowAt(line int) int {
	for i := len(r.lines) - 2; i >= 0; i-- {
		if r.lines[i] <= line && line < r.lines[i+1] {
			return i
		}
	}
	return -1
}

// draw draws the rows. dim reports the rows that cannot be chosen now.
func (r *Rows) draw(st *ink.Styles, width int, dim func(Row) bool) []string {
	name := r.nameWidth(width - r.headWidth())
	var out []string
	r.lines = r.lines[:0]
	for i, row := range r.All {
		r.lines = append(r.lines, len(out))
		head := r.head(st, i)
		for j, l := range r.text(st, row, name, max(width-r.headWidth(), 1)) {
			if j > 0 {
				head = strings.Repeat(" ", r.headWidth())
			}
			if dim(row) {
				l = st.Dim.Render(l)
			}
			out = append(out, head+l)
		}
	}
	r.lines = append(r.lines, len(out))
	return ink.TrimLines(out)
}

// line draws the rows of an approval in one line, for a tiny window.
func (r *Rows) line(st *ink.Styles, width int, dim func(Row) bool) string {
	names := map[Kind]string{Yes: "Yes", Always: "Always", No: "No", Comment: "Why"}
	planNames := map[event.Mode]string{event.ModeAuto: "Auto", event.ModeAsk: "Ask"}
	out := " "
	for i, row := range r.All {
		mark, text := " ", strconv.Itoa(row.Digit)+" "+cmp.Or(row.Short, planNames[row.Mode], names[row.Kind])
		if i == r.at {
			mark = st.Cyan.Render(ink.MarkRow)
		}
		if dim(row) {
			text = st.Dim.Render(text)
		}
		out += mark + text + " "
	}
	return ink.Truncate(strings.TrimRight(out, " "), width)
}

// text draws a row without its head: the explanation next to the name, or below it
// if name is 0.
func (r *Rows) text(st *ink.Styles, row Row, name, width int) []string {
	text, explain := ink.SanitizeLine(row.Text), ink.SanitizeLine(row.Explain)
	if name > 0 && explain != "" {
		return []string{text + strings.Repeat(" ", max(name-lipgloss.Width(text), 0)+2) + st.Dim.Render(explain)}
	}
	lines := ink.Wrap(text, width)
	if explain != "" {
		lines = append(lines, ink.RenderLines(st.Dim, ink.Wrap(explain, width))...)
	}
	return lines
}

// nameWidth returns the width of the column of names, or 0 if some explanation does
// not fit next to it.
func (r *Rows) nameWidth(width int) int {
	name := 0
	for _, row := range r.All {
		if row.Kind == Choice {
			name = max(name, lipgloss.Width(ink.SanitizeLine(row.Text)))
		}
	}
	for _, row := range r.All {
		if row.Kind == Choice && name+2+lipgloss.Width(ink.SanitizeLine(row.Explain)) > width {
			return 0
		}
	}
	return name
}

// headWidth returns the width of head.
func (r *Rows) headWidth() int {
	width := len("  > 1  ") + len(r.digit(len(r.All)-1)) - 1
	if r.many {
		width += len("[x]")
	}
	return width
}

// digit returns the digit of row i, in the width of the last one.
func (r *Rows) digit(i int) string {
	if r.typed {
		return " "
	}
	return fmt.Sprintf("%*d", len(strconv.Itoa(r.All[len(r.All)-1].Digit)), r.All[i].Digit)
}

// head draws the beginning of row i: marker, digit and checkbox.
func (r *Rows) head(st *ink.Styles, i int) string {
	mark, row := " ", r.All[i]
	if i == r.at {
		mark = st.Cyan.Render(ink.MarkRow)
	}
	head := "  " + mark + " " + r.digit(i) + " "
	switch {
	case !r.many:
		return head + " "
	case row.Kind != Choice:
		return head + "    "
	case slices.Contains(r.picked, i):
		return head + "[x] "
	}
	return head + "[ ] "
}

// digits returns the digits of the rows: "1–4", or "1 3 4" if some are missing.
func (r *Rows) digits() string {
	all := r.All
	first, last := all[0].Digit, all[len(all)-1].Digit
	if last-first+1 == len(all) {
		return digit(first) + "–" + digit(min(last, 9))
	}
	var out []string
	for _, row := range all {
		out = append(out, digit(row.Digit))
	}
	return strings.Join(out, " ")
}

func digit(n int) string { return string(rune('0' + n)) }
