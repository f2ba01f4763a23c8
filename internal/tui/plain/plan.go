package plain

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// editDigit is the answer that opens a plan in the user's editor.
const editDigit = 5

// askPlan prints a plan and the rows that answer it.
func (q *questions) askPlan(ask event.Ask) {
	q.paragraph("ask", q.dialog.Text(ask))
	q.printPlan(ask)
}

// printPlan prints the plan as the user edited it, and the rows.
func (q *questions) printPlan(ask event.Ask) {
	q.block("", ink.Sanitize(q.dialog.Plan().Text()))
	if problem := q.dialog.Plan().Problem(); problem != "" {
		q.paragraph("", "warning: "+problem)
	}
	q.rows(ask)
}

// editPlan opens the plan in the user's editor.
func (q *questions) editPlan(ask event.Ask) tea.Cmd {
	cmd := q.edit(ask.ID, q.dialog.Plan().Text())
	if cmd == nil {
		q.rows(ask)
	}
	return cmd
}

// planEdited prints the plan again after the editor has closed, if it still waits.
func (q *questions) planEdited() {
	if ask := q.dialog.First(); ask.Plan != "" {
		q.printPlan(ask)
	}
}
