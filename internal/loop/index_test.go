package loop_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/sampling"
)

// ReadIndex, pages and Ending return the same as ReplayRecords: for the logs of every format,
// for every prefix of a session, for random sessions and for damaged logs.
func TestIndexMatchesReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	names, err := filepath.Glob(filepath.Join("..", "history", "testdata", "format1", "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("got %v, %v, want the logs of every format", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sameIndex(t, placed(t, text))
		})
	}
	every, seeds := 24, uint64(12)
	if sampling.Whole() { // all lines would take half a minute
		every, seeds = 3, 60
	}
	everything, _ := fullSession(t)
	for name, records := range map[string][]history.Record{"everything": everything, "rewound and cut": eventful(t)} {
		t.Run(name, func(t *testing.T) {
			text := logOf(t, records)
			line := 0
			for end, c := range text {
				if c != '\n' {
					continue
				}
				if line++; line%every == 0 || end == len(text)-1 {
					sameIndex(t, placed(t, text[:end+1]))
				}
			}
		})
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("random ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			text := logOf(t, nonsense(t, r))
			for range r.IntN(3) {
				text[r.IntN(len(text))] ^= byte(1 + r.IntN(255))
			}
			sameIndex(t, placed(t, text[:len(text)-r.IntN(2)*r.IntN(len(text)/4)]))
		})
	}
}

// placed returns a store whose only session, x, is text.
func placed(t *testing.T, text []byte) *history.Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sessions", "x.jsonl"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return history.Open(dir)
}

