package transcript

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// shows fails unless the window shows each text.
func (s *screen) shows(want ...string) {
	s.Helper()
	got := ansi.Strip(strings.Join(s.window(), "\n"))
	for _, w := range want {
		if !strings.Contains(got, w) {
			s.Errorf("there is no %q in\n%s", w, got)
		}
	}
}

func called(name, args string) *event.MessageDone {
	return &event.MessageDone{Message: llm.Message{Kind: llm.ToolCall, Reply: "r", ID: "1", Name: name, Input: json.RawMessage(args)}}
}

func ended(title string, effect event.Effect, outcome event.Outcome, text string) *event.ToolEnd {
	return &event.ToolEnd{Title: title, Effect: effect, Outcome: outcome, Result: llm.Message{Kind: llm.ToolResult, ID: "1", Text: text}}
}

// A call that failed before it had a title is shown with its argument.
func TestFailedCallShowsItsArgument(t *testing.T) {
	for args, want := range map[string]string{
		`{"path": "nope.go"}`:                     "✗ read  nope.go",
		`{"old": "x", "path": "nope.go", "n": 3}`: "✗ read  nope.go",
		`{"limit": 3}`:                            "✗ read",
	} {
		s := newScreen(t)
		s.take(&event.UserSaid{Text: "go"}, called("read", args), ended("read", "", event.Failed, "no such file"))
		s.shows(want, "no such file")
	}
}

// While the arguments of a call stream, its title is shown as soon as it is complete.
func TestStreamedCallShowsItsPath(t *testing.T) {
	s := newScreen(t)
	s.take(&event.UserSaid{Text: "go"}, event.Streamed{Reply: "r", Delta: llm.CallDelta{ID: "1", Name: "write"}})
	s.shows("◦ write")
	s.take(event.Streamed{Reply: "r", Delta: llm.CallDelta{Args: `{"path": "server/ser`}})
	s.shows("◦ write")
	s.take(event.Streamed{Reply: "r", Delta: llm.CallDelta{Args: `ver.go", "content": "package ser`}})
	s.take(event.Streamed{Reply: "r", Delta: llm.CallDelta{Args: strings.Repeat("x", 20_000)}})
	s.shows("◦ write  server/server.go", "20.1k bytes")
}

// The diff of a rejected edit is shown. It was not written, so it does not count as a
// change of the turn.
func TestRejectedEditShowsItsDiff(t *testing.T) {
	end := ended("edit a.go", "write", event.Refused, "not run")
	end.Diffs = []event.Diff{{Path: "a.go", Unified: "@@ -1 +1 @@\n-old\n+new\n", Added: 1, Removed: 1}}
	s := newScreen(t)
	s.take(&event.UserSaid{Text: "go"}, called("edit", `{"path": "a.go"}`),
		event.Asked{Ask: event.Ask{ID: "1", Title: "edit a.go", Effect: "write", Diffs: end.Diffs}},
		&event.Decided{ID: "1", Decision: event.Refuse}, end, &event.TurnEnd{Reason: event.Done})
	s.shows("✗ edit  a.go", "rejected", "1 │- old", "1 │+ new")
	if got := ansi.Strip(strings.Join(s.window(), "\n")); strings.Contains(got, "changed") {
		t.Errorf("a rejected edit counts as a change:\n%s", got)
	}
}

// An interrupted command keeps the output that it had, without the note for the
// model above it.
func TestInterruptedCommandKeepsItsOutput(t *testing.T) {
	s := newScreen(t)
	s.list.OpenKey = "ctrl+o"
	s.take(&event.UserSaid{Text: "go"}, called("shell", `{"command": "make"}`),
		&event.ToolStart{ID: "1", Title: "shell make", Effect: "execute"},
		ended("shell make", "execute", event.Interrupted, "a note:\none\ntwo\nthree\nfour\nfive\nsix\nseven\n"))
	s.shows("✗ shell  make", "interrupted", "    three\n    four\n    five\n    six\n    seven\n    + 2 lines (ctrl+o)")
	if got := ansi.Strip(strings.Join(s.window(), "\n")); strings.Contains(got, "a note") {
		t.Errorf("the note for the model is shown:\n%s", got)
	}
}

// A collapsed output says how many lines it has and which key opens it.
func TestCollapsedOutput(t *testing.T) {
	s := newScreen(t)
	s.list.OpenKey = "f5"
	s.take(&event.UserSaid{Text: "go"}, called("shell", `{"command": "make"}`),
		&event.ToolStart{ID: "1", Title: "shell make", Effect: "execute"},
		ended("shell make", "execute", event.OK, strings.Repeat("line\n", 18)))
	s.shows("· shell  make", "+ 18 lines (f5)")
	s.list.ToggleLast()
	s.shows("    line\n    line\n")
	if got := ansi.Strip(strings.Join(s.window(), "\n")); strings.Contains(got, "+ 18 lines") {
		t.Errorf("the open item is called collapsed:\n%s", got)
	}
}

// A retry says when the next attempt starts, and is not drawn in red.
func TestRetryIsDrawn(t *testing.T) {
	now := time.Unix(0, 0)
	st := ink.Look{Dark: true}.Styles()
	list := New(st)
	feed := NewFeed(list, func() time.Time { return now })
	s := &screen{t, list, feed}
	s.take(&event.UserSaid{Text: "go"}, event.Retrying{Attempt: 2, Of: 6, In: 12 * time.Second, Error: "openai: rate limited (429)"})
	s.shows("openai: rate limited (429). Retrying in 12 s (attempt 2 of 6).")
	now = now.Add(13 * time.Second)
	feed.Tick()
	s.shows("Retrying now (attempt 2 of 6).")
	mark := st.Red.Render(ink.MarkFailed)
	if mark == ink.MarkFailed || strings.Contains(strings.Join(s.window(), "\n"), mark) {
		t.Errorf("the retry is drawn in red:\n%q", s.window())
	}
}
