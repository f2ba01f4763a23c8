package replay

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// stage is a screen on which a player plays without waiting.
type stage struct {
	t      *testing.T
	out    chan event.Event
	in     chan event.Command
	pauses []time.Duration // that the player wanted
	stop   func()
}

func start(t *testing.T, speed float64, hold bool, events ...event.Durable) *stage {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &stage{t: t, out: make(chan event.Event), in: make(chan event.Command)}
	ended := make(chan struct{})
	p := player{events: events, speed: speed, out: s.out, in: s.in, wait: func(d time.Duration) <-chan time.Time {
		s.pauses = append(s.pauses, d)
		over := make(chan time.Time, 1)
		if !hold {
			over <- time.Time{}
		}
		return over
	}}
	go func() {
		defer close(ended)
		p.play(ctx)
	}()
	s.stop = func() {
		cancel()
		<-ended
	}
	return s
}

// until describes the events up to the first one that begins with end.
func (s *stage) until(end string) (got []string) {
	s.t.Helper()
	for {
		select {
		case e := <-s.out:
			got = append(got, describe(e))
			if strings.HasPrefix(got[len(got)-1], end) {
				return got
			}
		case <-time.After(time.Minute):
			s.t.Fatalf("there is no %q after %q", end, got)
		}
	}
}

func describe(e event.Event) string {
	switch e := e.(type) {
	case event.Streamed:
		return fmt.Sprintf("%s %v", e.Reply, e.Delta)
	case *event.UserSaid:
		return "user " + e.Text
	case *event.MessageDone:
		return "message " + e.Message.Text
	case *event.TurnEnd:
		return "end " + e.Error
	case event.Notice:
		return "notice " + e.Text
	case event.Unsent:
		return "unsent " + e.Text
	}
	return fmt.Sprintf("%T", e)
}

// story is a turn with an answer after one second, and another prompt an hour later.
func story() []event.Durable {
	at := func(d time.Duration) event.Meta {
		return event.Meta{Time: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC).Add(d)}
	}
	return []event.Durable{
		&event.UserSaid{Meta: at(0), Text: "one"},
		&event.Partial{Meta: at(500 * time.Millisecond), Reply: "r", Kind: llm.Assistant, Text: "a"},
		&event.MessageDone{Meta: at(1500 * time.Millisecond), Message: llm.Message{Kind: llm.Assistant, Reply: "r", Text: "äb"}},
		&event.TurnEnd{Meta: at(1500 * time.Millisecond)},
		&event.UserSaid{Meta: at(time.Hour), Text: "two"},
		&event.TurnEnd{Meta: at(time.Hour)},
	}
}

// A message streams in pieces, and long pauses are shortened.
func TestPlay(t *testing.T) {
	t.Parallel()
	s := start(t, 2, false, story()...)
	got := s.until("notice ")
	s.stop()
	want := []string{"user one", "r {0 ä}", "r {0 b}", "message äb", "end ", "user two", "end ", "notice End of the session. Ctrl+D quits."}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	pauses := []time.Duration{250 * time.Millisecond, 250 * time.Millisecond, 250 * time.Millisecond, time.Second}
	if d := cmp.Diff(s.pauses, pauses); d != "" {
		t.Errorf("pauses: got (-), want (+):\n%s", d)
	}
}

// An interrupt skips to the end of the turn. Nothing that the user types has an effect.
func TestCommandsDuringAReplay(t *testing.T) {
	t.Parallel()
	s := start(t, 1, true, story()[:4]...)
	s.until("user one")
	s.in <- event.Prompt{Text: "steer"}
	got := s.until("notice ")
	s.in <- event.Interrupt{}
	got = append(got, s.until("notice ")...)
	s.in <- event.Prompt{Text: "hi"}
	got = append(got, s.until("end ")...)
	s.in <- event.Rename{Title: "x"}
	got = append(got, s.until("notice ")...)
	s.stop()
	want := []string{
		"unsent steer", "notice " + readOnly,
		"message äb", "end ", "notice End of the session. Ctrl+D quits.",
		"unsent hi", "end " + readOnly,
		"notice " + readOnly,
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