// logOf returns a log with the given records.
func logOf(t *testing.T, records []history.Record) []byte {
	t.Helper()
	log, err := history.Open(t.TempDir()).CreateFrom(history.Header{ID: "x", Dir: "/w"}, func(yield func([]byte, error) bool) {
		for _, r := range records {
			if !yield(r.Body, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	text, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// nonsense returns random records.
func nonsense(t *testing.T, r *rand.Rand) (records []history.Record) {
	t.Helper()
	cost := 0.25
	words := func() string {
		return []string{"", " ", "plain", "a \"quoted\\ \n\t{}[],: end\\", "…\u2028é"}[r.IntN(5)]
	}
	id := func() string { return fmt.Sprintf("c\"%d", r.IntN(4)) }
	reply := func() string { return fmt.Sprint("r", r.IntN(3)) }
	for i := range 5 + r.IntN(120) {
		at := event.Meta{Time: time.Date(2026, 11, 1, 12, 0, 0, i*1000, time.UTC)}
		one := func(k llm.Kind) llm.Message {
			return llm.Message{Kind: k, Reply: reply(), ID: id(), Name: "run", Text: words(), Input: []byte(`{"a":["}\"",{"b":1.5e3}]}`), Raw: words()}
		}
		all := []event.Durable{
			&event.UserSaid{Meta: at, Text: words(), Images: []llm.Image{{MediaType: "image/png", Data: []byte("x")}}},
			&event.UserSaid{Meta: at, Text: words(), Steered: true, Auto: r.IntN(2) == 0},
			&event.Partial{Meta: at, Reply: reply(), Kind: llm.Assistant, Text: words()},
			&event.Partial{Meta: at, Reply: reply(), Kind: llm.Thinking, Text: words()},
			&event.MessageDone{Meta: at, Message: one(llm.Assistant)},
			&event.MessageDone{Meta: at, Message: one(llm.ToolCall)},
			&event.ToolStart{Meta: at, ID: id(), Title: words(), Effect: "execute", Targets: []event.Target{{Kind: "command", Value: words()}}},
			&event.Decided{Meta: at, ID: id(), Decision: event.Answered, Chosen: []string{words()}},
			&event.ToolEnd{Meta: at, Result: one(llm.ToolResult), Title: words(), Outcome: event.OK, Diffs: []event.Diff{{Path: "a", Unified: words()}}},
			&event.StepEnd{Meta: at, Reply: reply(), Model: "script/test", Usage: llm.Usage{Input: i}, Cost: &cost},
			&event.TurnEnd{Meta: at, Reason: event.Done},
			&event.ModelSet{Meta: at, Model: words(), Effort: words(), BaseURL: words(), Host: words()},
			&event.ModeSet{Meta: at, Mode: words()},
			&event.TodoSet{Meta: at, Items: []event.TodoItem{{Text: words(), State: event.TodoActive}}},
			&event.Renamed{Meta: at, Title: words()},
			&event.Compacted{Meta: at, Replies: 1},
			&event.ShellStart{Meta: at, ID: id(), Line: words(), Join: r.IntN(2) == 0},
			&event.ShellEnd{Meta: at, ID: id(), Line: words(), Join: true, Text: words()},
			&event.ShellOutputSent{Meta: at, ID: id()},
			&event.DelegateStart{Meta: at, ID: i, Call: id(), Name: "explore", Prompt: words(), Session: words()},
			&event.DelegateEnd{Meta: at, ID: i - r.IntN(20), Name: "explore", Reason: event.Done, Answer: words(), Background: r.IntN(2) == 0, Steps: 2, Usage: llm.Usage{Input: i + 1}, Cost: &cost},
			&event.UserSaid{Meta: at, Text: fmt.Sprintf("[explore %d: done]", i-r.IntN(20)), Steered: true, Auto: true},
			&event.PlanSet{Meta: at, ID: id(), Text: words(), State: event.PlanApproved},
		}
		if r.IntN(25) == 0 {
			all = []event.Durable{&event.Rewound{Meta: at, Keep: r.IntN(i + 2)}}
		}
		records = append(records, recordsOf(t, all[r.IntN(len(all))])...)
		if r.IntN(20) == 0 {
			records = append(records, history.Record{Body: []byte(`{"type":"later", "spaced": [1, 2]}`)},
				history.Record{Body: []byte(`{"type":"user", "text" : "spaced", "time":"2026-11-01T12:00:00Z"}`)})
		}
	}
	return records
}

// sameIndex checks that all ways to read the session x return the same.
func sameIndex(t *testing.T, s *history.Store) {
	t.Helper()
	log, _, err := s.ResumeTail("x")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	v, err := log.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var problems []string
	state, err := session.ReplayLog(t.Context(), v, func(p history.Problem) { problems = append(problems, p.Text) })
	if err != nil {
		t.Fatal(err)
	}
	// When the agent resumes the session, it ends typed commands and delegates that were
	// running.
	whole := state
	for n := len(state.Closing) - 1; n >= 0 && background(state.Closing[n]); n-- {
		state.Closing, state.Events = state.Closing[:n], state.Events[:len(state.Events)-1]
	}
	want := openedOf(state)
	want.Problems = problems
	want.Cost = sameRemoved(t, v, len(state.Events)-len(state.Closing))
	for _, least := range []int{0, 1, 7, 30, 1000} {
		sameEnding(t, v, state, least)
	}

	a := loop.NewAgent(fill(loop.Options{Log: log}))
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command), make(chan event.Event)
	go a.Run(ctx, commands, events)
	if want.Events > 0 || len(problems) > 0 {
		e := <-events
		if d := cmp.Diff(e, event.Event(want), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		for i, from := range want.Bounds {
			samePage(t, a, state.Events, from, append(want.Bounds, want.Events)[i+1])
		}
	}
	close(commands)
	var ends []event.Event
	for e := range events {
		ends = append(ends, e)
	}
	if d := eventDiff(durable(ends), whole.Events[want.Events:]); d != "" {
		t.Errorf("what the agent said then: %s", d)
	}
	samePage(t, a, whole.Events, 0, len(whole.Events))
	if _, err := a.Page(0, len(whole.Events)+1); err == nil {
		t.Error("got a page beyond the end")
	}
}

// background reports whether e is a missing event of what ran in the background when
// the program exited.
func background(e event.Durable) bool {
	switch e := e.(type) {
	case *event.ShellEnd:
		return true
	case *event.DelegateEnd:
		return e.Background
	case *event.UserSaid:
		return e.Auto
	}
	return false
}

// eventDiff returns the difference between two lists of events. Most are equal, which
// reflect.DeepEqual finds in a tenth of the time.
func eventDiff(got, want []event.Durable) string {
	if reflect.DeepEqual(got, want) {
		return ""
	}
	return cmp.Diff(got, want, cmpopts.EquateEmpty())
}

func samePage(t *testing.T, a *loop.Agent, events []event.Durable, from, to int) {
	t.Helper()
	page, err := a.Page(from, to)
	if err != nil {
		t.Fatal(err)
	}
	if d := eventDiff(durable(page), events[from:to]); d != "" {
		t.Errorf("events %d to %d: %s", from, to, d)
	}
}

func sameEnding(t *testing.T, v *history.View, all session.State, least int) {
	t.Helper()
	end, err := session.Ending(t.Context(), v, least)
	if err != nil {
		t.Fatal(err)
	}
	n := len(all.Events) - len(end.Events)
	if n < 0 {
		t.Fatalf("got %d events, want %d at most", len(end.Events), len(all.Events))
	}
	if d := eventDiff(end.Events, all.Events[n:]); d != "" {
		t.Errorf("the last %d: %s", least, d)
	}
	if d := eventDiff(end.Closing, all.Closing); d != "" {
		t.Errorf("closing, after the last %d: %s", least, d)
	}
	said, _ := append(slices.Clip(all.Events), &event.TurnEnd{})[n].(*event.UserSaid)
	if n > 0 && (len(end.Events)-len(end.Closing) < least || said == nil || said.Steered) {
		t.Errorf("the last %d: got %d events, the first %v, want a prompt that begins a turn", least, len(end.Events), all.Events[n])
	}
	if end.BaseURL != all.BaseURL || end.Host != all.Host {
		t.Errorf("the last %d: got %q at %q, want %q at %q", least, end.BaseURL, end.Host, all.BaseURL, all.Host)
	}
	if end.Effort != all.Effort {
		t.Errorf("the last %d: got effort %q, want %q", least, end.Effort, all.Effort)
	}
	if end.Model != all.Model {
		t.Errorf("the last %d: got model %q, want %q", least, end.Model, all.Model)
	}
}

// sameRemoved checks that all events of a log except kept were rewound. It returns their
// total cost.
func sameRemoved(t *testing.T, v *history.View, kept int) (cost float64) {
	t.Helper()
	at := map[int64]bool{}
	for r, err := range v.From(0) {
		if err != nil {
			continue
		}
		e, err := event.Decode(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case nil, *event.Partial, *event.Rewound:
			continue
		case *event.StepEnd:
			if e.Cost != nil {
				cost += *e.Cost
			}
		case *event.DelegateEnd:
			if e.Cost != nil {
				cost += *e.Cost
			}
		}
		at[r.Offset] = true
	}
	taken, err := session.RemovedEvents(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range taken {
		delete(at, e.Offset)
	}
	if len(at) != kept {
		t.Errorf("%d events were removed and %d are left, want %d", len(taken), len(at), kept)
	}
	return cost
}

// openedOf returns the Opened of a replayed session.
func openedOf(s session.State) event.Opened {
	out := event.Opened{Events: len(s.Events), Bounds: []int{0}, Todo: s.Todo, Plan: s.Plan, Title: s.Title, Model: s.Model, Effort: s.Effort, BaseURL: s.BaseURL, Host: s.Host, Mode: s.Mode}
	for i, e := range s.Events {
		switch e := e.(type) {
		case *event.UserSaid:
			if !e.Steered {
				out.Bounds = append(out.Bounds, i)
				out.Turns++
			}
			if !e.Auto {
				out.Prompts = append(out.Prompts, event.PastPrompt{Text: e.Text, Time: e.Time, At: i, Steered: e.Steered})
			}
		case *event.StepEnd:
			if i+1 < len(s.Events) {
				out.Bounds = append(out.Bounds, i+1)
			}
		}
	}
	slices.Sort(out.Bounds)
	out.Bounds = slices.Compact(out.Bounds)
	end := len(s.Events)
	for i, p := range slices.Backward(out.Prompts) {
		if p.Steered {
			continue
		}
		var n event.ChangeCount
		for _, e := range s.Events[p.At:end] {
			n.Add(e)
		}
		out.Prompts[i].Changes, end = n.Sum(), p.At
	}
	return out
}

// A session with a record that cannot be decoded is reported as Unreadable and has no
// pages.
func TestUnreadableSession(t *testing.T) {
	records := recordsOf(t, &event.UserSaid{Text: "one"}, &event.TurnEnd{Reason: event.Done})
	records = append(records, history.Record{Body: []byte(`{"type":"user","text":7}`)})
	log, _, err := placed(t, logOf(t, records)).ResumeTail("x")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	a := loop.NewAgent(fill(loop.Options{Log: log}))
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command), make(chan event.Event)
	go a.Run(ctx, commands, events)
	close(commands)
	var all []event.Event
	for e := range events {
		all = append(all, e)
	}
	if len(all) != 1 {
		t.Fatalf("got %v, want one event", all)
	}
	if e, ok := all[0].(event.Unreadable); !ok || e.Why == "" {
		t.Errorf("got %#v, want why it cannot be read", all[0])
	}
	if _, err := a.Page(0, 1); err == nil {
		t.Error("got a page")
	}
}
