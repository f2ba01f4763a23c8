package tui

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// answerKind is what a row of a question does.
type answerKind int

const (
	answerYes     answerKind = iota
	answerAlways             // yes, and allow the scope in this session
	answerNo                 // no; for a question of the model: let the model decide
	answerComment            // no with a reason; for a question of the model: an answer in own words
	answerChoice             // one of the model's choices
)

// answerRow is one answer that a question offers.
type answerRow struct {
	digit         int
	kind          answerKind
	text, explain string // not sanitized
}

// answerRows are the answers to one question, and the marker on them. The same
// rows serve approvals, questions of the model and plain mode.
type answerRows struct {
	all    []answerRow
	at     int   // the marked row, negative for none
	many   bool  // several choices may be selected
	picked []int // the selected ones, in order
	lines  []int // the first line of each row as drawn last, and the end of the last
}

// rowsOf returns the rows of a question, with the first one marked.
func rowsOf(ask event.Ask) answerRows {
	r := answerRows{many: ask.Many}
	switch {
	case len(ask.Choices) > 0:
		for i, c := range ask.Choices {
			r.all = append(r.all, answerRow{i + 1, answerChoice, c.Text, c.Explain})
		}
		n := len(ask.Choices)
		r.all = append(r.all, answerRow{digit: n + 1, kind: answerComment, text: commentRow(ask)},
			answerRow{digit: n + 2, kind: answerNo, text: "Let the model decide"})
	default:
		r.all = append(r.all, answerRow{digit: 1, kind: answerYes, text: "Yes"})
		if ask.Scope != "" {
			r.all = append(r.all, answerRow{digit: 2, kind: answerAlways, text: "Yes, and allow " + ask.Scope + " in this session"})
		}
		r.all = append(r.all, answerRow{digit: 3, kind: answerNo, text: "No"})
		if !ask.AboutTurn() {
			r.all = append(r.all, answerRow{digit: 4, kind: answerComment, text: commentRow(ask)})
		}
	}
	return r
}

// commentRow is the text of the row that the user answers in their own words.
func commentRow(ask event.Ask) string {
	if len(ask.Choices) > 0 {
		return "Something else: type your answer"
	}
	return "No, and tell the model why"
}

// marked is the marked row, nil if there is none.
func (r *answerRows) marked() *answerRow {
	if r.at < 0 || r.at >= len(r.all) {
		return nil
	}
	return &r.all[r.at]
}

// move moves the marker. Without one, it goes to the first row or the last.
func (r *answerRows) move(by int) {
	if r.at < 0 && by < 0 {
		r.at = len(r.all)
	}
	r.at = max(0, min(r.at+by, len(r.all)-1))
}

// mark moves the marker to the first row of that kind, if there is one.
func (r *answerRows) mark(kind answerKind) bool {
	i := slices.IndexFunc(r.all, func(a answerRow) bool { return a.kind == kind })
	if i >= 0 {
		r.at = i
	}
	return i >= 0
}

// digit returns the index of the row with that digit, negative if there is none.
func (r *answerRows) digit(n int) int {
	return slices.IndexFunc(r.all, func(a answerRow) bool { return a.digit == n })
}

// toggle selects the marked choice or deselects it.
func (r *answerRows) toggle() {
	if i := slices.Index(r.picked, r.at); i >= 0 {
		r.picked = slices.Delete(r.picked, i, i+1)
		return
	}
	r.picked = append(r.picked, r.at)
	slices.Sort(r.picked)
}

// rowAt returns the row of a line as drawn last, negative for none.
func (r *answerRows) rowAt(line int) int {
	for i := len(r.lines) - 2; i >= 0; i-- {
		if r.lines[i] <= line && line < r.lines[i+1] {
			return i
		}
	}
	return -1
}

// draw returns the rows in lines of that width. Those that dim reports cannot be
// taken now.
func (r *answerRows) draw(st *ink.Styles, width int, dim func(answerRow) bool) []string {
	name := r.nameWidth(width - r.headWidth())
	var out []string
	r.lines = r.lines[:0]
	for i, row := range r.all {
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

// line returns the rows of an approval in one line, for a window that has no room
// for more.
func (r *answerRows) line(st *ink.Styles, width int, dim func(answerRow) bool) string {
	names := map[answerKind]string{answerYes: "Yes", answerAlways: "Always", answerNo: "No", answerComment: "Why"}
	out := " "
	for i, row := range r.all {
		mark, text := " ", strconv.Itoa(row.digit)+" "+names[row.kind]
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

// text draws a row without its head: the explanation beside the name, or below
// it where name is 0.
func (r *answerRows) text(st *ink.Styles, row answerRow, name, width int) []string {
	text, explain := ink.SanitizeLine(row.text), ink.SanitizeLine(row.explain)
	if name > 0 && explain != "" {
		return []string{text + strings.Repeat(" ", max(name-lipgloss.Width(text), 0)+2) + st.Dim.Render(explain)}
	}
	lines := ink.Wrap(text, width)
	if explain != "" {
		lines = append(lines, ink.RenderLines(st.Dim, ink.Wrap(explain, width))...)
	}
	return lines
}

// nameWidth is the width of the column of names, 0 if not every explanation has
// room beside it.
func (r *answerRows) nameWidth(width int) int {
	name := 0
	for _, row := range r.all {
		if row.kind == answerChoice {
			name = max(name, lipgloss.Width(ink.SanitizeLine(row.text)))
		}
	}
	for _, row := range r.all {
		if row.kind == answerChoice && name+2+lipgloss.Width(ink.SanitizeLine(row.explain)) > width {
			return 0
		}
	}
	return name
}

// headWidth is the width of what stands before a row: the marker, the digit and
// whether it is selected.
func (r *answerRows) headWidth() int {
	if r.many {
		return len("  > 1 [x] ")
	}
	return len("  > 1  ")
}

func (r *answerRows) head(st *ink.Styles, i int) string {
	mark, row := " ", r.all[i]
	if i == r.at {
		mark = st.Cyan.Render(ink.MarkRow)
	}
	head := "  " + mark + " " + strconv.Itoa(row.digit) + " "
	switch {
	case !r.many:
		return head + " "
	case row.kind != answerChoice:
		return head + "    "
	case slices.Contains(r.picked, i):
		return head + "[x] "
	}
	return head + "[ ] "
}
