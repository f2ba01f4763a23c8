package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aymanbagabas/go-udiff"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// hunksOf returns the hunks of a change.
func hunksOf(before, after string) string {
	u := udiff.Unified("a", "b", before, after)
	return u[strings.Index(u, "@@"):]
}

// threeHunks is a change of a file with three hunks. Its text is hostile.
func threeHunks() event.Diff {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("\tline %d\n", i+1))
	}
	before := strings.Join(lines, "")
	lines[9], lines[29], lines[49] = "\tten\n\tten \x1b[2Jand a half\n", "\tthirty\n", ""
	return event.Diff{Path: "server/server.go", Unified: hunksOf(before, strings.Join(lines, "")), Added: 3, Removed: 3}
}

// askEdit returns the question about an edit of one file.
func askEdit(d event.Diff) event.Asked {
	return event.Asked{Ask: event.Ask{ID: "1", Title: "edit " + d.Path, Effect: "write", Why: "changes files", Scope: "all edits", Diffs: []event.Diff{d}}}
}

// reviewDriver returns a screen on which the changes of ask are reviewed.
func reviewDriver(t *testing.T, width, height int, ask event.Asked) *driver {
	t.Helper()
	d := newDriver(t, width, height, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "edit"), ask)
	d.armDialog()
	d.press("tab")
	return d
}

func TestReview(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		t.Setenv("TMPDIR", t.TempDir())
		d := reviewDriver(t, w, h, askEdit(threeHunks()))
		d.golden("review-" + size)
		d.press("n", "c")
		d.typeText("spell it out, and say why it changes")
		d.golden("review-comment-" + size)
		d.press("enter")
		d.golden("review-commented-" + size)
		d.press("tab")
		was := d.edit("\tline 47\n\tline 48\n\tline 49\n\tforty-nine and a half\n\tline 51\n\tline 52\n\tline 53\n", nil)
		d.press("e")
		if want := "\tline 47\n\tline 48\n\tline 49\n\tline 51\n\tline 52\n\tline 53\n"; *was != want {
			t.Errorf("the editor was given %q, want %q", *was, want)
		}
		d.advance(dialog.Quiet)
		d.golden("review-edited-" + size)
		d.press("tab")
		d.golden("review-rejected-" + size)
		d.press("esc")
		d.advance(dialog.Quiet)
		d.golden("review-done-" + size)
		d.wantCommands()
		d.press("1")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Allow, Hunks: []event.HunkAnswer{{
			Path: "server/server.go", Accepted: []int{1}, Comments: []event.LineComment{{Line: 30, Removed: true, Text: "spell it out, and say why it changes"}},
			Edited: []event.EditedHunk{{Hunk: 2, Text: "\tline 47\n\tline 48\n\tline 49\n\tforty-nine and a half\n\tline 51\n\tline 52\n\tline 53\n"}},
		}}})
	})
}

func TestReviewAnswers(t *testing.T) {
	const path = "server/server.go"
	allow := func(a ...event.HunkAnswer) event.Answer {
		return event.Answer{ID: "1", Decision: event.Allow, Hunks: a}
	}
	refuse := func(note string, a ...event.HunkAnswer) event.Answer {
		return event.Answer{ID: "1", Decision: event.Refuse, Note: note, Hunks: a}
	}
	why := []event.LineComment{{Line: 10, Removed: true, Text: "why"}}
	for _, c := range []struct {
		keys string
		want event.Answer
	}{
		{"tab esc pause 1", allow()},
		{"tab enter enter pause enter", allow()}, // the second enter comes too early
		{"tab y y y esc pause 2", event.Answer{ID: "1", Decision: event.Always}},
		{"tab n esc pause 1", allow(event.HunkAnswer{Path: path, Accepted: []int{1, 2}})},
		{"tab n esc pause 2 1", allow(event.HunkAnswer{Path: path, Accepted: []int{1, 2}})}, // row 2 is not offered
		{"tab n shift+tab y esc pause 2", event.Answer{ID: "1", Decision: event.Always}},
		{"tab tab tab n enter pause y enter", allow(event.HunkAnswer{Path: path, Accepted: []int{0, 1}})},
		{"tab N tab y esc pause 1", allow(event.HunkAnswer{Path: path, Accepted: []int{1}})},
		{"tab N esc pause 1 3", refuse("")},
		{"tab N Y n esc tab 1 2 3 q pause 1", allow(event.HunkAnswer{Path: path, Accepted: []int{1, 2}})},
		{"tab c w h y enter esc pause 1", allow(event.HunkAnswer{Path: path, Accepted: []int{0, 1, 2}, Comments: why})},
		{"tab c w h y enter esc pause 3", refuse("", event.HunkAnswer{Path: path, Comments: why})},
		{"tab n shift+tab c w h y enter esc pause n o space w a y enter", refuse("no way", event.HunkAnswer{Path: path, Comments: why})},
		{"tab c x enter c backspace w h y enter esc pause 1", allow(event.HunkAnswer{Path: path, Accepted: []int{0, 1, 2}, Comments: why})},
		{"tab c x esc esc pause 1", allow()},
		{"tab c x enter c backspace enter esc pause 1", allow()},
		{"tab down c 1 enter esc pause 1", allow(event.HunkAnswer{Path: path, Accepted: []int{0, 1, 2}, Comments: []event.LineComment{{Line: 10, Text: "1"}}})},
		{"tab home c a enter end c b enter esc pause 1", allow(event.HunkAnswer{Path: path, Accepted: []int{0, 1, 2}, Comments: []event.LineComment{{Line: 7, Text: "a"}, {Line: 14, Text: "b"}}})},
	} {
		t.Run(c.keys, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(userSaid("go"), call("r1", "1", "edit"), askEdit(threeHunks()))
			d.armDialog()
			for _, k := range strings.Fields(c.keys) {
				if k == "pause" {
					d.advance(dialog.Quiet)
					continue
				}
				d.pressSlowly(k)
			}
			d.wantCommands(c.want)
			if d.m.dialog.Waits() {
				t.Error("the dialog is still open")
			}
			d.promptIs("")
		})
	}
}

