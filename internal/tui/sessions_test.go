package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// twoTurns returns a session of two turns. event.Rewound counts firstTurn events in the
// first one.
func twoTurns() []event.Event {
	noon := time.Date(2026, 3, 1, 11, 40, 0, 0, time.UTC)
	first, second := userSaid("why is the build slow"), userSaid("then make it fast\nwithout new dependencies")
	first.Time, second.Time = noon, noon.Add(7*time.Minute)
	return []event.Event{
		first,
		&event.Partial{Reply: "r1", Kind: llm.Assistant, Text: "Most of"},
		done(llm.Assistant, "r1", "Most of the time goes into linking."),
		&event.StepEnd{Reply: "r1", Usage: llm.Usage{Input: 18_000, Output: 200}},
		turnEnd(event.Done, 4*time.Second),
		second,
		call("r2", "1", "shell"),
		start("1", "shell make", "execute"),
		result("1", "shell make", "execute", event.OK, "3 lines", "ok", time.Second),
		&event.StepEnd{Reply: "r2", Usage: llm.Usage{Input: 20_000, Output: 200}},
		done(llm.Assistant, "r3", "It links in parallel now."),
		&event.StepEnd{Reply: "r3", Usage: llm.Usage{Input: 21_000, Output: 200}},
		turnEnd(event.Done, 9*time.Second),
	}
}

const firstTurn = 4

func TestRewound(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(twoTurns()...)
		d.events(&event.Rewound{Keep: firstTurn})
		d.golden("rewound-" + size)
		again := newDriver(t, w, h, screen.Options{Session: screen.Session{History: twoTurns()}})
		again.events(&event.Rewound{Keep: firstTurn})
		d.sameScreen(again)

		d.events(userSaid("leave it"), done(llm.Assistant, "r9", "As you like."), turnEnd(event.Done, time.Second))
		d.events(&event.Rewound{Keep: 0})
		if got := d.screen(); strings.Contains(got, "the build slow") || !strings.Contains(got, "agent 0.1") {
			t.Errorf("rewinding to the start leaves:\n%s", got)
		}
	})
}

// A rewound session has the same state as a session that ended there.
func TestRewoundEqualsResumed(t *testing.T) {
	const partials = 1
	d := newDriver(t, 100, 40, screen.Options{Session: screen.Session{History: twoTurns()}})
	d.events(&event.Rewound{Keep: firstTurn})
	resumed := newDriver(t, 100, 40, screen.Options{Session: screen.Session{History: twoTurns()[:firstTurn+partials]}})
	facts := func(f *transcript.Feed) []any {
		return []any{f.State.Answer, f.State.Turns, f.State.Used, f.Running, f.Log.Prompts}
	}
	if diff := cmp.Diff(facts(d.m.session.Feed), facts(resumed.m.session.Feed)); diff != "" {
		t.Errorf("state after the rewind (-got +want):\n%s", diff)
	}
	if got, want := d.m.session.Transcript.Pages.Events(), resumed.m.session.Transcript.Pages.Events(); got != want {
		t.Errorf("%d events after the rewind, want %d", got, want)
	}
}

// A rewind to far above the window and new events can arrive in one batch.
func TestRewoundAndContinuedInOneBatch(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(600)}})
	d.events(&event.Rewound{Keep: 6}, userSaid("again"), streamed("r", "It begins"),
		event.Retrying{Error: "no connection", Attempt: 1, Of: 3}, streamed("r2", "Once more"))
	d.shows("do it once more", "again", "Once more")
	d.hides("It begins", "no connection")
}

// Rewinds to invalid positions are ignored.
func TestRewoundToInvalidPosition(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: twoTurns()}})
	before := d.screen()
	d.events(&event.Rewound{Keep: 1000}, &event.Rewound{Keep: -1})
	if diff := cmp.Diff(d.screen(), before); diff != "" {
		t.Errorf("the screen changed (-got +want):\n%s", diff)
	}
}

