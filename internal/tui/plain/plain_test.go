package plain

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// TestPlainLineIsNoAnswer checks that a line that is not an answer is sent as a
// message and does not answer the question.
func TestPlainLineIsNoAnswer(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var sent []event.Command
	send := func(c event.Command) { sent = append(sent, c) }
	p := newFront(screen.Options{Output: io.Discard}, func() time.Time { return now }, send, Lines{Typed: true})
	p.handle(t.Context(), &event.UserSaid{Text: "go"})
	p.handle(t.Context(), event.Asked{Ask: event.Ask{ID: "1", Title: "shell make", Effect: "execute", Targets: []event.Target{{Kind: "command", Value: "make"}}}})
	for _, line := range []string{"also", "sure thing", "yes please", "", "sure thing"} {
		for _, pause := range []time.Duration{time.Minute, 100 * time.Millisecond} {
			now = now.Add(pause)
			p.line(line)
		}
	}
	for _, c := range sent {
		if a, ok := c.(event.Answer); ok {
			t.Errorf("a line was taken for %v", a)
		}
	}
	if !p.dialog.Waits() {
		t.Fatal("the question is gone")
	}
	for range 3 { // an answer that comes too soon after a line is a message
		p.line("y")
	}
	if a, ok := sent[len(sent)-1].(event.Answer); ok || !p.dialog.Waits() {
		t.Fatalf("a line that came too soon was taken for %v", a)
	}
	now = now.Add(dialog.Quiet)
	p.line("3")
	if diff := cmp.Diff(sent[len(sent)-1], event.Command(event.Answer{ID: "1", Decision: event.Refuse})); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// The queue is saved with the session when the program exits.
func TestQueueIsSavedAtTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	events, commands, lines := make(chan event.Event), make(chan event.Command), make(chan string)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = Show(ctx, screen.Options{Events: events, Commands: commands, Output: io.Discard}, Lines{C: lines, Typed: true})
	}()
	lines <- "!sleep 100"
	<-commands
	events <- &event.ShellStart{ID: "1", Line: "sleep 100", Join: true}
	lines <- "then commit"
	lines <- "" // taken after the line before it
	stop()
	draft, ok := (<-commands).(event.SaveDraft)
	if want := []event.Waiting{{Text: "then commit"}}; !ok || !cmp.Equal(draft.Draft.Queue, want) {
		t.Errorf("got %+v, want a draft with %+v", draft, want)
	}
	<-ended
}

// A retry is printed without escape sequences, and an empty line retries a turn that
// failed.
func TestRetries(t *testing.T) {
	var out bytes.Buffer
	var sent []event.Command
	send := func(c event.Command) { sent = append(sent, c) }
	p := newFront(screen.Options{Output: &out}, time.Now, send, Lines{Typed: true})
	p.begin()
	p.handle(t.Context(), &event.UserSaid{Text: "go"})
	p.handle(t.Context(), event.Retrying{Attempt: 2, In: time.Second, Error: "busy"})
	p.line("")
	p.handle(t.Context(), &event.TurnEnd{Reason: event.ProviderError, Error: "busy"})
	p.line("")
	if diff := cmp.Diff(sent, []event.Command{event.Retry{}}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	if got := out.String(); strings.Contains(got, "\x1b") || !strings.Contains(got, "note: busy. Retrying in 1 s (attempt 2)") {
		t.Errorf("got %q", got)
	}
}

// A question that no longer waits is followed by the next one.
func TestNextQuestionIsPrinted(t *testing.T) {
	var out bytes.Buffer
	p := newFront(screen.Options{Output: &out}, time.Now, func(event.Command) {}, Lines{Typed: true})
	ask := func(id, agent, command string) event.Asked {
		return event.Asked{Ask: event.Ask{ID: id, Agent: agent, Title: "shell " + command, Effect: "execute", Targets: []event.Target{{Kind: "command", Value: command}}}}
	}
	p.handle(t.Context(), &event.UserSaid{Text: "go"})
	p.handle(t.Context(), ask("2:1", "explore 2", "ls"))
	p.handle(t.Context(), ask("1", "", "make"))
	if strings.Contains(out.String(), "make") {
		t.Errorf("two questions are printed: %q", out.String())
	}
	p.handle(t.Context(), event.AskDone{ID: "2:1"})
	if got := out.String(); strings.Count(got, "ask: explore 2: Run this command?") != 1 || !strings.Contains(got, "ask: Run this command?\n  make\n") {
		t.Errorf("got %q", got)
	}
}

// An empty line prints the rows of a question again, and the next line can be the answer at
// once. After a wrong answer, an answer needs a pause.
func TestEmptyLinesDoNotDelayAnswers(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	room := event.Ask{ID: "1"}.Of(elicit.Question{Form: elicit.Form{Server: "desk", Tool: "book", At: 1, Of: 2}, Choices: []string{"Garden"}})
	for _, c := range []struct {
		ask      event.Ask
		lines    []string
		answered bool
	}{
		{event.Ask{ID: "1", Title: "shell make"}, []string{"", "n"}, true},
		{room, []string{"", "n"}, true},
		{room, []string{"what?", "n"}, false},
	} {
		var sent []event.Command
		p := newFront(screen.Options{Output: io.Discard}, func() time.Time { return now }, func(c event.Command) { sent = append(sent, c) }, Lines{Typed: true})
		p.handle(t.Context(), &event.UserSaid{Text: "go"})
		p.handle(t.Context(), event.Asked{Ask: c.ask})
		p.line("") // too soon
		now = now.Add(dialog.Quiet)
		for _, line := range c.lines {
			p.line(line)
		}
		if p.dialog.Waits() == c.answered {
			t.Errorf("%q: sent %v", c.lines, sent)
		}
	}
}

// The user can answer the next question of a form at once.
func TestNextQuestionOfAFormNeedsNoPause(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var sent []event.Command
	p := newFront(screen.Options{Output: io.Discard}, func() time.Time { return now }, func(c event.Command) { sent = append(sent, c) }, Lines{Typed: true})
	p.handle(t.Context(), &event.UserSaid{Text: "go"})
	for at := range 2 {
		p.handle(t.Context(), event.Asked{Ask: event.Ask{ID: "1"}.Of(elicit.Question{Form: elicit.Form{Server: "desk", Tool: "book", At: at + 1, Of: 2, Typed: true}})})
		if at == 0 {
			now = now.Add(dialog.Quiet)
		}
		p.line("x")
		p.handle(t.Context(), event.AskDone{ID: "1"})
	}
	answer := event.Answer{ID: "1", Decision: event.Answered, Note: "x"}
	if diff := cmp.Diff([]event.Command{answer, answer}, sent); diff != "" {
		t.Error(diff)
	}
}
