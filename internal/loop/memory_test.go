package loop_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// command sends an agent commands, each after the event that ends the previous one
// according to done.
func command(t *testing.T, o loop.Options, commands []event.Command, done func(event.Event) bool) []event.Event {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	in, events := make(chan event.Command, len(commands)), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(ctx, in, events)
	in <- commands[0]
	next := 1
	var all []event.Event
	for e := range events {
		all = append(all, e)
		if !done(e) {
			continue
		}
		if next == len(commands) {
			close(in)
			next++
		} else if next < len(commands) {
			in <- commands[next]
			next++
		}
	}
	if ctx.Err() != nil {
		t.Fatalf("the agent hung; events so far:\n%s", trace(all))
	}
	return all
}

// carriedOut reports whether an event ends a prompt, a rename, a rewind, a compaction
// or a rejected command.
func carriedOut(e event.Event) bool {
	switch e.(type) {
	case *event.TurnEnd, *event.Renamed, *event.Rewound, *event.Compacted, event.Notice:
		return true
	}
	return false
}

// The model does not get rewound messages, also after a resume, with and without a log.
func TestRewind(t *testing.T) {
	for name, logged := range map[string]bool{"with a log": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			p := script.New(script.Call("c1", "look", args("a")), script.Say("first"), script.Call("c1", "look", args("b")), script.Say("second"), script.Say("third"))
			o := options(p, reader())
			o.Workspace.Ledger = workspace.NewLedger()
			if logged {
				o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
				defer o.Log.Close()
			}
			say := func(text string) event.Command { return event.Prompt{Text: text} }
			events := command(t, o, []event.Command{
				say("one"), event.Rename{Title: " tides\n and moons "}, say("two"), event.Rewind{Keep: 10}, event.Rewind{Keep: 99}, say("three"),
			}, carriedOut)
			want := dedent(`
				user "one"
				call c1 look {"text":"a"}
				result c1 "ok"
				assistant "first"
				user "three"`)
			requests := p.Requests()
			if d := cmp.Diff(conversation(requests[len(requests)-1]), want); d != "" {
				t.Errorf("%s\n%s", d, trace(events))
			}
			var rewound []int
			for _, e := range events {
				if r, ok := e.(*event.Rewound); ok {
					rewound = append(rewound, r.Keep)
				}
			}
			if d := cmp.Diff(rewound, []int{10}); d != "" { // the second rewind changes nothing
				t.Error(d)
			}
			if !logged {
				return
			}
			state, err := session.ReplayRecords(recorded(o.Log))
			if err != nil {
				t.Fatal(err)
			}
			if state.Title != "tides and moons" || state.Steps != 3 {
				t.Errorf("got title %q, %d steps, want the title and 3", state.Title, state.Steps)
			}
		})
	}
}

// Messages that steer a turn and unsent messages survive a kill.
func TestDraft(t *testing.T) {
	store := history.Open(t.TempDir())
	log := store.Create(history.Header{Dir: "/w"})
	defer log.Close()
	kept := func() (d event.Draft) {
		text, err := log.Draft()
		if err != nil {
			t.Error(err)
		}
		if text != nil && json.Unmarshal(text, &d) != nil {
			t.Errorf("got %q, want JSON", text)
		}
		return d
	}
	images := []llm.Image{{MediaType: "image/png", Data: []byte("a picture")}}
	heard, steered := make(chan struct{}), make(chan struct{})
	look := tool("look", tools.Read, func(ctx context.Context, text string) (string, error) {
		select {
		case <-heard:
		case <-ctx.Done():
		}
		return text, ctx.Err()
	})
	p := script.New(script.Call("c1", "look", args("a")), script.Reply{Deltas: script.Say("on it").Deltas, Hold: map[int]<-chan struct{}{0: steered}})
	o := options(p, look)
	o.Log = log
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	go loop.NewAgent(fill(o)).Run(ctx, commands, events)
	commands <- event.Prompt{Text: "go"}
	for e := range events {
		switch e := e.(type) {
		case *event.ToolStart:
			commands <- event.SaveDraft{Draft: event.Draft{Text: "and b", Queue: []event.Waiting{{Text: "later"}}}}
			commands <- event.Prompt{Text: "and b", Images: images}
			commands <- event.SaveDraft{Draft: event.Draft{Queue: []event.Waiting{{Text: "and b"}, {Text: "later"}}}} // the front end queues it too
			commands <- event.Rewind{}
		case event.Notice: // the previous commands have been executed
			if d := cmp.Diff(kept(), event.Draft{Queue: []event.Waiting{{Text: "and b", Images: images}, {Text: "later"}}}); d != "" {
				t.Errorf("while it waits: %s", d)
			}
			close(heard)
		case *event.UserSaid:
			if e.Text == "and b" {
				if d := cmp.Diff(kept(), event.Draft{Queue: []event.Waiting{{Text: "later"}}}); d != "" {
					t.Errorf("after the first notice: %s", d)
				}
				close(steered)
			}
		case *event.TurnEnd:
			commands <- event.SaveDraft{}
			close(commands)
		}
	}
	if text, err := log.Draft(); text != nil || err != nil {
		t.Errorf("got %q, %v, want no draft left", text, err)
	}
}

// A draft of a version without images can be read.
func TestDraftOfTexts(t *testing.T) {
	var got event.Draft
	if err := json.Unmarshal([]byte(`{"text":"a","queue":["b",{"text":"c"}]}`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, event.Draft{Text: "a", Queue: []event.Waiting{{Text: "b"}, {Text: "c"}}}); diff != "" {
		t.Error(diff)
	}
}

// If a draft cannot be saved, there is one notice.
func TestDraftCannotBeSaved(t *testing.T) {
	o := options(script.New(script.Say("done")))
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	inTheWay := filepath.Join(strings.TrimSuffix(o.Log.Path(), ".jsonl")+".draft", "x")
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	draft := event.SaveDraft{Draft: event.Draft{Text: "half a"}}
	commands, events := make(chan event.Command, 8), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(t.Context(), commands, events)
	commands <- event.Prompt{Text: "one"}
	var notices []string
	for e := range events {
		switch e := e.(type) {
		case *event.TurnEnd:
			commands <- draft
			commands <- draft
			commands <- event.Rename{Title: "all is well"}
		case event.Notice:
			notices = append(notices, e.Text)
		case *event.Renamed:
			close(commands)
		}
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "cannot be saved") {
		t.Errorf("got %q, want one notice", notices)
	}
}

// If a prompt cannot be saved, no request is sent. When the log can be written again,
// all messages are saved.
func TestLogRecovers(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "sessions")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := script.New(script.Call("c1", "run", args("a")), script.Say("done"))
	o := options(p, echo("run", tools.Execute))
	o.Log = history.Open(dir).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	ends := 0
	events := play(t, o, []string{"one", "two"}, func(e event.Event) []event.Command {
		end, ok := e.(*event.TurnEnd)
		if !ok {
			return nil
		}
		if ends++; ends > 1 {
			return nil
		}
		if end.Reason != event.LogError || end.Hint == "" {
			t.Errorf("got %+v, want an end by the log with a hint", end)
		}
		if n := len(p.Requests()); n > 0 {
			t.Errorf("got %d requests with unrecorded messages", n)
		}
		if err := os.Remove(blocked); err != nil {
			t.Error(err)
		}
		return nil
	})
	state, err := session.ReplayRecords(recorded(o.Log))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(state.Events, durable(events)); d != "" {
		t.Error(d)
	}
}