// New, deleted and moved files are one hunk each; a move has both its paths in the answer.
func TestReviewOfFiles(t *testing.T) {
	made := hunksOf("", "a\nb\n")
	gone := hunksOf("old\n", "")
	ask := event.Asked{Ask: event.Ask{ID: "1", Title: "patch", Effect: "write", Diffs: []event.Diff{
		{Path: "new.txt", Unified: made, Added: 2, Created: true},
		{Path: "from.txt", Unified: gone, Removed: 1, Deleted: true, Moved: "to.txt"},
		{Path: "to.txt", Unified: made, Added: 2, Created: true, Moved: "from.txt"},
		{Path: "old.txt", Unified: gone, Removed: 1, Deleted: true},
		{Path: "picture.png", Unified: "@@ binary content @@\n"},
	}}}
	d := reviewDriver(t, 80, 24, ask)
	d.shows("hunk 1 of 4", "new.txt (new)")
	d.press("n")
	d.shows("hunk 2 of 4", "from.txt → to.txt")
	d.press("e")
	d.shows("this hunk cannot be edited")
	d.press("tab")
	d.shows("hunk 3 of 4", "old.txt (deleted)")
	d.press("n")
	d.shows("hunk 4 of 4", "picture.png", "binary content")
	d.press("c")
	d.shows("you cannot comment on this line")
	d.press("esc")
	d.advance(dialog.Quiet)
	d.shows("2 of 4 hunks, +2 −1", "1  Yes, apply 2 of 4 hunks")
	d.hides("new.txt", "old.txt")
	d.press("1")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow, Hunks: []event.HunkAnswer{
		{Path: "new.txt"}, {Path: "from.txt", Accepted: []int{0}}, {Path: "to.txt", Accepted: []int{0}}, {Path: "old.txt"}, {Path: "picture.png", Accepted: []int{0}}}})
}

// A long hunk scrolls with the keys and the wheel, also after the window changed.
func TestReviewOfALongHunk(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "this is line number %d of the file\n", i+1)
	}
	long := event.Diff{Path: "long.txt", Created: true, Added: 1000}
	long.Unified = hunksOf("", b.String())
	d := reviewDriver(t, 80, 24, askEdit(long))
	d.shows("❯    1 │+ this is line number 1 of")
	d.press("end")
	d.shows("❯ 1000 │+ this is line number 1000 of")
	d.press("pgup", "up")
	d.hides("❯ 1000 │")
	d.press("home")
	d.shows("number 1 of")
	for range 50 {
		d.send(tea.MouseWheelMsg{X: 5, Y: 10, Button: tea.MouseWheelDown})
	}
	d.shows("number 160 of")
	d.hides("number 1 of", "❯")
	d.send(tea.MouseClickMsg{X: 10, Y: 10, Button: tea.MouseLeft})
	d.shows("❯")
	for range 350 {
		d.send(tea.MouseWheelMsg{X: 5, Y: 10, Button: tea.MouseWheelDown})
	}
	d.shows("number 1000 of")
	d.send(tea.WindowSizeMsg{Width: 30, Height: 12}) // the lines wrap now
	d.press("end")
	d.shows("❯ 1000 │+ this is line")
	d.press("c")
	d.send(tea.PasteMsg{Content: strings.Repeat("many words ", 40)})
	d.press("enter", "up", "down")
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.shows("❯ 1000 │+ this is line number 1000", "› many words")
	d.send(tea.WindowSizeMsg{Width: 20, Height: 5})
	d.press("esc")
	d.wantCommands()
}

