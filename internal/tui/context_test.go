package tui

import (
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// fullWindow lists a window with an item of every kind.
func fullWindow() event.ContextNow {
	return event.ContextNow{Used: 23_400, Window: 32_000, Summary: "## Goal\nfix the test", CanUndo: true, Items: []event.ContextItem{
		{Kind: event.SystemItem, Title: "system prompt", Text: "You are agent.", Tokens: 700},
		{Kind: event.InstructionsItem, Title: "AGENTS.md", Text: "Run make check.", Tokens: 1200},
		{Kind: event.ToolsItem, Title: "14 tools", Text: "read, edit", Tokens: 3400},
		{ID: "user-1", Kind: event.PromptItem, Title: "fix the \x1b[31mtest", Text: "fix the test", Tokens: 250},
		{ID: "user-2", Kind: event.SummaryItem, Title: "## Goal fix the test", Text: "[Compacted: this summary replaces", Tokens: 600},
		{ID: "c1", Kind: event.ResultItem, Title: "read big.go", Text: "package big", Tokens: 12_000},
		{ID: "c2", Kind: event.ResultItem, Title: "shell go test ./...", Text: "FAIL", Tokens: 900, Pinned: true},
		{Kind: event.OtherItems, Title: "41 smaller messages", Tokens: 4350},
	}}
}

// /context lists what fills the window. An item can be pinned or dropped, and the
// summary undone.
func TestContextList(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		open := func() {
			d.typeText("/context")
			d.press("enter")
			d.events(fullWindow())
		}
		open()
		d.golden("context-" + size)
		d.typeText("big")
		d.press("enter")
		d.golden("context-actions-" + size)
		d.press("enter")
		open()
		d.typeText("big")
		d.press("enter", "down", "enter")
		open()
		d.typeText("shell go")
		d.press("enter", "enter")
		open()
		d.typeText("summary")
		d.press("enter")
		d.typeText("undo")
		d.press("enter")
		d.wantCommands(event.ListContext{}, event.EditContext{Step: event.CompactPin, Item: "c1"},
			event.ListContext{}, event.EditContext{Step: event.CompactDrop, Item: "c1"},
			event.ListContext{}, event.EditContext{Step: event.CompactUnpin, Item: "c2"},
			event.ListContext{}, event.EditContext{Step: event.CompactUndo})
	})
}

// /compact takes a focus; the summary is shown in one line while it is written, and in
// another one when it is done.
func TestCompactCommandLines(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/compact undo")
	d.press("enter")
	d.typeText("/compact the failing tests")
	d.press("enter")
	d.wantCommands(event.EditContext{Step: event.CompactUndo}, event.Compact{Focus: "the failing tests"})
	d.events(event.Summarizing{Model: "p/small"})
	d.golden("compact-running")
	if !d.m.session.Feed.Running {
		t.Error("a summary cannot be interrupted")
	}
	d.events(&event.Compacted{Step: event.CompactSummary, Text: "short", Saved: 12_000, Why: "requested", Model: "p/small"}, &event.TurnEnd{Reason: event.Done, Duration: 2e9},
		&event.Compacted{Step: event.CompactAllResults, Saved: 3000, Why: "about 27k of 32k tokens of the context window were used"},
		&event.Compacted{Step: event.CompactImages, Why: "p answered 400: image exceeds 5 MB"},
		&event.Compacted{Step: event.CompactDrop, Title: "read big.go", Saved: 100})
	d.golden("compact-done")
}

// A compaction is a turn from the moment when it is requested.
func TestCompactionIsATurn(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/compact")
	d.press("enter")
	d.typeText("/compact undo")
	d.press("enter")
	d.shows("A turn is running: interrupt it first.")
	d.wantCommands(event.Compact{})
}

// The summary is edited in the user's editor.
func TestEditSummary(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for text, want := range map[string][]event.Command{
		"## Goal\nfix it all\n":   {event.ListContext{}, event.EditContext{Step: event.CompactEdit, Text: "## Goal\nfix it all"}},
		"## Goal\nfix the test\n": {event.ListContext{}},
		" \n":                     {event.ListContext{}},
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		was := d.edit(text, nil)
		d.typeText("/context")
		d.press("enter")
		d.events(fullWindow())
		d.typeText("summary")
		d.press("enter")
		d.typeText("edit")
		d.press("enter")
		if *was != "## Goal\nfix the test\n" {
			t.Errorf("the editor was given %q", *was)
		}
		d.wantCommands(want...)
		if len(want) == 1 {
			d.shows("The summary is unchanged.")
		}
	}
}
