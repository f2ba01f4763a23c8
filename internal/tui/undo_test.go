package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// changingTurns is a session of two turns. The second one edits a file and runs a command
// that changes three.
func changingTurns() []event.Event {
	fix := result("2", "edit server/server.go", "write", event.OK, "", "ok", time.Second)
	fix.Diffs = []event.Diff{edit()}
	return []event.Event{
		userSaid("why does it fail"), turnEnd(event.Done, time.Second),
		userSaid("fix it"),
		call("r1", "1", "shell"), start("1", "shell make fmt", "execute"), result("1", "shell make fmt", "execute", event.OK, "", "", time.Second),
		&event.FilesChanged{ID: "1", Files: 3, Added: 40, Removed: 2, Paths: []string{"a.go", "b.go", "c \x1b[2J.go"}, Lost: []event.LostChange{{Path: "big.bin", Why: "it is larger than 64 MB"}}},
		&event.StepEnd{Reply: "r1"},
		call("r2", "2", "edit"), start("2", "edit server/server.go", "write", file("server/server.go")), fix,
		&event.FilesChanged{ID: "2", Files: 1, Added: edit().Added, Removed: edit().Removed, Paths: []string{"server/server.go"}},
		&event.StepEnd{Reply: "r2"},
		turnEnd(event.Done, 2*time.Second),
	}
}

// secondTurn is the number of the second prompt of changingTurns.
const secondTurn = 2

// undoPlan is a plan that undoes the second turn, with everything that a plan can have.
func undoPlan() event.UndoPlan {
	back := edit()
	back.Unified = strings.NewReplacer("\n+", "\n-", "\n-", "\n+").Replace(back.Unified)
	return event.UndoPlan{
		ID: "plan", Turns: []event.ChangedTurn{{Number: 2, At: secondTurn, Prompt: "fix it", Files: 4, Added: 42, Removed: 3, Commands: 1}},
		Diffs:     []event.Diff{back, {Path: "new.go", Deleted: true, Removed: 1, Unified: "@@ -1 +0,0 @@\n-package \x1b[2Jnew\n"}},
		Merged:    []string{"a.go"},
		Conflicts: []event.Diff{{Path: "b.go", Added: 1, Removed: 1, Unified: "@@ -1 +1 @@\n-mine\n+before\n"}},
		Lost:      []event.LostChange{{Path: "big.bin", Why: "it is larger than 64 MB"}},
		Ignored:   12, Git: []string{"git reset --soft 1a2b3c4"},
	}
}

// undoDriver returns a screen with a session that changed files.
func undoDriver(t *testing.T, width, height int) *driver {
	t.Helper()
	return newDriver(t, width, height, screen.Options{Session: screen.Session{History: changingTurns()}})
}

// run types a slash command.
func (d *driver) run(command string) {
	d.t.Helper()
	d.typeText(command + " ")
	d.press("enter")
}

func TestUndo(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := undoDriver(t, w, h)
		d.golden("changed-files-" + size)
		d.run("/undo")
		d.wantCommands(event.PlanUndo{})
		d.events(undoPlan())
		d.advance(dialog.Quiet)
		d.golden("undo-" + size)
		d.press("end")
		d.golden("undo-end-" + size)
		d.press("2")
		d.wantCommands(event.PlanUndo{}, event.ApplyUndo{ID: "plan", Conversation: true})
		d.promptIs("")
		d.events(&event.Rewound{Keep: secondTurn}, &event.Undone{Turns: 1, Restored: []string{"server/server.go", "new.go"}, Merged: []string{"a.go"}, Conflicts: []string{"b.go"},
			Lost: []event.LostChange{{Path: "big.bin", Why: "it is larger than 64 MB"}}, Ignored: 12, Git: []string{"git reset --soft 1a2b3c4"}})
		d.promptIs("fix it")
		d.golden("undone-" + size)
	})
}

func TestUndoWithoutColor(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: changingTurns()}, Appearance: screen.Appearance{NoColor: true}})
	d.run("/undo")
	d.events(undoPlan())
	d.advance(dialog.Quiet)
	if view := d.m.View().Content; strings.Contains(view, "\x1b[3") {
		t.Errorf("the screen has colors: %q", view)
	}
	d.golden("undo-nocolor")
}

