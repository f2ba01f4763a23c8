package diffs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tools"
)

// twoHunks returns a change of two lines of a file and the diff of it.
func twoHunks() (tools.Change, event.Diff) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	c := tools.Change{Path: "f", Before: []byte(before), After: []byte(strings.NewReplacer("b\n", "B\n", "k\n", "K\n").Replace(before))}
	return c, diffs.Of([]tools.Change{c})[0]
}

// The change of a call is divided by the answers: the model reads the decision on each hunk,
// and the user a summary, unless everything is applied as proposed.
func TestDivide(t *testing.T) {
	c, d := twoHunks()
	first, second := hunk.Of(d)[0].New(), hunk.Of(d)[1].New()
	const says = "The user decided on each hunk of this change:\n- f, hunk 1 (line 2 of your version): "
	for name, w := range map[string]struct {
		answer           event.HunkAnswer
		after            string // empty for no change
		summary, reports string
	}{
		"both accepted": {event.HunkAnswer{Accepted: []int{0, 1}}, string(c.After), "", says + "applied.\n- f, hunk 2 (line 11 of your version): applied."},
		"one accepted":  {event.HunkAnswer{Accepted: []int{1}}, strings.Replace(string(c.Before), "k", "K", 1), "1 of 2 hunks", says + "rejected, not applied.\n- f, hunk 2 (line 11 of your version): applied."},
		"none accepted": {event.HunkAnswer{}, "", "0 of 2 hunks", says + "rejected, not applied.\n- f, hunk 2 (line 11 of your version): rejected, not applied."},
		"both edited": {event.HunkAnswer{Edited: []event.EditedHunk{{Hunk: 0, Text: strings.Replace(first, "B", "X", 1)}, {Hunk: 1, Text: strings.Replace(second, "K", "Y", 1)}}},
			strings.NewReplacer("b", "X", "k", "Y").Replace(string(c.Before)), "2 of 2 hunks, 2 edited", says + "applied with changes of the user.\n- f, hunk 2 (line 11 of your version): applied with changes of the user."},
		"one edited": {event.HunkAnswer{Accepted: []int{1}, Edited: []event.EditedHunk{{Hunk: 0, Text: strings.Replace(first, "B", "X", 1)}}},
			strings.NewReplacer("b", "X", "k", "K").Replace(string(c.Before)), "2 of 2 hunks, 1 edited", says + "applied with changes of the user.\n- f, hunk 2 (line 11 of your version): applied."},
		"edited to the old text": {event.HunkAnswer{Edited: []event.EditedHunk{{Hunk: 0, Text: strings.Replace(first, "B", "b", 1)}}},
			"", "1 of 2 hunks, 1 edited", says + "applied with changes of the user.\n- f, hunk 2 (line 11 of your version): rejected, not applied."},
	} {
		w.answer.Path = "f"
		p, err := diffs.Divide([]tools.Change{c}, []event.Diff{d}, []event.HunkAnswer{w.answer})
		if err != nil {
			t.Fatal(err)
		}
		want := diffs.Part{Report: w.reports, Summary: w.summary}
		if w.after != "" {
			changed := c
			changed.After = []byte(w.after)
			want.Changes = []tools.Change{changed}
		}
		if d := cmp.Diff(p, want); d != "" {
			t.Errorf("%s: got (-), want (+):\n%s", name, d)
		}
	}
}

// An answer for a file that the call does not change is an error.
func TestDivideByAnUnknownFile(t *testing.T) {
	c, d := twoHunks()
	p, err := diffs.Divide([]tools.Change{c}, []event.Diff{d}, []event.HunkAnswer{{Path: "f", Accepted: []int{0}}, {Path: "unknown", Accepted: []int{0}}})
	if err == nil || err.Error() != "it does not change unknown" {
		t.Errorf("got %v, %v", p, err)
	}
}

// A created or deleted file that the user approves is changed also if it is empty.
func TestDivideEmptyFiles(t *testing.T) {
	for name, c := range map[string]tools.Change{
		"created": {Path: "f", After: []byte{}},
		"deleted": {Path: "f", Before: []byte{}},
	} {
		d := diffs.Of([]tools.Change{c})
		for _, accepted := range [][]int{{0}, nil} {
			p, err := diffs.Divide([]tools.Change{c}, d, []event.HunkAnswer{{Path: "f", Accepted: accepted}})
			if err != nil || len(p.Changes) != len(accepted) {
				t.Errorf("%s, accepted %v: got %v, %v", name, accepted, p.Changes, err)
			}
		}
	}
}

// Answers are returned in the order of the diffs. The two files of a move are accepted only
// together, if the call changes both.
func TestSettle(t *testing.T) {
	files := []event.Diff{{Path: "old", Moved: "new", Deleted: true}, {Path: "new", Moved: "old", Created: true}, {Path: "other"}, {Path: "alone", Moved: "elsewhere"}}
	yes := func(path string) event.HunkAnswer { return event.HunkAnswer{Path: path, Accepted: []int{0}} }
	no := func(path string) event.HunkAnswer { return event.HunkAnswer{Path: path} }
	for name, c := range map[string]struct{ answers, want []event.HunkAnswer }{
		"no answers":    {nil, nil},
		"all":           {[]event.HunkAnswer{yes("other"), yes("new"), yes("old"), yes("alone")}, []event.HunkAnswer{yes("old"), yes("new"), yes("other"), yes("alone")}},
		"old file only": {[]event.HunkAnswer{yes("old"), yes("other")}, []event.HunkAnswer{no("old"), no("new"), yes("other"), no("alone")}},
		"new file only": {[]event.HunkAnswer{yes("new"), no("old")}, []event.HunkAnswer{no("old"), no("new"), no("other"), no("alone")}},
		"unknown file":  {[]event.HunkAnswer{yes("unknown"), yes("other")}, []event.HunkAnswer{no("old"), no("new"), yes("other"), no("alone"), yes("unknown")}},
	} {
		if d := cmp.Diff(diffs.Settle(files, c.answers), c.want); d != "" {
			t.Errorf("%s: got (-), want (+):\n%s", name, d)
		}
	}
}

// A comment quotes up to 120 bytes of its line, and nothing of a line that is empty or not
// shown.
func TestComments(t *testing.T) {
	longest := strings.Repeat("a", 120)
	d := event.Diff{Path: "f", Unified: "@@ -1,2 +1,3 @@\n-old\n+" + longest + "\n+  " + longest + "b\n \n"}
	on := func(line int, removed bool) event.LineComment {
		return event.LineComment{Line: line, Removed: removed, Text: "why?"}
	}
	got := diffs.Comments([]event.Diff{d}, []event.HunkAnswer{{Path: "f", Comments: []event.LineComment{on(1, true), on(1, false), on(2, false), on(3, false), on(9, false)}}, {Path: "unknown"}})
	want := `- The user comments on f, removed line 1, "old": why?
- The user comments on f, line 1, "` + longest + `": why?
- The user comments on f, line 2, "` + longest + `…": why?
- The user comments on f, line 3: why?
- The user comments on f, line 9: why?`
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