func TestRenamedAndCompacted(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(&event.Renamed{Title: "the \x1b[31mbuild\n"})
		d.events(twoTurns()[:firstTurn+1]...)
		d.typeText("/compact")
		d.press("enter")
		d.events(&event.Compacted{Replies: 3, Saved: 12_345, Why: "requested"}, turnEnd(event.Done, 0))
		d.golden("compacted-" + size)
		d.wantCommands(event.Compact{})
		if got, want := d.m.View().WindowTitle, "agent · the ␛[31mbuild⏎"; got != want {
			t.Errorf("got the title %q, want %q", got, want)
		}
		d.events(&event.Rewound{Keep: 0})
		if got := d.screen(); !strings.Contains(got, "main · the ␛[3") {
			t.Errorf("the rewind removed the title:\n%s", got)
		}
	})
}

func TestSessionCommands(t *testing.T) {
	keep := firstTurn
	for line, want := range map[string]screen.Exit{
		"/new":    {New: true},
		"/clear":  {New: true},
		"/fork 1": {Fork: &keep, Draft: "then make it fast\nwithout new dependencies"},
	} {
		d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{ID: "s1", History: twoTurns()}})
		d.typeText(line)
		d.press("enter")
		if diff := cmp.Diff(d.m.end.next, want); diff != "" || !d.quit {
			t.Errorf("%s: the screen ended: %v, with (-got +want):\n%s", line, d.quit, diff)
		}
		d = newDriver(t, 80, 24, screen.Options{Session: screen.Session{ID: "s1", History: twoTurns()}})
		d.events(userSaid("wait"))
		d.typeText(line)
		d.press("enter")
		if d.quit || !strings.Contains(d.screen(), "interrupt it first") {
			t.Errorf("%s leaves the session during a turn:\n%s", line, d.screen())
		}
	}
}

func TestUnsavedSessionCannotBeForked(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: twoTurns()}})
	d.typeText("/fork 1")
	d.press("enter")
	if d.quit || !strings.Contains(d.screen(), "cannot be forked") {
		t.Errorf("an unsaved session was forked:\n%s", d.screen())
	}
}

func TestRename(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Title: "the build"}})
	if !strings.Contains(d.screen(), "main · the build") {
		t.Errorf("the title is missing:\n%s", d.screen())
	}
	d.typeText("/rename  a faster build ")
	d.press("enter")
	d.typeText("/rename")
	d.press("enter")
	if !strings.Contains(d.screen(), "usage: /rename TITLE") {
		t.Errorf("the usage of /rename is missing:\n%s", d.screen())
	}
	d.wantCommands(event.Rename{Title: "a faster build"})
}

func TestRewindByNumber(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: twoTurns()}})
	for _, line := range []string{"/rewind 3", "/rewind -1", "/rewind it"} {
		d.typeText(line)
		d.press("enter")
		d.press("ctrl+u") // the command stays in the prompt
	}
	d.wantCommands()
	d.typeText("/rewind 1")
	d.press("enter")
	d.wantCommands(event.Rewind{Keep: firstTurn})
	if got, want := d.m.editor.Shown(), "then make it fast\nwithout new dependencies"; got != want {
		t.Errorf("got %q in the editor, want %q", got, want)
	}
}

func TestExport(t *testing.T) {
	var formats []string
	o := screen.Options{
		Session: screen.Session{Export: func(format string) (string, error) {
			formats = append(formats, format)
			if format == "json" {
				return "", errors.New("write x.json: no space left")
			}
			return "~/src/shop/x." + format, nil
		}},
	}
	d := newDriver(t, 80, 24, o)
	for line, want := range map[string]string{
		"/export":      "Exported to ~/src/shop/x.md",
		"/export html": "Exported to ~/src/shop/x.html",
		"/export json": "✗ write x.json: no space left",
		"/export pdf":  "usage: /export [md|html|json]",
	} {
		formats = nil
		d.typeText(line)
		d.press("enter")
		if !strings.Contains(d.screen(), want) {
			t.Errorf("%s: %q is missing:\n%s", line, want, d.screen())
		}
		d.press("ctrl+u")
	}
	none := newDriver(t, 80, 24, screen.Options{})
	none.typeText("/export")
	none.press("enter")
	if !strings.Contains(none.screen(), "There is no session to export.") {
		t.Errorf("the message that there is no session is missing:\n%s", none.screen())
	}
}
