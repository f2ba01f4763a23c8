package loop_test

import (
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// fullSession plays a turn with events of every type and returns its records.
func fullSession(t *testing.T) (records []history.Record, events []event.Event) {
	t.Helper()
	store := history.Open(t.TempDir())
	log := store.Create(history.Header{Dir: "/w"})
	defer log.Close()
	var b script.Reply
	p := script.New(
		b.Think("let me see").Text("looking").Call("c1", "look", args("a")).Call("c2", "look", args("b")).Calls(),
		b.Call("c3", "change", args("d/a")).Call("c4", "run", args("make")).Calls(),
		b.Call("c5", "todo", `{"items":[{"text":"rest","state":"active"}]}`).Call("c6", "ask", whichOne).Calls(),
		script.Say("all done"),
		script.Say("second answer"),
	)
	o := options(p, echo("look", tools.Read), echo("change", tools.Write), echo("run", tools.Execute))
	o.Log, o.Permissions.Mode = log, event.ModeAsk
	clock := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	tick := make(chan time.Time, 1)
	tick <- clock
	o.Clock.Now = func() time.Time { n := (<-tick).Add(700 * time.Millisecond); tick <- n; return n } // so that partials are written
	events = play(t, o, []string{"one", "two"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Always, Choices: []int{0}}}
		}
		return nil
	})
	for r, err := range recorded(log) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records, events
}

// replayOf returns the state of a session with the given events.
func replayOf(t *testing.T, events []event.Durable) session.State {
	t.Helper()
	var records []history.Record
	for _, e := range events {
		body, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, history.Record{Body: body})
	}
	state, err := session.ReplayRecords(of(records))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func of(records []history.Record) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// A session holds the events that were shown, and a resumed model gets the same
// messages as before.
func TestReplayMatchesEvents(t *testing.T) {
	records, events := fullSession(t)
	state, err := session.ReplayRecords(of(records))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []event.Event
	for _, e := range events {
		if _, partial := e.(*event.Partial); partial {
			continue
		}
		if d, ok := e.(event.Durable); ok {
			want = append(want, d)
		}
	}
	for _, e := range state.Events {
		got = append(got, e)
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("events: %s", d)
	}
	if len(state.Closing) > 0 || state.Model != "script/test" || state.Usage.Input != 500 || state.Steps != 5 {
		t.Errorf("got closing %v, model %q, usage %+v, %d steps, want none, script/test, 500 in, 5", state.Closing, state.Model, state.Usage, state.Steps)
	}
	p := script.New(script.Say("third"))
	o := options(p)
	o.Log = resumedLog(t, state.Events...)
	play(t, o, []string{"three"}, nil)
	want2 := dedent(`
		user "one"
		thinking "let me see"
		assistant "looking"
		call c1 look {"text":"a"}
		call c2 look {"text":"b"}
		result c1 "did a"
		result c2 "did b"
		call c3 change {"text":"d/a"}
		call c4 run {"text":"make"}
		result c3 "did d/a"
		result c4 "did make"
		call c5 todo {"items":[{"text":"rest","state":"active"}]}
		call c6 ask ` + whichOne + `
		result c5 "Todo list saved: 0 of 1 done, active: rest."
		result c6 "The user chose: red"
		assistant "all done"
		user "two"
		assistant "second answer"
		user "three"`)
	if d := cmp.Diff(conversation(p.Requests()[0]), want2); d != "" {
		t.Errorf("resumed conversation: %s", d)
	}
}

// Every prefix of a session replays to a conversation with one result per call and
// without lost messages. Closing it twice changes nothing.
func TestReplayOfEveryPrefix(t *testing.T) {
	records, _ := fullSession(t)
	for n := range len(records) + 1 {
		state, err := session.ReplayRecords(of(records[:n]))
		if err != nil {
			t.Fatalf("%d records: %v", n, err)
		}
		if err := valid(state.Messages); err != nil {
			t.Errorf("%d records: %v", n, err)
		}
		closed := append([]history.Record(nil), records[:n]...)
		for _, e := range state.Closing {
			body, err := event.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			closed = append(closed, history.Record{Body: body})
		}
		again, err := session.ReplayRecords(of(closed))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(again.Messages, state.Messages); d != "" || len(again.Closing) > 0 {
			t.Errorf("%d records: closed once, it replays to something else (still to close: %d): %s", n, len(again.Closing), d)
		}
	}
}

// After a kill during an answer, the saved part is kept.
func TestReplayKeepsPartials(t *testing.T) {
	records, _ := fullSession(t)
	for n, r := range records {
		e, err := event.Decode(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := e.(*event.Partial)
		if !ok || p.Kind != llm.Assistant {
			continue
		}
		state, err := session.ReplayRecords(of(records[:n+1]))
		if err != nil {
			t.Fatal(err)
		}
		last := state.Messages[len(state.Messages)-1]
		if last.Kind != llm.Assistant || !last.Cut || last.Text == "" {
			t.Errorf("got %+v, want the cut answer", last)
		}
		if end, ok := state.Closing[len(state.Closing)-1].(*event.TurnEnd); !ok || !end.Cut || end.Unanswered {
			t.Errorf("got %+v, want the end of a turn with a cut answer", end)
		}
		return
	}
	t.Fatal("the session has no partial answer to test with")
}

// After a kill before an answer, the conversation can be sent again.
func TestReplayOfATurnWithoutAnAnswer(t *testing.T) {
	said := &event.UserSaid{Text: "go"}
	answer := func(m llm.Message) event.Durable { m.Reply = "r"; return &event.MessageDone{Message: m} }
	for name, c := range map[string]struct {
		events     []event.Durable
		unanswered bool
	}{
		"prompt":   {[]event.Durable{said}, true},
		"thinking": {[]event.Durable{said, &event.Partial{Reply: "r", Kind: llm.Thinking, Text: "hm"}}, true},
		"call":     {[]event.Durable{said, answer(llm.Message{Kind: llm.ToolCall, ID: "c", Name: "look", Input: []byte(`{}`)})}, true},
		"answer":   {[]event.Durable{said, answer(llm.Message{Kind: llm.Assistant, Text: "done"})}, false},
	} {
		state := replayOf(t, c.events)
		if end, ok := state.Closing[len(state.Closing)-1].(*event.TurnEnd); !ok || end.Cut || end.Unanswered != c.unanswered {
			t.Errorf("%s: got %+v, want unanswered %v", name, end, c.unanswered)
		}
	}
}

// If the program was killed during a turn, the turn lasted until its last record.
func TestDurationOfAKilledTurn(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	state, err := session.ReplayRecords(of(recordsOf(t,
		&event.UserSaid{Meta: event.Meta{Time: at}, Text: "one"},
		&event.TurnEnd{Meta: event.Meta{Time: at.Add(time.Second)}, Reason: event.Done},
		&event.UserSaid{Meta: event.Meta{Time: at.Add(time.Minute)}, Text: "two"},
		&event.Partial{Meta: event.Meta{Time: at.Add(time.Minute + 4*time.Second)}, Reply: "r", Kind: llm.Assistant, Text: "I"},
	)))
	if err != nil {
		t.Fatal(err)
	}
	end, ok := state.Closing[len(state.Closing)-1].(*event.TurnEnd)
	if !ok || end.Duration != 4*time.Second {
		t.Errorf("got %+v, want an end after 4 s", state.Closing)
	}
}
