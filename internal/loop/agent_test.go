package loop_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

func interrupt() []event.Command { return []event.Command{event.Interrupt{}} }

// never returns a hold that is never released.
func never() <-chan struct{} { return make(chan struct{}) }

func TestInterrupt(t *testing.T) {
	forever := tools.New("wait", "runs until it is stopped", func(_ context.Context, a textArgs) (tools.Call, error) {
		return tools.Call{Title: "wait " + a.Text, Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: a.Text}},
			Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
				ok.Progress("running")
				<-ctx.Done()
				return tools.Result{Text: "half"}, ctx.Err()
			}}, nil
	})
	isStreamed := func(e event.Event) bool { _, ok := e.(event.Streamed); return ok }
	isAsked := func(e event.Event) bool { _, ok := e.(event.Asked); return ok }
	isRunning := func(e event.Event) bool { _, ok := e.(event.Progress); return ok }
	isUser := func(e event.Event) bool { _, ok := e.(*event.UserSaid); return ok }
	isRetry := func(e event.Event) bool { _, ok := e.(event.Retrying); return ok }
	for name, c := range map[string]struct {
		reply script.Reply
		mode  event.Mode
		when  func(event.Event) bool
		want  string
	}{
		"before the first delta": {
			reply: script.Reply{Deltas: script.Say("x").Deltas, Hold: map[int]<-chan struct{}{0: never()}}, when: isUser,
			want: `
				user "one"
				turn interrupted after 1`,
		},
		"in mid-stream": {
			reply: script.Reply{Deltas: script.Say("half an answer").Deltas, Hold: map[int]<-chan struct{}{1: never()}}, when: isStreamed,
			want: `
				user "one"
				assistant "half " (cut)
				turn interrupted after 1 (cut)`,
		},
		"in the middle of a call": {
			reply: script.Reply{Deltas: script.Call("c1", "wait", args("a")).Deltas, Hold: map[int]<-chan struct{}{1: never()}}, when: isStreamed,
			want: `
				user "one"
				call c1 wait {} (cut)
				end c1 "wait" interrupted: not run: the user interrupted the turn
				turn interrupted after 1`,
		},
		"while an approval waits": {
			reply: script.Reply{}.Call("c1", "wait", args("a")).Call("c2", "wait", args("b")).Calls(), when: isAsked, mode: event.ModeAsk,
			want: `
				user "one"
				call c1 wait {"text":"a"}
				call c2 wait {"text":"b"}
				asked c1 "wait a" because commands need approval unless they are known to be read-only; always: ""
				end c1 "wait a" interrupted: not run: the user interrupted the turn before approving this call
				end c2 "wait b" interrupted: not run: the user interrupted the turn
				turn interrupted after 1`,
		},
		"while a tool runs": {
			reply: script.Reply{}.Call("c1", "wait", args("a")).Call("c2", "wait", args("b")).Calls(), when: isRunning,
			want: `
				user "one"
				call c1 wait {"text":"a"}
				call c2 wait {"text":"b"}
				start c1 "wait a"
				end c1 "wait a" interrupted: interrupted by the user; output until then:
				half
				end c2 "wait b" interrupted: not run: the user interrupted the turn
				turn interrupted after 1`,
		},
		"while a retry waits": {
			reply: script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: time.Minute}), when: isRetry,
			want: `
				user "one"
				retrying 2 in 1m0s: p answered 429
				turn interrupted after 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(c.reply, script.Say("two it is"))
			o := options(p, forever)
			if c.mode != "" {
				o.Permissions.Mode = c.mode
			}
			o.Clock.Sleep = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
			done := false
			events := play(t, o, []string{"one", "two"}, func(e event.Event) []event.Command {
				if done || !c.when(e) {
					return nil
				}
				done = true
				return interrupt()
			})
			want := dedent(c.want) + dedent(`
				user "two"
				assistant "two it is"
				turn done after 1`)
			if d := cmp.Diff(trace(events), want); d != "" {
				t.Error(d)
			}
			rs := p.Requests()
			if err := valid(rs[len(rs)-1].Messages); err != nil {
				t.Errorf("the next request: %v", err)
			}
		})
	}
}

// The next request says that the answer was cut off.
func TestModelLearnsOfTruncatedAnswer(t *testing.T) {
	p := script.New(script.Reply{Deltas: script.Say("half an answer").Deltas, Hold: map[int]<-chan struct{}{1: never()}}, script.Say("ok"))
	stopped := false
	play(t, options(p), []string{"one", "two"}, func(e event.Event) []event.Command {
		if _, ok := e.(event.Streamed); !ok || stopped {
			return nil
		}
		stopped = true
		return interrupt()
	})
	want := dedent(`
		user "one"
		assistant "half\n\n[this answer was cut off here]" (cut)
		user "two"`)
	if d := cmp.Diff(conversation(p.Requests()[1]), want); d != "" {
		t.Error(d)
	}
}

func TestSteering(t *testing.T) {
	p := script.New(script.Call("c1", "look", args("a")), script.Say("done"), script.Say("more"))
	heard := make(chan struct{})
	look := tool("look", tools.Read, func(ctx context.Context, text string) (string, error) {
		select {
		case <-heard:
		case <-ctx.Done():
		}
		return "did " + text, ctx.Err()
	})
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	go loop.NewAgent(fill(options(p, look))).Run(t.Context(), commands, events)
	commands <- event.Prompt{Text: "go"}
	for e := range events {
		switch e := e.(type) {
		case *event.ToolStart:
			commands <- event.Prompt{Text: "and b"}
			commands <- event.SetMode{Mode: event.ModeAll}
		case *event.ModeSet: // commands are processed in order
			close(heard)
		case *event.MessageDone:
			if e.Message.Text == "done" { // too late for this turn or just in time
				commands <- event.Prompt{Text: "and c"}
			}
		case *event.TurnEnd:
			if len(p.Requests()) == 3 {
				close(commands)
			}
		}
	}
	want := dedent(`
		user "go"
		call c1 look {"text":"a"}
		result c1 "did a"
		user "and b"
		assistant "done"
		user "and c"`)
	if d := cmp.Diff(conversation(p.Requests()[2]), want); d != "" {
		t.Error(d)
	}
}

// A message that steers an interrupted turn is returned to the user.
func TestSteeringAnInterruptedTurn(t *testing.T) {
	p := script.New(script.Reply{Deltas: script.Say("half an answer").Deltas, Hold: map[int]<-chan struct{}{1: never()}})
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	go loop.NewAgent(fill(options(p))).Run(t.Context(), commands, events)
	commands <- event.Prompt{Text: "go"}
	var all []event.Event
	for e := range events {
		all = append(all, e)
		switch e.(type) {
		case event.Streamed:
			commands <- event.Prompt{Text: "wait"}
			commands <- event.Interrupt{}
		case event.Unsent:
			close(commands)
		}
	}
	want := dedent(`
		user "go"
		assistant "half " (cut)
		turn interrupted after 1 (cut)
		unsent "wait"`)
	if d := cmp.Diff(trace(all), want); d != "" {
		t.Error(d)
	}
}

func TestModelAndModeChange(t *testing.T) {
	first, second := script.New(script.Call("c1", "run", args("a"))), script.New(script.Say("done"))
	o := options(first, echo("run", tools.Execute))
	o.Permissions.Mode = event.ModeAsk
	o.Models.Find = func(name, effort string) (turn.Model, error) {
		return turn.Model{Name: name, ID: "two", Provider: second, Effort: effort}, nil
	}
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.SetModel{Model: "other/two", Effort: "high"}, event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	if got := second.Requests()[0]; got.Model != "two" || got.Effort != "high" {
		t.Errorf("got model %q, effort %q, want two and high", got.Model, got.Effort)
	}
	told := slices.ContainsFunc(events, func(e event.Event) bool {
		m, ok := e.(*event.ModelSet)
		return ok && m.Model == "other/two" && m.Effort == "high"
	})
	if !told {
		t.Errorf("the change is not told:\n%s", trace(events))
	}
}

// A turn whose session cannot be saved stops before the next tool. Its messages are
// saved when the log can be written again.
func TestLogFails(t *testing.T) {
	store := history.Open(t.TempDir())
	log := store.Create(history.Header{Dir: "/w"})
	ran := false
	p := script.New(script.Call("c1", "run", args("a")), script.Say("never"))
	o := options(p, tool("run", tools.Execute, func(context.Context, string) (string, error) { ran = true; return "", nil }))
	o.Log = log
	closed := false
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if _, ok := e.(event.Streamed); ok && !closed {
			closed = true
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	end, ok := events[len(events)-1].(*event.TurnEnd)
	if !ok || end.Reason != event.LogError || ran {
		t.Errorf("got end %v, ran %v, want the turn ended by the log before the tool ran\n%s", end, ran, trace(events))
	}
}

// An agent without a prompt leaves no session behind.
func TestNoSessionWithoutAPrompt(t *testing.T) {
	dir := t.TempDir()
	o := options(script.New())
	o.Log = history.Open(dir).Create(history.Header{Dir: "/w"})
	o.Models.Find = func(name, _ string) (turn.Model, error) { return turn.Model{Name: name}, nil }
	commands, events := make(chan event.Command, 2), make(chan event.Event, 8)
	commands <- event.SetModel{Model: "a/b"}
	commands <- event.SetMode{Mode: event.ModeAuto}
	close(commands)
	loop.NewAgent(fill(o)).Run(t.Context(), commands, events)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want an empty directory", left, err)
	}
}

// A model that is found during the start is used, unless the session already has a
// prompt.
func TestFoundModel(t *testing.T) {
	for name, c := range map[string]struct {
		commands []event.Command
		want     string
	}{
		"before": {[]event.Command{event.Found{}, event.Prompt{Text: "hi"}}, "Model: found/model (it was there).\nfound"},
		"after":  {[]event.Command{event.Prompt{Text: "hi"}, event.Found{}}, "first"},
	} {
		t.Run(name, func(t *testing.T) {
			commands, events := make(chan event.Command), make(chan event.Event)
			o := options(script.New(script.Say("first")))
			o.Models.Find = func(name, _ string) (turn.Model, error) {
				return turn.Model{Name: name, Provider: script.New(script.Say("found"))}, nil
			}
			go loop.NewAgent(fill(o)).Run(t.Context(), commands, events)
			go func() {
				for _, cmd := range c.commands {
					if _, ok := cmd.(event.Found); ok {
						cmd = event.Found{Model: "found/model", Why: "it was there"}
					}
					commands <- cmd
				}
				commands <- event.SetMode{Mode: event.ModeAuto} // the commands before it have been processed
			}()
			done, heard := false, false
			var said []string
			for e := range events {
				switch e := e.(type) {
				case event.Notice:
					said = append(said, e.Text)
				case *event.MessageDone:
					said = append(said, e.Message.Text)
				case *event.TurnEnd:
					done = true
				case *event.ModeSet:
					heard = true
				}
				if done && heard {
					close(commands)
					heard = false
				}
			}
			if got := strings.Join(said, "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
