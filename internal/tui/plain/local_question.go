package plain

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
	"agent/internal/tui/review"
)

// askLocal prints a question of the program and the rows that answer it.
func (q *questions) askLocal(o *dialog.LocalQuestion) {
	sum := event.Diff{}
	for _, d := range o.Diffs {
		sum.Added, sum.Removed = sum.Added+d.Added, sum.Removed+d.Removed
	}
	title := q.dialog.Text(q.dialog.First())
	if len(o.Diffs) > 0 {
		title += " (" + diff.Stat(sum) + ")"
	}
	q.paragraph("ask", title)
	for _, w := range dialog.WarningsOf(q.dialog.First()) {
		q.paragraph("", "warning: "+ink.Sanitize(w))
	}
	for _, n := range o.Notes {
		q.paragraph("", ink.Sanitize(n.Text))
	}
	if !o.Review && q.inline(o) {
		q.localChanges(o)
	} else {
		q.ownFiles(o.Diffs)
	}
	q.localRows(o)
}

// maxFiles is how many files a question of the program names if their changes are not
// printed with it.
const maxFiles = 20

// ownFiles prints the names of changed files.
func (q *questions) ownFiles(all []event.Diff) {
	for i, d := range all {
		if i == maxFiles {
			q.block("", "… and "+phrase.Count(len(all)-i, "more file"))
			return
		}
		q.block("", dialog.ExactLine(d.Path)+"  "+diff.Stat(d))
	}
}

// inline reports whether the changes of a question of the program are printed with it.
func (q *questions) inline(o *dialog.LocalQuestion) bool {
	return o.Read || changesInline(event.Ask{Diffs: o.Diffs})
}

// localChanges prints all changes of a question of the program: hunk by hunk if the user can
// undo single hunks.
func (q *questions) localChanges(o *dialog.LocalQuestion) {
	if o.Review {
		for i, h := range q.undoing(o).Hunks() {
			q.block("", "hunk "+strconv.Itoa(i+1)+" of "+dialog.ExactLine(h.Path))
			q.hunks(h.Unified)
		}
		return
	}
	q.changes(event.Ask{Diffs: o.Diffs})
	for _, k := range o.Kept {
		q.block("", dialog.ExactLine(k.Heading))
		q.hunks(k.Diff.Unified)
	}
}

// undoing returns a review of the changes of a question of the program.
func (q *questions) undoing(o *dialog.LocalQuestion) *review.Review {
	return review.New(o.Diffs, review.Undoing(), q.Keys, q.Styles, nil)
}

// localRows prints the rows that answer a question of the program.
func (q *questions) localRows(o *dialog.LocalQuestion) {
	q.asked = q.Now()
	var rows []string
	for i, row := range o.Rows {
		text := row.Text
		if o.Review && i == 0 {
			text = "undo all changes"
		}
		rows = append(rows, strconv.Itoa(row.Digit)+" "+lowerFirst(text))
	}
	if o.Review {
		rows = append(rows, hunksKey+" N ... undo these hunks")
	}
	if len(o.Diffs)+len(o.Kept) > 0 && (o.Review || !q.inline(o)) {
		rows = append(rows, strconv.Itoa(showDigit)+" show the changes")
	}
	q.options(rows)
}

// answerLocal takes a line as the answer to a question of the program.
func (q *questions) answerLocal(o *dialog.LocalQuestion, line string) {
	again := func(why string) {
		q.print("note: " + why)
		q.localRows(o)
	}
	if rest, ok := strings.CutPrefix(line, hunksKey+" "); ok && o.Review {
		q.undoHunks(o, rest, again)
		return
	}
	row := slices.IndexFunc(o.Rows, func(r dialog.Row) bool { return strconv.Itoa(r.Digit) == line })
	switch yesOrNo(line) {
	case 1:
		if o.Review {
			again("1 undoes all changes, h 1 only the first hunk")
			return
		}
		row = 0
	case 3:
		row = o.Cancel()
	}
	switch {
	case row < 0 && line == strconv.Itoa(showDigit) && len(o.Diffs)+len(o.Kept) > 0:
		q.localChanges(o)
		q.localRows(o)
	case row < 0:
		again(answerHint)
	case o.Review:
		r := q.undoing(o)
		n, _, _ := r.Count()
		for i := range n {
			r.Decide(i, row != 0)
		}
		q.giveLocal(o, row, r)
	default:
		q.giveLocal(o, row, nil)
	}
}

// undoHunks takes the numbers of the hunks to undo.
func (q *questions) undoHunks(o *dialog.LocalQuestion, line string, again func(why string)) {
	r := q.undoing(o)
	n, _, _ := r.Count()
	chosen := numbers(strings.Fields(line))
	if len(chosen) == 0 || slices.Min(chosen) < 1 || slices.Max(chosen) > n {
		again("type numbers from 1 to " + strconv.Itoa(n) + " after " + hunksKey)
		return
	}
	for _, i := range chosen {
		r.Decide(i-1, false)
	}
	q.giveLocal(o, 0, r)
}

// giveLocal answers a question of the program and asks the next one. r has the decisions on
// hunks; nil if there are none.
func (q *questions) giveLocal(o *dialog.LocalQuestion, row int, r *review.Review) {
	q.dialog.Withdraw(q.dialog.First().ID)
	var hunks []event.HunkAnswer
	if r != nil {
		hunks = r.Answers()
	}
	q.do(o.Give(row, hunks))
	if q.dialog.Waits() {
		q.ask(q.dialog.First())
	}
}