// Each row of the question sends its command, and everything else sends nothing.
func TestUndoAnswers(t *testing.T) {
	files := event.ApplyUndo{ID: "plan"}
	both := event.ApplyUndo{ID: "plan", Conversation: true}
	for _, c := range []struct {
		command, keys string
		plan          func(*event.UndoPlan)
		want          []event.Command
	}{
		{"/undo", "1", nil, []event.Command{event.PlanUndo{}, files}},
		{"/undo", "enter", nil, []event.Command{event.PlanUndo{}, files}},
		{"/undo", "2", nil, []event.Command{event.PlanUndo{}, both}},
		{"/undo", "down enter", nil, []event.Command{event.PlanUndo{}, both}},
		{"/undo", "3", nil, []event.Command{event.PlanUndo{}}},
		{"/undo", "4 n enter", nil, []event.Command{event.PlanUndo{}}},
		{"/undo", "y enter", nil, []event.Command{event.PlanUndo{}, files}},
		{"/undo", "esc", nil, []event.Command{event.PlanUndo{}}},
		{"/undo", "ctrl+c", nil, []event.Command{event.PlanUndo{}}},
		{"/undo 3", "1", nil, []event.Command{event.PlanUndo{Turns: 3}, files}},
		{"/undo 3 ignored", "1", nil, []event.Command{event.PlanUndo{Turns: 3, Removes: true}, files}},
		{"/undo", "1", func(p *event.UndoPlan) { p.Turns[0].At = -1 }, []event.Command{event.PlanUndo{}, files}}, // rewound already
		{"/undo", "2", func(p *event.UndoPlan) { p.Turns[0].At = -1 }, []event.Command{event.PlanUndo{}}},
		{"/redo", "1", func(p *event.UndoPlan) { p.Redo = true }, []event.Command{event.PlanUndo{Redo: true}, files}},
		{"/redo", "2", func(p *event.UndoPlan) { p.Redo = true }, []event.Command{event.PlanUndo{Redo: true}}},
	} {
		t.Run(c.command+" "+c.keys, func(t *testing.T) {
			d := undoDriver(t, 80, 24)
			d.run(c.command)
			plan := undoPlan()
			if c.plan != nil {
				c.plan(&plan)
			}
			d.events(plan)
			d.armDialog()
			for k := range strings.FieldsSeq(c.keys) {
				d.pressSlowly(k)
			}
			d.wantCommands(c.want...)
			if d.m.dialog.Waits() {
				t.Errorf("the dialog is still open:\n%s", d.screen())
			}
		})
	}
}

// A plan without changes, a rejected request and a wrong argument leave one line.
func TestNothingToUndo(t *testing.T) {
	d := undoDriver(t, 80, 24)
	d.run("/undo")
	d.events(event.UndoPlan{Why: "no turn changed files"})
	d.shows("No turn changed files.")
	d.run("/redo")
	d.events(event.UndoPlan{Redo: true, Why: "b.go was changed since", Conflicts: []event.Diff{{Path: "b.go", Unified: "@@ -1 +1 @@\n-a\n+b\n"}}})
	d.shows("B.go was changed since.", "conflict: b.go was changed since and stays as it is")
	d.run("/undo")
	d.events(event.UndoPlan{Why: "no change can be undone without a conflict", Conflicts: []event.Diff{{Path: "b.go", Unified: "@@ -1 +1 @@\n-a\n+b\n"}}})
	d.shows("/changes undoes single hunks, /undo N goes further back")
	d.run("/undo x")
	d.shows("usage: /undo [N] [ignored]")
	d.press("ctrl+c")
	d.run("/changes")
	d.events(event.ChangesNow{Why: "no files have changed since the session began"})
	d.shows("No files have changed since the session began.")
	if d.m.dialog.Waits() {
		t.Error("a dialog is open")
	}
	d.wantCommands(event.PlanUndo{}, event.PlanUndo{Redo: true}, event.PlanUndo{}, event.ListChanges{})
}

