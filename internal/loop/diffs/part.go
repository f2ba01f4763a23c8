package diffs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tools"
)

// maxQuoted limits the line that a comment quotes, in bytes.
const maxQuoted = 120

// Part is what the user approved of a call whose hunks they decided on.
type Part struct {
	Changes []tools.Change
	Report  string // what was applied and rejected, with the comments, for the model
	Notes   string // only the comments; empty for none
	Summary string // for the user; empty if everything was applied as proposed
}

// Settle returns the answers in the order of diffs, one for each: a file without an answer
// is rejected, and a file that is moved is moved completely or not at all. Answers that fit
// no file follow.
func Settle(diffs []event.Diff, answers []event.HunkAnswer) []event.HunkAnswer {
	if len(answers) == 0 {
		return nil
	}
	find := func(path string) int {
		return slices.IndexFunc(answers, func(a event.HunkAnswer) bool { return a.Path == path })
	}
	var out []event.HunkAnswer
	used := map[int]bool{}
	for _, d := range diffs {
		a := event.HunkAnswer{Path: d.Path}
		if i := find(d.Path); i >= 0 {
			a, used[i] = answers[i], true
		}
		if slices.ContainsFunc(diffs, func(o event.Diff) bool { return d.Moved != "" && o.Path == d.Moved }) {
			if i := find(d.Moved); i < 0 || len(answers[i].Accepted) == 0 {
				a.Accepted = nil
			}
		}
		out = append(out, a)
	}
	for i, a := range answers {
		if !used[i] {
			out = append(out, a)
		}
	}
	return out
}

// Divide returns what answers, which are settled, approve of changes. Of has returned diffs for them. It
// returns an error if an answer does not fit them.
func Divide(changes []tools.Change, diffs []event.Diff, answers []event.HunkAnswer) (Part, error) {
	if len(answers) > len(diffs) {
		return Part{}, fmt.Errorf("it does not change %s", answers[len(diffs)].Path)
	}
	var p Part
	hunks, applied, edited := 0, 0, 0
	lines := []string{"The user decided on each hunk of this change:"}
	for i, d := range diffs {
		ch := changes[i]
		after, err := hunk.Apply(ch.Before, ch.After, d, answers[i])
		if err != nil {
			return Part{}, err
		}
		decided := hunk.Decision(d, answers[i])
		n := len(decided.Accepted) + len(decided.Edited)
		hunks, applied, edited = hunks+n+len(decided.Rejected), applied+n, edited+len(decided.Edited)
		lines = append(lines, describeHunks(d, decided)...)
		if n > 0 && (d.Created || d.Deleted || !bytes.Equal(after, ch.Before)) {
			ch.After = after
			p.Changes = append(p.Changes, ch)
		}
	}
	p.Notes = Comments(diffs, answers)
	p.Report = strings.Join(lines, "\n")
	if applied < hunks || edited > 0 {
		p.Summary = fmt.Sprintf("%d of %s", applied, phrase.Count(hunks, "hunk"))
		if edited > 0 {
			p.Summary += fmt.Sprintf(", %d edited", edited)
		}
	}
	return p, nil
}

// describeHunks says what the user decided on each hunk of d, for the model.
func describeHunks(d event.Diff, decided event.HunkDecision) []string {
	var lines []string
	hunks := hunk.Of(d)
	for i, h := range hunks {
		what := "rejected, not applied"
		switch {
		case slices.Contains(decided.Edited, i):
			what = "applied with changes of the user"
		case slices.Contains(decided.Accepted, i):
			what = "applied"
		}
		lines = append(lines, "- "+hunkName(d, i, h)+": "+what+".")
	}
	return append(lines, describeComments(d, decided.Comments)...)
}

// hunkName names a hunk by the lines that it changes.
func hunkName(d event.Diff, i int, h hunk.Hunk) string {
	if h.Whole {
		return d.Path
	}
	first, last, removed := h.Range()
	file := "of your version"
	if removed {
		file = "of the old file"
	}
	if first == last {
		return fmt.Sprintf("%s, hunk %d (line %d %s)", d.Path, i+1, first, file)
	}
	return fmt.Sprintf("%s, hunk %d (lines %d to %d %s)", d.Path, i+1, first, last, file)
}

// describeComments quotes the comments of the user on lines of d, for the model.
func describeComments(d event.Diff, comments []event.LineComment) []string {
	var lines []string
	for _, c := range comments {
		where := fmt.Sprintf("line %d", c.Line)
		if c.Removed {
			where = fmt.Sprintf("removed line %d", c.Line)
		}
		if text := strings.TrimSpace(hunk.LineOf(d, c)); text != "" {
			where += fmt.Sprintf(", %q", phrase.Clip(text, maxQuoted))
		}
		lines = append(lines, "- The user comments on "+d.Path+", "+where+": "+c.Text)
	}
	return lines
}

// Comments returns the comments in settled answers, one on each line; empty for none.
func Comments(diffs []event.Diff, answers []event.HunkAnswer) string {
	var lines []string
	for i := range min(len(diffs), len(answers)) {
		lines = append(lines, describeComments(diffs[i], answers[i].Comments)...)
	}
	return strings.Join(lines, "\n")
}

// Decisions returns settled answers as they are stored.
func Decisions(diffs []event.Diff, answers []event.HunkAnswer) []event.HunkDecision {
	var out []event.HunkDecision
	for i := range min(len(diffs), len(answers)) {
		out = append(out, hunk.Decision(diffs[i], answers[i]))
	}
	return out
}
