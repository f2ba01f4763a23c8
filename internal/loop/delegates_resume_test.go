package loop_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// However much of a session with delegates was written before the program was killed:
// the resumed session has one end of each delegate, the model gets one result of each
// call and one message about each delegate in the background, and a second resume adds
// nothing.
func TestResumeSessionsWithDelegatesAfterAKill(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join(goldenSessions, "delegates*.jsonl"))
	if err != nil || len(logs) < 4 {
		t.Fatalf("got %d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for n := 1; n < len(lines); n++ {
			store := placed(t, bytes.Join(lines[:n], nil))
			resumeAndCheck(t, filepath.Base(log), n, store)
		}
	}
}

// resumeAndCheck resumes session x, which has the first n lines of a log, twice.
func resumeAndCheck(t *testing.T, name string, n int, store *history.Store) {
	t.Helper()
	before := 0
	for again := range 2 {
		log, _, err := store.Resume("x")
		if err != nil {
			t.Fatal(err)
		}
		resumed := resumedRequest(t, log)
		state, err := session.ReplayRecords(recorded(log))
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		ended, open, notes := endsOf(state.Events)
		if len(open) > 0 || len(state.Closing) > 0 {
			t.Errorf("%s, %d lines: the resumed session has delegates without an end: %v, and misses %d events", name, n, open, len(state.Closing))
		}
		for id, count := range ended {
			if count != 1 {
				t.Errorf("%s, %d lines: delegate %d has %d ends", name, n, id, count)
			}
		}
		for id, count := range notes {
			if count != 1 {
				t.Errorf("%s, %d lines: the model gets %d messages about delegate %d:\n%s", name, n, count, id, resumed)
			}
		}
		if again == 1 && len(ended) != before {
			t.Errorf("%s, %d lines: a second resume changes %d ends to %d", name, n, before, len(ended))
		}
		before = len(ended)
	}
}

// endsOf returns the number of ends of each delegate that has one, the delegates
// without one, and the number of messages about each delegate that ended in the
// background.
func endsOf(events []event.Durable) (ended map[int]int, open map[int]bool, notes map[int]int) {
	ended, open, notes = map[int]int{}, map[int]bool{}, map[int]int{}
	names := map[int]string{}
	for _, e := range events {
		switch e := e.(type) {
		case *event.DelegateStart:
			open[e.ID] = true
		case *event.DelegateEnd:
			ended[e.ID]++
			delete(open, e.ID)
			if e.Background {
				notes[e.ID], names[e.ID] = 0, e.Name
			}
		case *event.UserSaid:
			for id, name := range names {
				if e.Auto && strings.Contains(e.Text, name+" "+string(rune('0'+id))) {
					notes[id]++
				}
			}
		}
	}
	return ended, open, notes
}