// A typed command is not counted as a turn, and a job that runs is named.
func TestUndoOfTypedCommandsAndJobs(t *testing.T) {
	plan := undoPlan()
	plan.Turns = append([]event.ChangedTurn{{Number: 2, At: -1, Prompt: "!touch b", Files: 1}}, plan.Turns...)
	d := undoDriver(t, 120, 40)
	d.run("/undo")
	d.events(event.JobsNow{Jobs: []event.Job{{ID: 1}}}, plan)
	d.armDialog()
	d.shows("Undo the changes of 1 turn and 1 typed command?", "1 job is running and may change these files again")
}

func TestUndoDuringATurn(t *testing.T) {
	for _, command := range []string{"/undo", "/redo", "/changes"} {
		d := undoDriver(t, 80, 24)
		d.typeText("go on")
		d.press("enter")
		d.run(command)
		d.shows("nterrupt")
		d.wantCommands(event.Prompt{Text: "go on"})
	}
}

// Text that the user types when the plan comes goes to the draft, also while the dialog
// takes keys. A paste and the wheel never answer.
func TestTypingWhileUndoAsks(t *testing.T) {
	d := undoDriver(t, 80, 24)
	d.run("/undo")
	d.typeText("n")
	d.events(undoPlan())
	d.typeText("ext 1")
	d.promptIs("next 1")
	d.advance(dialog.Quiet)
	d.shows("1  Undo only the files")
	d.send(tea.PasteMsg{Content: "1\n"})
	d.send(tea.MouseWheelMsg{X: 5, Y: 12, Button: tea.MouseWheelDown})
	d.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.advance(dialog.Quiet)
	d.wantCommands(event.PlanUndo{})
	d.press("esc")
	d.promptIs("next 11\n")
}

// A prompt that is sent while the plan is computed, and a turn of a background delegate,
// withdraw the question: no undo happens during a turn.
func TestATurnWithdrawsTheQuestionOfUndo(t *testing.T) {
	for _, command := range []string{"/undo", "/changes"} {
		answer := event.Event(undoPlan())
		if command == "/changes" {
			answer = changesNow()
		}
		d := undoDriver(t, 80, 24)
		d.run(command)
		d.typeText("go on")
		d.press("enter")
		d.events(answer)
		d.shows("A turn began, so no changes were undone.")
		d.events(userSaid("go on"), turnEnd(event.Done, time.Second))
		d.run(command)
		d.events(answer)
		d.armDialog()
		if !d.m.dialog.Waits() {
			t.Fatalf("%s: no question:\n%s", command, d.screen())
		}
		d.events(&event.UserSaid{Text: "The delegate has answered.", Auto: true})
		if d.m.dialog.Waits() {
			t.Errorf("%s: a question is below the turn:\n%s", command, d.screen())
		}
		d.shows("A turn began, so no changes were undone.")
	}
}

// Esc and ctrl+c cancel an undo whose plan or end is not known yet.
func TestUndoIsCancelled(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		d := undoDriver(t, 80, 24)
		d.run("/undo")
		d.typeText("draft")
		d.press(key)
		d.shows("undo cancelled")
		d.promptIs("draft")
		d.events(undoPlan()) // it was computed already
		if d.m.dialog.Waits() {
			t.Errorf("%s: a dialog is open", key)
		}
		d.wantCommands(event.PlanUndo{}, event.Interrupt{})
	}
}

// A new plan replaces the question about an older one.
func TestUndoAsksOnce(t *testing.T) {
	d := undoDriver(t, 80, 24)
	d.run("/undo")
	d.run("/undo")
	d.events(undoPlan())
	next := undoPlan()
	next.ID, next.Turns[0].Prompt = "other", "another prompt"
	d.events(next)
	if n := d.m.dialog.Count(); n != 1 {
		t.Fatalf("%d questions wait", n)
	}
	d.armDialog()
	d.shows("Undo the changes of “another prompt”?")
	d.press("1")
	d.wantCommands(event.PlanUndo{}, event.PlanUndo{}, event.ApplyUndo{ID: "other"})
}

