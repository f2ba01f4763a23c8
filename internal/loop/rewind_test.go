package loop_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/sampling"
)

// recordsOf returns the records of events.
func recordsOf(t *testing.T, events ...event.Durable) []history.Record {
	t.Helper()
	var records []history.Record
	for _, e := range events {
		body, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, history.Record{Body: body})
	}
	return records
}

// A rewind restores the state before the removed events.
func TestReplayRewound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	records, _ := fullSession(t)
	all, err := session.ReplayRecords(of(records))
	if err != nil {
		t.Fatal(err)
	}
	for keep := 0; keep < len(all.Events)+3; keep += sampling.Step() {
		rewound, err := session.ReplayRecords(of(append(records[:len(records):len(records)], recordsOf(t, &event.Rewound{Keep: keep})...)))
		if err != nil {
			t.Fatal(err)
		}
		n := len(rewound.Events)
		if n > keep {
			t.Errorf("keep %d: got %d events", keep, n)
		}
		if len(rewound.Closing) > 0 {
			t.Errorf("keep %d: got %d events to close it with, want none", keep, len(rewound.Closing))
		}
		if err := valid(rewound.Messages); err != nil {
			t.Errorf("keep %d: %v", keep, err)
		}
		before := replayOf(t, all.Events[:n])
		before.Messages = before.Messages[:len(rewound.Messages)]
		before.Events, before.Closing = before.Events[:n], nil
		if d := cmp.Diff(rewound, before, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("keep %d: %s", keep, d)
		}
	}
}

func TestReplayNamesAndGrants(t *testing.T) {
	said := func(text string) *event.UserSaid { return &event.UserSaid{Text: text} }
	end := &event.TurnEnd{Reason: event.Done}
	grant := event.Grant{Kind: "path", Value: "a/"}
	records := recordsOf(t,
		said("one"), end,
		&event.Renamed{Title: "tides"}, said("two"),
		&event.Decided{ID: "c1", Decision: event.Always, Grant: &grant}, end)
	state, err := session.ReplayRecords(of(records))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(state.Standing.Grants, []event.Grant{grant}); d != "" || state.Title != "tides" {
		t.Errorf("got title %q, grants %s", state.Title, d)
	}
	state, err = session.ReplayRecords(of(append(records, recordsOf(t, &event.Rewound{Keep: 2})...)))
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Events) != 2 || len(state.Standing.Grants) != 0 || state.Title != "tides" {
		t.Errorf("got %d events, grants %v, title %q, want 2, none and the title", len(state.Events), state.Standing.Grants, state.Title)
	}
}

// A session with many rewinds can be opened.
func TestReplayManyRewinds(t *testing.T) {
	var events []event.Durable
	for range 2000 {
		events = append(events, &event.UserSaid{Text: "x"}, &event.TurnEnd{Reason: event.Done}, &event.UserSaid{Text: "y"}, &event.TurnEnd{Reason: event.Done})
	}
	for range 2000 {
		events = append(events, &event.UserSaid{Text: "z"}, &event.TurnEnd{Reason: event.Done}, &event.Rewound{Keep: 7000})
	}
	start := time.Now()
	state := replayOf(t, events)
	if took := time.Since(start); len(state.Events) != 7000 || took > hang {
		t.Errorf("got %d events after %s, want 7000", len(state.Events), took)
	}
}

// A list counts the remaining messages, and summaries are updated incrementally.
func TestSummarise(t *testing.T) {
	said := func(text string) *event.UserSaid { return &event.UserSaid{Text: text} }
	end := &event.TurnEnd{Reason: event.Done}
	records := recordsOf(t, said("first  words"), end, said("two"), end, said("three"), end,
		&event.Rewound{Keep: 2}, said("four"), end, &event.Renamed{Title: "tides"}, said("five"), end)
	outline := func(title string, messages int) session.Outline {
		return session.Outline{Title: title, Messages: messages}
	}
	want := []session.Outline{
		outline("", 0), outline("first words", 1), outline("first words", 1), outline("first words", 2), outline("first words", 2), outline("first words", 3), outline("first words", 3),
		outline("first words", 1), outline("first words", 2), outline("first words", 2), outline("tides", 2), outline("tides", 3), outline("tides", 3),
	}
	for n := range want {
		if d := cmp.Diff(session.OutlineOf(of(records[:n])), want[n]); d != "" {
			t.Errorf("%d records: %s", n, d)
		}
		var grown json.RawMessage
		for _, r := range records[:n] {
			grown = session.Summarize(grown, of([]history.Record{r}))
		}
		if d := cmp.Diff(session.SummaryOf(grown).Outline(), want[n]); d != "" {
			t.Errorf("%d records, one at a time: %s", n, d)
		}
	}
	if got := session.OutlineOf(of(append(records, recordsOf(t, &event.Rewound{}, said("anew"))...))); got.Messages != 1 {
		t.Errorf("got %+v after a rewind to the beginning, want one message", got)
	}
}
