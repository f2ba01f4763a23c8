package dialog

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
	"agent/internal/tui/review"
)

// LocalQuestion is a question of the program itself. The agent knows nothing of it.
type LocalQuestion struct {
	Title string
	Notes []Note
	Diffs []event.Diff // what the first row does
	Rows  []Row        // of the kinds Yes and No; esc chooses the last one
	// Kept are diffs of what no row does, below a heading each.
	Kept []Kept
	// Read requires the user to see all of Diffs before the first row can be chosen. The
	// last row is marked at first.
	Read bool
	// Review lets the user keep or undo each hunk of Diffs before the rows are shown.
	Review bool
	// Give takes the answer: the index of the row, and with Review the decision on each
	// diff, which accepts the hunks to keep. The command that it returns may be nil.
	Give func(row int, hunks []event.HunkAnswer) tea.Cmd
}

// Note is a text above the changes. It is not sanitized.
type Note struct {
	Text  string
	Alert bool // it needs attention
}

// Kept is a diff that is not applied.
type Kept struct {
	Heading string // not sanitized
	Diff    event.Diff
}

// localID is the ID of the question of the program. Calls of the model have others.
const localID = "\x00own"

// Show asks a question of the program. It replaces an earlier one. If the user is typing,
// it takes keys only after a long pause.
func (d *Dialog) Show(o LocalQuestion, typing bool) {
	d.Withdraw(localID)
	d.local = &o
	d.Push(event.Ask{ID: localID, Question: o.Title, Diffs: o.Diffs}, typing)
}

// WithdrawLocal removes the question of the program, if it still waits. It is not answered.
func (d *Dialog) WithdrawLocal() { d.Withdraw(localID) }

// localFor returns the question of the program if ask stands for it, otherwise nil.
func (d *Dialog) localFor(ask event.Ask) *LocalQuestion {
	if ask.ID != localID {
		return nil
	}
	return d.local
}

// Cancel returns the row that leaves everything as it is.
func (o *LocalQuestion) Cancel() int { return len(o.Rows) - 1 }

// ownLines is the number of diff lines drawn at first. An undo can have many small diffs,
// and drawing one takes milliseconds.
const ownLines = 400

// Cancel answers a question of the program with its last row, and removes it. It reports
// false if none takes keys.
func (d *Dialog) Cancel() (Result, bool) {
	if d.Local() == nil || !d.Takes() {
		return Result{}, false
	}
	r := d.form.giveLocal(d.Local().Cancel())
	d.removeFirst(false)
	return r, true
}

// Local returns the question of the program if it is the first one, otherwise nil.
func (d *Dialog) Local() *LocalQuestion { return d.form.question.local }

// openLocal prepares a question of the program that was just shown.
func (f *form) openLocal() {
	q := &f.question
	q.rows, q.body.limit = Rows{All: q.local.Rows}, ownLines
	if q.local.Read {
		q.rows.at = len(q.local.Rows) - 1
	}
	if q.local.Review {
		q.review = review.New(q.local.Diffs, review.Undoing(), f.keys, f.st, nil)
		q.reviewing = true
	}
}

// giveLocal answers a question of the program with a row.
func (f *form) giveLocal(row int) Result {
	return Result{Local: &LocalAnswer{f.question.local, row, f.question.hunks(true)}}
}

// LocalAnswer is the answer to a question of the program.
type LocalAnswer struct {
	local *LocalQuestion
	row   int
	hunks []event.HunkAnswer
}

// Give passes the answer to LocalQuestion.Give.
func (a *LocalAnswer) Give() tea.Cmd { return a.local.Give(a.row, a.hunks) }

// notes draws the notes of a question of the program, starting at line at of the body.
func (q *question) notes(width, at int) []string {
	if q.local == nil {
		return nil
	}
	var out []string
	for _, n := range q.local.Notes {
		lines := ink.Wrap(ink.Sanitize(n.Text), width)
		if n.Alert {
			lines = ink.RenderLines(q.st.Yellow, lines)
		}
		out = append(out, lines...)
	}
	if len(out) > 0 {
		q.body.change = at // enough to see before an answer
	}
	return out
}

// kept draws the diffs that are not applied, starting at line at of the body.
func (q *question) kept(width, at int) []string {
	if q.local == nil {
		return nil
	}
	var out []string
	for _, k := range q.local.Kept {
		if q.body.more = q.body.more || len(out) >= q.body.limit; q.body.more {
			break
		}
		out = append(out, ink.RenderLines(q.st.Yellow, ink.Wrap(ExactLine(k.Heading)+"  "+diff.Stat(k.Diff), width))...)
		out = append(out, q.change(k.Diff, width, at+len(out), q.body.limit-len(out))...)
	}
	return out
}

// applyUndoing shows the rows as the review of changes that were made left them.
func (q *question) applyUndoing() {
	hunks, kept, _ := q.review.Count()
	q.ask.Question = fmt.Sprintf("Undo %d of %s?", hunks-kept, phrase.Count(hunks, "hunk"))
	q.rows = Rows{All: q.local.Rows}
	q.body.lines, q.body.scroll = nil, 0
}