// A long diff scrolls with the keys and the wheel.
func TestUndoOfALongDiff(t *testing.T) {
	var b strings.Builder
	b.WriteString("@@ -1,1000 +0,0 @@\n")
	for range 1000 {
		b.WriteString("-line\n")
	}
	plan := undoPlan()
	plan.Diffs = []event.Diff{{Path: "long.txt", Deleted: true, Removed: 1000, Unified: b.String()}}
	d := undoDriver(t, 80, 24)
	d.run("/undo")
	d.events(plan)
	d.armDialog()
	d.shows("more lines below", "ctrl+g full view")
	d.press("ctrl+g")
	for range 400 {
		d.send(tea.MouseWheelMsg{X: 5, Y: 10, Button: tea.MouseWheelDown})
	}
	d.shows("1000 │- line", "not applied: b.go")
	d.press("esc") // closes the full view
	d.shows("1  Undo only")
	d.press("esc")
	d.hides("1  Undo only")
	d.wantCommands(event.PlanUndo{})
}

// Of many files, only the diffs that can be seen soon are drawn.
func TestUndoOfManyFiles(t *testing.T) {
	plan := undoPlan()
	plan.Diffs = nil
	for i := range 300 {
		plan.Diffs = append(plan.Diffs, event.Diff{Path: fmt.Sprintf("f%d", i), Added: 10, Created: true, Unified: "@@ -0,0 +1,10 @@\n" + strings.Repeat("+line\n", 10)})
	}
	d := undoDriver(t, 80, 24)
	d.run("/undo")
	d.events(plan)
	d.armDialog()
	d.shows("300 files, +3000 −0", "many more lines below")
	d.press("ctrl+g", "end", "end", "end", "end", "end", "end")
	d.shows("not applied: b.go", "the end") // below the diffs of all files
	d.press("1")
	d.wantCommands(event.PlanUndo{}, event.ApplyUndo{ID: "plan"})
}

func TestRewindWithFiles(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := undoDriver(t, w, h)
		d.press("esc", "esc")
		d.golden("rewind-files-list-" + size)
		d.press("enter")
		at := secondTurn
		d.wantCommands(event.PlanUndo{To: &at})
		d.events(undoPlan())
		d.advance(dialog.Quiet)
		d.golden("rewind-files-" + size)
	})
}

// The list of prompts and the question are the same in a session whose end was read and
// in one that continues.
func TestRewindWithFilesLive(t *testing.T) {
	resumed, live := undoDriver(t, 80, 24), newDriver(t, 80, 24, screen.Options{})
	live.events(changingTurns()...)
	shell := []event.Event{&event.ShellStart{ID: "s1", Line: "touch d.go"}, &event.ShellEnd{ID: "s1", Line: "touch d.go"}, &event.FilesChanged{ID: "s1", Files: 1, Paths: []string{"d.go"}}}
	for _, d := range []*driver{resumed, live} {
		d.events(shell...)
		d.press("esc", "esc")
		d.shows("5 files, +42 −3, 2 commands")
	}
}

func TestRewindWithFilesAnswers(t *testing.T) {
	at, none := secondTurn, 0
	plan, both, files := event.PlanUndo{To: &at}, event.ApplyUndo{ID: "plan", Conversation: true}, event.ApplyUndo{ID: "plan"}
	for _, c := range []struct {
		keys string
		plan event.UndoPlan
		want []event.Command
		gets string // the prompt in the editor
	}{
		{"enter pause 1", undoPlan(), []event.Command{plan, both}, "fix it"},
		{"enter pause 2", undoPlan(), []event.Command{plan, event.Rewind{Keep: secondTurn}}, "fix it"},
		{"enter pause 3", undoPlan(), []event.Command{plan, files}, ""},
		{"enter pause 4", undoPlan(), []event.Command{plan}, ""},
		{"enter pause esc", undoPlan(), []event.Command{plan}, ""},
		{"enter pause 1", event.UndoPlan{Why: "the store cannot be read"}, []event.Command{plan, event.Rewind{Keep: secondTurn}}, "fix it"},
		{"enter pause 2", event.UndoPlan{Why: "the store cannot be read"}, []event.Command{plan}, ""},
		// The turn that changed files is later than the chosen prompt.
		{"down enter pause 1", undoPlan(), []event.Command{event.PlanUndo{To: &none}, event.Rewind{Keep: 0}, files}, "why does it fail"},
	} {
		t.Run(c.keys+" "+c.plan.Why, func(t *testing.T) {
			d := undoDriver(t, 80, 24)
			d.press("esc", "esc")
			for k := range strings.FieldsSeq(c.keys) {
				if k != "pause" {
					d.pressSlowly(k)
					continue
				}
				d.events(c.plan)
				d.armDialog()
			}
			for _, sent := range d.sent {
				switch sent := sent.(type) {
				case event.Rewind:
					d.events(&event.Rewound{Keep: sent.Keep})
				case event.ApplyUndo:
					if sent.Conversation {
						d.events(&event.Rewound{Keep: secondTurn})
					}
				}
			}
			d.wantCommands(c.want...)
			d.promptIs(c.gets)
		})
	}
}