// A delegate whose end a rewind removed ends once more, without its usage, and its
// number is not used again.
func TestRewoundEndOfADelegate(t *testing.T) {
	cost := 0.5
	log := resumedLog(t,
		&event.UserSaid{Text: "one"},
		&event.DelegateStart{ID: 1, Name: "explore", Prompt: "find it", Session: "s1"},
		&event.TurnEnd{Reason: event.Done},
		&event.UserSaid{Text: "two"},
		&event.DelegateStart{ID: 2, Name: "explore", Prompt: "find more", Session: "s2"},
		&event.DelegateEnd{ID: 1, Name: "explore", Reason: event.Done, Answer: "found", Background: true, Steps: 3, Cost: &cost},
		&event.TurnEnd{Reason: event.Done},
		&event.Rewound{Keep: 3},
	)
	p := script.New(script.Say("here"))
	o := options(p)
	o.Log = log
	play(t, o, []string{"three"}, nil)
	state, err := session.ReplayRecords(recorded(log))
	if err != nil {
		t.Fatal(err)
	}
	ended, open, _ := endsOf(state.Events)
	if len(open) > 0 || len(ended) != 1 || ended[1] != 1 || !strings.Contains(conversation(p.Requests()[0]), "found") {
		t.Errorf("got ends %v, open %v and the request\n%s", ended, open, conversation(p.Requests()[0]))
	}
	v, err := log.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := session.ReadIndex(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if used, _ := s.Used(); len(s.Delegates()) != 2 || used[event.LimitSteps] != 4 {
		t.Errorf("got the delegates %+v and %v, want 2 and 4 steps", s.Delegates(), used)
	}
}

// A resumed session lists its earlier delegates as ended, with their sessions. A delegate
// that worked when the program exited was stopped, and one without a session was not started.
func TestResumedSessionListsItsDelegates(t *testing.T) {
	cost, at := 0.5, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	meta := func(minutes int) event.Meta { return event.Meta{Time: at.Add(time.Duration(minutes) * time.Minute)} }
	log := resumedLog(t,
		&event.UserSaid{Meta: meta(0), Text: "one"},
		&event.DelegateStart{Meta: meta(1), ID: 1, Call: "c1", Name: "explore", Prompt: "find it\nsoon", Model: "m", Session: "s1"},
		&event.DelegateEnd{Meta: meta(2), ID: 1, Name: "explore", Reason: event.Done, Answer: "found", Steps: 3, Usage: llm.Usage{Input: 10, Output: 2}, Cost: &cost},
		&event.DelegateEnd{Meta: meta(3), ID: 2, Name: "review", Reason: event.ProviderError, Error: "no model"},
		&event.DelegateStart{Meta: meta(4), ID: 3, Name: "general", Prompt: "do it", Model: "m", Session: "s3"},
		&event.TurnEnd{Meta: meta(5), Reason: event.Done},
	)
	o := options(script.New(script.Say("here"), script.Say("done")))
	o.Log = log
	var got []event.Delegate
	for _, e := range play(t, o, []string{"two"}, nil) {
		if list, ok := e.(event.DelegatesNow); ok && got == nil {
			got = list.Delegates
		}
	}
	want := []event.Delegate{
		{ID: 1, Call: "c1", Name: "explore", Task: "find it soon", Model: "m", Session: "s1", State: event.DelegateDone, Steps: 3, Tokens: 12, Cost: cost, Began: meta(1).Time, Ended: meta(2).Time},
		{ID: 2, Name: "review", State: event.DelegateFailed, Began: meta(3).Time, Ended: meta(3).Time},
		{ID: 3, Name: "general", Task: "do it", Model: "m", Session: "s3", State: event.DelegateStopped, Began: meta(4).Time, Ended: meta(5).Time},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// What delegates used counts in the budget and the cost of the resumed session.
func TestUsageOfDelegatesCountsInTheSession(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(goldenSessions, "delegates.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := placed(t, text).View("x")
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := session.ReadIndex(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	used, unpriced := s.Used()
	steps, tokens, cost := used[event.LimitSteps], used[event.LimitTokens], used[event.LimitCost]
	if steps != 25 || tokens != 3230+9120+63400 || cost < 0.1189 || cost > 0.1191 || unpriced != 0 {
		t.Errorf("got %v, %d steps without a price", used, unpriced)
	}
	if opened := s.Opened(nil); opened.Cost != cost {
		t.Errorf("got the cost %v, want %v", opened.Cost, cost)
	}
}

// The end of a delegate that worked when the program was killed has what its own
// session says that it used. A session of another parent does not count.
func TestUsageOfKilledDelegates(t *testing.T) {
	cost := 0.25
	store := history.Open(t.TempDir())
	write := func(h history.Header, events ...event.Durable) {
		records := recordsOf(t, events...)
		log, err := store.CreateFrom(h, func(yield func([]byte, error) bool) {
			for _, r := range records {
				if !yield(r.Body, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	step := &event.StepEnd{Reply: "r", Model: "p/m", Usage: llm.Usage{Input: 1000, Output: 50}, Cost: &cost}
	call := func(id string) event.Durable {
		return &event.MessageDone{Message: llm.Message{Kind: llm.ToolCall, Reply: "r", ID: id, Name: "delegate", Input: []byte(`{}`)}}
	}
	write(history.Header{ID: "x"}, &event.UserSaid{Text: "go"}, call("c1"), call("c2"),
		&event.DelegateStart{ID: 1, Call: "c1", Name: "explore", Session: "d1"},
		&event.DelegateStart{ID: 2, Call: "c2", Name: "explore", Session: "other"},
		&event.DelegateStart{ID: 3, Name: "explore", Session: "d3"})
	write(history.Header{ID: "d1", Parent: "x", Agent: "explore"}, &event.UserSaid{Text: "find"}, step, step)
	write(history.Header{ID: "d3", Parent: "x", Agent: "explore"}, &event.UserSaid{Text: "find"}, step)
	write(history.Header{ID: "other", Parent: "y", Agent: "explore"}, &event.UserSaid{Text: "find"}, step)

	v, err := store.View("x")
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := session.ReadIndex(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	closing := s.Closing()
	used, unpriced := s.Used(append(closing, s.Lost(closing)...)...)
	if used[event.LimitSteps] != 3 || used[event.LimitTokens] != 3150 || used[event.LimitCost] != 0.75 || unpriced != 0 {
		t.Errorf("got %v, %d without a price", used, unpriced)
	}
	if got := s.Opened(closing).Cost; got != 0.5 {
		t.Errorf("got the cost %v of the completed turn, want 0.5", got)
	}
	end, err := session.Ending(t.Context(), v, 100)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(end.Closing, closing); d != "" {
		t.Error(d)
	}
}