// A paste becomes a comment on the current line, never a decision.
func TestPasteIntoAReview(t *testing.T) {
	d := reviewDriver(t, 80, 24, askEdit(threeHunks()))
	d.send(tea.PasteMsg{Content: "n\nn\n"})
	d.shows("3 of 3 hunks")
	d.press("enter")
	d.shows("› n", "3 of 3 hunks")
	d.wantCommands()
}

// Keys go to the draft before the dialog takes keys, and after it is gone.
func TestReviewTakesNoKeysAtFirst(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "edit"), askEdit(threeHunks()))
	d.press("n")
	d.promptIs("n")
	d.armDialog()
	d.press("tab", "n")
	d.shows("2 of 3 hunks")
	d.promptIs("n")
	d.events(event.AskDone{ID: "1"})
	d.typeText("ext")
	d.promptIs("next")
	d.wantCommands()
}

// Comments are not lost if the turn is interrupted, or if the question is withdrawn.
func TestInterruptedReview(t *testing.T) {
	for name, end := range map[string]func(d *driver){
		"ctrl+c":           func(d *driver) { d.press("ctrl+c") },
		"esc in the rows":  func(d *driver) { d.press("esc", "esc", "esc") },
		"the call is done": func(d *driver) { d.events(result("1", "edit a", "write", event.Interrupted, "", "", 0)) },
	} {
		d := reviewDriver(t, 80, 24, askEdit(threeHunks()))
		d.press("c")
		d.typeText("why ten")
		d.press("enter", "down", "c")
		d.typeText("half")
		end(d)
		if d.m.dialog.Waits() {
			t.Errorf("%s: the dialog is still open:\n%s", name, d.screen())
		}
		if want := "server/server.go:10: why ten"; !strings.HasPrefix(d.m.editor.Text(), want) {
			t.Errorf("%s: the draft is %q", name, d.m.editor.Text())
		}
	}
}

// The editor fails, or leaves an empty file, or ends after the question is gone.
func TestEditorOfAHunk(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d := reviewDriver(t, 80, 24, askEdit(threeHunks()))
	d.press("e")
	d.shows("$VISUAL and $EDITOR are not set. The hunk is unchanged.")
	d.edit("lost", errors.New("exit status 1"))
	d.press("e")
	d.advance(time.Minute)
	d.shows("The editor failed: exit status 1. The hunk is unchanged.", "3 of 3 hunks")
	d.edit("\xff\xfe", nil)
	d.press("e")
	d.advance(time.Minute)
	d.shows("The edited text is not UTF-8 text. The hunk is unchanged.", "3 of 3 hunks")
	d.edit("", nil)
	d.press("e")
	d.advance(time.Minute)
	d.shows("rejected", "2 of 3 hunks")
	d.edit("\tmine\n", nil)
	d.press("e")
	d.advance(time.Minute)
	d.shows("edited", "3 of 3 hunks, 1 edited", "mine")
	d.press("c")
	d.shows("you cannot comment on an edited hunk")
	d.press("u")
	d.shows("accepted", "3 of 3 hunks")
	d.hides("mine")

	gone := d.m.dialog.Hunk()
	d.events(event.AskDone{ID: "1"})
	d.edit("\tmine\n", nil)
	d.runCmd(d.m.prompt.External.EditHunk(gone))
	d.shows("The change is no longer waiting for an answer.")
	d.promptIs("\tmine")
}

// A change with a warning must be read to its end, also after its hunks were reviewed.
func TestReviewDoesNotSkipReading(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		b.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	long := event.Diff{Path: "long.txt", Created: true, Added: 200}
	long.Unified = hunksOf("", b.String())
	ask := askEdit(long)
	ask.Ask.Warnings = []string{"it is a link"}
	d := reviewDriver(t, 80, 24, ask)
	d.press("c")
	d.typeText("ok")
	d.press("enter", "esc")
	d.advance(dialog.Quiet)
	d.press("1")
	d.wantCommands()
	d.shows("read to the end first")
	d.press("end")
	d.advance(dialog.Quiet)
	d.press("1")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow, Hunks: []event.HunkAnswer{{Path: "long.txt", Accepted: []int{0}, Comments: []event.LineComment{{Line: 1, Text: "ok"}}}}})
}