// changesNow is a list of changes of three files.
func changesNow() event.ChangesNow {
	return event.ChangesNow{ID: "list", Diffs: []event.Diff{
		threeHunks(),
		{Path: "new.txt", Created: true, Added: 1, Unified: hunksOf("", "a\n")},
		{Path: "bin", Unified: "@@ mode 0644 becomes 0755 @@\n"},
	}, Lost: []event.LostChange{{Path: "big.bin", Why: "it is larger than 64 MB"}}}
}

func TestChanges(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := undoDriver(t, w, h)
		d.run("/changes")
		d.events(changesNow())
		d.advance(dialog.Quiet)
		d.golden("changes-" + size)
		d.press("u", "k", "shift+tab", "shift+tab")
		d.golden("changes-undone-" + size)
		d.press("esc")
		d.advance(dialog.Quiet)
		d.golden("changes-done-" + size)
		d.press("1")
		d.wantCommands(event.ListChanges{}, event.UndoChanges{ID: "list", Hunks: []event.HunkPick{{Path: "server/server.go", Hunks: []int{0}}}})
	})
}

func TestChangesAnswers(t *testing.T) {
	undo := func(picks ...event.HunkPick) []event.Command {
		return []event.Command{event.ListChanges{}, event.UndoChanges{ID: "list", Hunks: picks}}
	}
	nothing := []event.Command{event.ListChanges{}}
	const path = "server/server.go"
	for _, c := range []struct {
		keys string
		want []event.Command
	}{
		{"esc", nothing},
		{"enter", nothing},
		{"k k k k k q", nothing},
		{"u shift+tab k esc", nothing},
		{"u esc pause 2", nothing},
		{"u esc pause esc", nothing},
		{"u ctrl+c", nothing},
		{"u u u esc pause 1", undo(event.HunkPick{Path: path})},
		{"k u u k u esc pause enter", undo(event.HunkPick{Path: path, Hunks: []int{1, 2}}, event.HunkPick{Path: "bin"})},
		{"U esc pause 1", undo(event.HunkPick{Path: path}, event.HunkPick{Path: "new.txt"}, event.HunkPick{Path: "bin"})},
		{"U K tab u esc pause 1", undo(event.HunkPick{Path: path, Hunks: []int{1}})},
		{"u esc pause tab tab u esc pause 1", undo(event.HunkPick{Path: path, Hunks: []int{0, 2}})},
		{"u c e x y n u esc pause 1", undo(event.HunkPick{Path: path, Hunks: []int{0, 1}})},
	} {
		t.Run(c.keys, func(t *testing.T) {
			d := undoDriver(t, 80, 24)
			d.run("/changes")
			d.events(changesNow())
			d.armDialog()
			for k := range strings.FieldsSeq(c.keys) {
				if k == "pause" {
					d.advance(dialog.Quiet)
					continue
				}
				d.pressSlowly(k)
			}
			d.wantCommands(c.want...)
			d.promptIs("")
			if d.m.dialog.Waits() {
				t.Errorf("the dialog is still open:\n%s", d.screen())
			}
		})
	}
}

// What jobs did has an item of its own, and counts in the line that ends the turn.
func TestChangesOfJobs(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), &event.FilesChanged{Files: 2, Added: 1, Paths: []string{"a", "b"}}, turnEnd(event.Done, time.Second))
	d.shows("· jobs changed 2 files, +1 −0", "2 files changed, +1 −0")
}

// TestUndoWithoutAModel types the word that the guide cannot follow, and that a model reads.
func TestUndoWithoutAModel(t *testing.T) {
	for model, want := range map[string]event.Command{"offline/guide": event.PlanUndo{}, "anthropic/m": event.Prompt{Text: "undo"}} {
		d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{Name: model}})
		d.typeText("undo")
		d.press("enter")
		d.wantCommands(want)
	}
}
