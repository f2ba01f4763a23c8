// Package review lets the user decide on changes hunk by hunk: accept, reject, edit, and
// comment on lines. It takes diffs and returns the decisions. It never answers a question,
// writes a file or starts an editor. Start reading at Review.
package review

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Review shows one hunk at a time. At first, all hunks are accepted.
type Review struct {
	terms Terms
	keys  keys.Map
	st    *ink.Styles
	make  func() *editor.Editor // makes the editor of a comment

	diffs []event.Diff
	hunks []part
	at    int // the hunk that is shown
	line  int // the current line of it

	view    view
	comment *editor.Editor // of the current line; nil if none is being typed
	hint    string         // why the last key did nothing
}

// Terms are the words and keys of the decisions on a hunk.
type Terms struct {
	Accept, Reject Term
	Bare           bool // hunks cannot be edited and take no comments
}

// Term is one of the decisions. The key in upper case decides on all hunks.
type Term struct{ Key, Verb, Done string }

// Approval returns the terms for a proposed change.
func Approval() Terms {
	return Terms{Accept: Term{"y", "accept", "accepted"}, Reject: Term{"n", "reject", "rejected"}}
}

// Undoing returns the terms for a change that was made.
func Undoing() Terms {
	return Terms{Accept: Term{"k", "keep", "kept"}, Reject: Term{"u", "undo", "undone"}, Bare: true}
}

// part is a hunk with the decision on it.
type part struct {
	file     int // index of its diff
	number   int // of the hunk in its diff
	hunk     hunk.Hunk
	rejected bool
	edited   string // what the user wrote instead; empty if the hunk is not edited
	comments []event.LineComment
}

// New returns a review of diffs. make is not called if terms are Bare.
func New(diffs []event.Diff, terms Terms, keys keys.Map, st *ink.Styles, make func() *editor.Editor) *Review {
	r := &Review{terms: terms, keys: keys, st: st, make: make, diffs: diffs}
	for i, d := range diffs {
		if d.Deleted && r.target(d) >= 0 {
			continue // its new path stands for the move
		}
		for n, h := range hunk.Of(d) {
			r.hunks = append(r.hunks, part{file: i, number: n, hunk: h})
		}
	}
	r.show(0)
	return r
}

// target returns the index of the diff at the other path of a moved file, negative if
// there is none.
func (r *Review) target(d event.Diff) int {
	return slices.IndexFunc(r.diffs, func(o event.Diff) bool { return d.Moved != "" && o.Path == d.Moved && o.Moved == d.Path })
}

// show shows hunk i, at its first changed line.
func (r *Review) show(i int) {
	r.at, r.view = i, view{}
	r.line = max(slices.IndexFunc(r.lines(), func(l hunk.Line) bool { return l.Mark == '+' || l.Mark == '-' }), 0)
}

// current returns the hunk that is shown.
func (r *Review) current() *part { return &r.hunks[r.at] }

// lines returns the lines of the current hunk, as it would be applied.
func (r *Review) lines() []hunk.Line {
	p := r.current()
	if p.edited == "" {
		return p.hunk.Lines
	}
	var lines []hunk.Line
	for i, h := range hunk.Of(r.shown()) {
		if i > 0 {
			lines = append(lines, hunk.Line{Mark: '@'})
		}
		lines = append(lines, h.Lines...)
	}
	return lines
}

// shown returns the current hunk as a diff.
func (r *Review) shown() event.Diff {
	p := r.current()
	d := r.diffs[p.file]
	if p.edited != "" {
		return hunk.Pick(d, event.HunkAnswer{Edited: []event.EditedHunk{{Hunk: p.number, Text: p.edited}}})
	}
	d.Unified = p.hunk.Unified
	return d
}

// Answers returns the decision on each diff. It is nil if all hunks are accepted as they
// are, without comments.
func (r *Review) Answers() []event.HunkAnswer {
	if !slices.ContainsFunc(r.hunks, func(p part) bool { return p.rejected || p.edited != "" || len(p.comments) > 0 }) {
		return nil
	}
	return r.answers()
}

// answers returns the decision on each diff, in the order of the diffs.
func (r *Review) answers() []event.HunkAnswer {
	return r.answersWith(func(p part) bool { return !p.rejected })
}

