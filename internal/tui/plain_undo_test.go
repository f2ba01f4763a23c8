package tui

import (
	"context"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// undoingAgent returns an agent that answers the requests of /undo, /redo and /changes,
// and appends the commands that change files to got.
func undoingAgent(plan event.UndoPlan, got *[]event.Command) func(context.Context, chan<- event.Event, <-chan event.Command) {
	return func(ctx context.Context, events chan<- event.Event, commands <-chan event.Command) {
		for {
			var reply []event.Event
			select {
			case c := <-commands:
				switch c := c.(type) {
				case event.Prompt:
					reply = append([]event.Event{userSaid(c.Text)}, changingTurns()[secondTurn+1:]...)
				case event.PlanUndo:
					next := plan
					next.Redo = c.Redo
					reply = []event.Event{answering(c, next)}
				case event.ListChanges:
					reply = []event.Event{answering(c, changesNow())}
				case event.ApplyUndo:
					*got = append(*got, c)
					reply = []event.Event{&event.Undone{Ref: c.Ref, Turns: 1, Restored: []string{"server/\x1b[2Jserver.go"}, Conflicts: []string{"b.go"}}}
				case event.UndoChanges:
					*got = append(*got, c)
					reply = []event.Event{&event.Undone{Ref: c.Ref, Restored: []string{"server/server.go"}}}
				case event.Rewind:
					*got = append(*got, c)
					reply = []event.Event{&event.Rewound{Ref: c.Ref, Keep: c.Keep}}
				}
			case <-ctx.Done():
				return
			}
			for _, ev := range reply {
				select {
				case events <- ev:
				case <-ctx.Done():
					return
				}
			}
		}
	}
}

func TestPlainUndo(t *testing.T) {
	plan := undoPlan()
	plan.Turns[0].At = 0
	long := plan
	long.Diffs = []event.Diff{{Path: "long.txt", Deleted: true, Removed: 30, Unified: "@@ -1,30 +0,0 @@\n" + strings.Repeat("-line\n", 30)}}
	files, both := event.ApplyUndo{ID: "plan"}, event.ApplyUndo{ID: "plan", Conversation: true}
	undo := func(picks ...event.HunkPick) []event.Command {
		return []event.Command{event.UndoChanges{ID: "list", Hunks: picks}}
	}
	for _, c := range []struct {
		plan  event.UndoPlan
		lines string // separated by |
		want  []event.Command
		says  string
	}{
		{plan, "hello", nil, "  changed 3 files, +40 −2\n  cannot be undone: big.bin: it is larger than 64 MB\ntool: edit server/server.go\n"},
		{plan, "/undo|2", []event.Command{both}, "ask: Undo the changes of “fix it”? (+2 −2)\n  conflict: b.go was changed since and stays as it is\n  cannot be undone: big.bin: it is larger than 64 MB\n"},
		{plan, "/undo|1", []event.Command{files}, "  1 undo only the files  2 undo the files and rewind the conversation  3 cancel\n"},
		{plan, "/undo|y", []event.Command{files}, "note: undid the changes of 1 turn: 1 path restored, 1 conflict\n  server/␛[2Jserver.go\n  conflict: b.go was changed since and stays as it is\n"},
		{plan, "/undo|n", nil, "  -       Handler:           mux,\n"},
		{plan, "/undo|4|what||3", nil, "note: answer with y, n or a number\n"},
		{plan, "/undo", nil, "3 cancel\n"}, // the input ends
		{long, "/undo|5|1", []event.Command{files}, "  5 show the changes\n"},
		{long, "/undo|5|1", []event.Command{files}, "  not applied: b.go\n"},
		{plan, "/redo|1", []event.Command{files}, "  1 redo the files; the conversation stays as it is  2 cancel\n"},
		{event.UndoPlan{Why: "no turn changed files"}, "/undo|hello", nil, "note: No turn changed files.\n"},
		{plan, "/changes|h 1 3", undo(event.HunkPick{Path: "server/server.go", Hunks: []int{0, 2}}), "  1 undo all changes  2 keep all changes  h N ... undo these hunks\n  5 show the changes\n"},
		{plan, "/changes|5|h 9|h|2", nil, "hunk 4 of new.txt\n"},
		{plan, "/changes|2", nil, "  server/server.go  +3 −3\n  new.txt  +1 −0\n"},
		{plan, "/changes|y|2", nil, "note: 1 undoes all changes, h 1 only the first hunk\n"},
		{plan, "/changes|1", undo(event.HunkPick{Path: "server/server.go"}, event.HunkPick{Path: "new.txt"}, event.HunkPick{Path: "bin"}), ""},
		{plan, "/rewind 1|4", nil, "  1 rewind the conversation and undo the files  2 rewind only the conversation\n  3 undo only the files  4 cancel\n"},
		{plan, "/rewind 1|1", []event.Command{both}, "ask: Rewind to before “fix it”?"},
		{plan, "/rewind 1|2|hello", []event.Command{event.Rewind{Keep: 0}}, "note: Session rewound. Files are not changed"},
	} {
		t.Run(c.lines, func(t *testing.T) {
			var got []event.Command
			out := runPlainWith(t, undoingAgent(c.plan, &got), screen.Options{}, strings.Split("fix it|"+c.lines, "|")...)
			if diff := sameCommands(got, c.want); diff != "" {
				t.Errorf("(-got +want):\n%s\n%s", diff, out)
			}
			if !strings.Contains(out, c.says) {
				t.Errorf("%q is missing:\n%s", c.says, out)
			}
		})
	}
}
