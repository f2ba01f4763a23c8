package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// screen is a transcript and its feed in a window of 80×24.
type screen struct {
	*testing.T
	list *Transcript
	feed *Feed
}

func newScreen(t *testing.T) *screen {
	list := New(ink.Look{Dark: true}.Styles())
	return &screen{t, list, NewFeed(list, time.Now)}
}

// take applies events and draws the window after each.
func (s *screen) take(events ...event.Event) {
	s.Helper()
	for _, ev := range events {
		s.feed.Apply(ev)
		s.window()
	}
}

// window returns the lines of the window.
func (s *screen) window() []string {
	s.Helper()
	s.list.Layout(80, 24)
	if n := len(s.list.Window); n > 24 {
		s.Fatalf("%d lines in a window of 24", n)
	}
	for _, l := range s.list.Window {
		if w := ansi.StringWidth(l); w > 80 {
			s.Fatalf("a line is %d wide in a window of 80:\n%q", w, l)
		}
	}
	return s.list.Window
}

func streamed(text string) event.Event {
	return event.Streamed{Reply: "r", Delta: llm.TextDelta{Text: text}}
}

// longTexts returns answers that markdown.Parts splits.
func longTexts() map[string]string {
	var steps strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&steps, "%d. step\n", i)
	}
	return map[string]string{
		"paragraphs":          strings.Repeat("Some words of it.\n\n", 6000),
		"a line":              "Look: " + strings.Repeat("é", 60_000) + "\n\nThat was **it**.\n",
		"code":                "Look:\n\n```go\n" + strings.Repeat("\tx := 1\n", 8000) + "```\n\nThat was it.\n",
		"a table":             "| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 6000) + "\nThat was it.\n",
		"a list":              steps.String(),
		"quotes":              strings.Repeat("> > quoted\n", 8000),
		"line ends":           strings.Repeat("\n", 100_000) + "end",
		"a long line in code": "```\n" + strings.Repeat("x", 100_000) + "\n```\nend\n",
		"a long fence":        "```" + strings.Repeat("y", 40_000) + "\n" + strings.Repeat("code\n", 8000) + "```\nend\n",
	}
}

// A long streamed answer looks the same as one that arrives at once, and is copied as
// one text.
func TestLongAnswerStreams(t *testing.T) {
	for name, text := range longTexts() {
		t.Run(name, func(t *testing.T) {
			pieces, whole := newScreen(t), newScreen(t)
			pieces.take(&event.UserSaid{Text: "go"})
			whole.take(&event.UserSaid{Text: "go"})
			for rest := text; rest != ""; {
				n := min(1500, len(rest))
				pieces.take(streamed(rest[:n]))
				rest = rest[n:]
			}
			ended := []event.Event{
				&event.MessageDone{Message: llm.Message{Kind: llm.Assistant, Reply: "r", Text: text}},
				&event.StepEnd{Reply: "r"}, &event.TurnEnd{Reason: event.Done},
			}
			pieces.take(ended...)
			whole.take(ended...)
			if diff := cmp.Diff(pieces.window(), whole.window()); diff != "" {
				t.Errorf("the end (-streamed +whole):\n%s", diff)
			}
			if pieces.feed.State.Answer != text {
				t.Errorf("%d bytes would be copied, want %d", len(pieces.feed.State.Answer), len(text))
			}
			pieces.list.ShowStart()
			whole.list.ShowStart()
			if diff := cmp.Diff(pieces.window(), whole.window()); diff != "" {
				t.Errorf("the beginning (-streamed +whole):\n%s", diff)
			}
			if !strings.Contains(whole.window()[0], "go") {
				t.Errorf("this is not the beginning:\n%s", strings.Join(whole.window(), "\n"))
			}
		})
	}
}

// The streamed text of an answer stays if its finished message never arrives.
func TestUnfinishedLongAnswer(t *testing.T) {
	for name, text := range longTexts() {
		s := newScreen(t)
		s.take(&event.UserSaid{Text: "go"}, streamed(text), &event.TurnEnd{Reason: event.ProviderError})
		if s.feed.State.Answer != text {
			t.Errorf("%s: %d bytes would be copied, want %d", name, len(s.feed.State.Answer), len(text))
		}
	}
}

// After a rewind, the transcript can change before it is drawn again.
func TestRewindBehindTheWindow(t *testing.T) {
	s := newScreen(t)
	s.list.Pages.Limit = PageSize{Events: 2, Bytes: 1 << 10}
	for range 40 {
		s.take(&event.UserSaid{Text: "go"}, &event.TurnEnd{Reason: event.Done})
	}
	s.feed.Rewind(2)
	s.list.Rewind(2)
	for _, ev := range []event.Event{&event.UserSaid{Text: "again"}, streamed("It begins"), event.Retrying{Error: "no connection", Attempt: 1, Of: 3}, streamed("Once more")} {
		s.feed.Apply(ev)
	}
	if got := strings.Join(s.window(), "\n"); !strings.Contains(got, "Once more") || strings.Contains(got, "no connection") {
		t.Errorf("got\n%s", got)
	}
}