// answersWith returns answers that accept the hunks for which accepts reports true.
func (r *Review) answersWith(accepts func(part) bool) []event.HunkAnswer {
	out := make([]event.HunkAnswer, len(r.diffs))
	for i, d := range r.diffs {
		out[i].Path = d.Path
	}
	for _, p := range r.hunks {
		a := &out[p.file]
		switch {
		case !accepts(p):
		case p.edited != "":
			a.Edited = append(a.Edited, event.EditedHunk{Hunk: p.number, Text: p.edited})
		default:
			a.Accepted = append(a.Accepted, p.number)
			if i := r.target(r.diffs[p.file]); i >= 0 {
				out[i].Accepted = []int{0}
			}
		}
		a.Comments = append(a.Comments, p.comments...)
	}
	return out
}

// Comments returns the comments without a decision; nil if there are none.
func (r *Review) Comments() []event.HunkAnswer {
	var out []event.HunkAnswer
	for _, a := range r.answers() {
		if len(a.Comments) > 0 {
			out = append(out, event.HunkAnswer{Path: a.Path, Comments: a.Comments})
		}
	}
	return out
}

// Diffs returns the diffs of what would be applied.
func (r *Review) Diffs() []event.Diff { return r.diffsOf(r.answers()) }

// Rejected returns the diffs of the rejected hunks.
func (r *Review) Rejected() []event.Diff {
	return r.diffsOf(r.answersWith(func(p part) bool { return p.rejected }))
}

// diffsOf returns the diffs of what answers accept.
func (r *Review) diffsOf(answers []event.HunkAnswer) []event.Diff {
	var out []event.Diff
	for i, a := range answers {
		d := r.diffs[i]
		if p := hunk.Pick(d, a); len(a.Accepted)+len(a.Edited) > 0 && (p.Unified != "" || d.Created || d.Deleted) {
			out = append(out, p)
		}
	}
	return out
}

// Hunks returns each hunk as a diff, as it was proposed.
func (r *Review) Hunks() []event.Diff {
	var out []event.Diff
	for _, p := range r.hunks {
		d := r.diffs[p.file]
		d.Unified = p.hunk.Unified
		out = append(out, d)
	}
	return out
}

// Decide accepts or rejects hunk i of Hunks.
func (r *Review) Decide(i int, accept bool) { r.hunks[i].rejected = !accept }

// Count returns the number of hunks, how many of them would be applied, and how many of
// these the user edited.
func (r *Review) Count() (hunks, applied, edited int) {
	for _, p := range r.hunks {
		if !p.rejected {
			applied++
			if p.edited != "" {
				edited++
			}
		}
	}
	return len(r.hunks), applied, edited
}

// Summary returns how many hunks would be applied: "2 of 3 hunks, 1 edited". If the terms
// are Bare, it returns how many are rejected: "undo 1 of 3 hunks".
func (r *Review) Summary() string {
	hunks, applied, edited := r.Count()
	if r.terms.Bare {
		return fmt.Sprintf("%s %d of %s", r.terms.Reject.Verb, hunks-applied, phrase.Count(hunks, "hunk"))
	}
	text := fmt.Sprintf("%d of %s", applied, phrase.Count(hunks, "hunk"))
	if edited > 0 {
		text += fmt.Sprintf(", %d edited", edited)
	}
	return text
}

// Typed returns all comments as text, with the one that is being typed.
func (r *Review) Typed() string {
	var lines []string
	for _, p := range r.hunks {
		for _, c := range p.comments {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", r.diffs[p.file].Path, c.Line, c.Text))
		}
	}
	if r.comment != nil && !r.comment.Blank() {
		lines = append(lines, r.comment.Text())
	}
	return strings.Join(lines, "\n")
}

// Editable returns the number of the current hunk, the path of its file and its text for
// an editor. It reports false if the hunk cannot be edited.
func (r *Review) Editable() (number int, path, text string, ok bool) {
	p := r.current()
	if text = p.edited; text == "" {
		text = p.hunk.New()
	}
	return r.at, r.diffs[p.file].Path, text, !p.hunk.Fixed
}

// SetText replaces hunk number, of those that Editable returned, by the text that the user
// wrote in place of old. Blank text rejects the hunk.
func (r *Review) SetText(number int, old, text string) {
	r.at = number
	p := r.current()
	if text != old {
		fitted := p.hunk.Fit(text)
		p.rejected = fitted == ""
		if p.edited = fitted; fitted == p.hunk.New() {
			p.edited = ""
		}
	}
	r.show(number)
}

// Restyle sets the styles.
func (r *Review) Restyle(st *ink.Styles) {
	r.st, r.view.rows = st, nil
	if r.comment != nil {
		r.comment.Restyle(st)
	}
}
