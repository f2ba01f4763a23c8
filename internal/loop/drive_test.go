package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// hang is the time after which a test fails because something is stuck.
const hang = 20 * time.Second

// play runs an agent on prompts, one turn after the other, and returns all events.
// React, if not nil, may answer an event with commands.
func play(t *testing.T, o loop.Options, prompts []string, react func(event.Event) []event.Command) []event.Event {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(ctx, commands, events)
	commands <- event.Prompt{Text: prompts[0]}
	prompts = prompts[1:]
	var all []event.Event
	closed := false
	for e := range events {
		all = append(all, e)
		if react != nil {
			for _, c := range react(e) {
				if !closed {
					commands <- c
				}
			}
		}
		if _, ok := e.(*event.TurnEnd); !ok || closed { // the answer of a delegate may start another turn
			continue
		}
		if len(prompts) == 0 {
			close(commands)
			closed = true
			continue
		}
		commands <- event.Prompt{Text: prompts[0]}
		prompts = prompts[1:]
	}
	if ctx.Err() != nil {
		t.Fatalf("the agent hung; events so far:\n%s", trace(all))
	}
	return all
}

// fill sets the clock of o, unless it has one: it advances by a millisecond with
// each call of Now, and by the time to wait with each call of Sleep.
func fill(o loop.Options) loop.Options {
	if o.Clock.Now == nil && o.Clock.Sleep == nil {
		o.Clock.Now, o.Clock.Sleep = fakeClock(time.Millisecond)
	}
	if o.Clock.Now == nil {
		o.Clock.Now, _ = fakeClock(time.Millisecond)
	}
	if o.Clock.Sleep == nil {
		_, o.Clock.Sleep = fakeClock(0)
	}
	if o.Clock.Rand == nil {
		o.Clock.Rand = func() float64 { return 0.5 }
	}
	return o
}

// fakeClock returns a clock that advances by tick with each call of now, and by d
// with each call of sleep, which does not wait.
func fakeClock(tick time.Duration) (now func() time.Time, sleep func(ctx context.Context, d time.Duration) error) {
	at := make(chan time.Time, 1)
	at <- time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	advance := func(d time.Duration) time.Time { t := (<-at).Add(d); at <- t; return t }
	now = func() time.Time { return advance(tick) }
	sleep = func(ctx context.Context, d time.Duration) error { advance(d); return ctx.Err() }
	return now, sleep
}

// options returns the options of an attended agent in mode all.
func options(p llm.Provider, ts ...tools.Tool) loop.Options {
	return loop.Options{
		Models:      loop.ModelOptions{Current: turn.Model{Name: "script/test", ID: "test", Provider: p, Context: 128_000}},
		Prompt:      loop.PromptOptions{System: "system"},
		Permissions: loop.PermissionOptions{Mode: event.ModeAll, Attended: true, Paths: policy.Paths{Workspace: "/w", Sandbox: policy.SandboxOutside}},
		Tools:       ts,
	}
}

// trace formats events as lines for comparison, without deltas.
func trace(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case *event.UserSaid:
			if e.Auto {
				fmt.Fprintf(&b, "auto %q\n", e.Text)
				continue
			}
			fmt.Fprintf(&b, "user %q%s\n", e.Text, mark(e.Steered, " steered"))
		case *event.MessageDone:
			fmt.Fprintf(&b, "%s\n", line(e.Message))
		case *event.ToolStart:
			fmt.Fprintf(&b, "start %s %q\n", e.ID, e.Title)
		case *event.ToolEnd:
			fmt.Fprintf(&b, "end %s %q %s: %s\n", e.Result.ID, e.Title, e.Outcome, e.Result.Text)
		case *event.Decided:
			fmt.Fprintf(&b, "decision %s %s %q %q%s\n", e.ID, e.Decision, e.Scope, e.Note, mark(e.Chosen != nil, fmt.Sprintf(" %q", e.Chosen)))
		case *event.TodoSet:
			fmt.Fprintf(&b, "todo %s %v\n", e.ID, e.Items)
		case *event.PlanSet:
			fmt.Fprintf(&b, "plan %s %s %q %q%s\n", e.ID, e.State, e.Mode, e.Note, mark(e.Edited, " edited"))
		case *event.TurnEnd:
			fmt.Fprintf(&b, "turn %s after %d%s%s\n", e.Reason, e.Steps, mark(e.Cut, " (cut)"), mark(e.Error != "", ": "+e.Error))
		case event.Asked:
			if e.Ask.Plan != "" {
				fmt.Fprintf(&b, "asked %s %q\n%s", e.Ask.ID, e.Ask.Title, e.Ask.Plan)
				continue
			}
			if e.Ask.Question != "" {
				fmt.Fprintf(&b, "asked %s %q %v%s\n", e.Ask.ID, e.Ask.Question, e.Ask.Choices, mark(e.Ask.Many, " many"))
				continue
			}
			fmt.Fprintf(&b, "asked %s %q because %s; always: %q\n", e.Ask.ID, e.Ask.Title, e.Ask.Why, strings.ReplaceAll(e.Ask.Scope, "`", "'"))
		case event.Retrying:
			fmt.Fprintf(&b, "%s: %s\n", retrying(e), e.Error)
		case event.JobsNow:
			fmt.Fprintf(&b, "jobs %v\n", e.Jobs)
		case event.Notice:
			fmt.Fprintf(&b, "notice %s\n", e.Text)
		case event.Unsent:
			fmt.Fprintf(&b, "unsent %q\n", e.Text)
		}
	}
	return b.String()
}

// retrying formats the number of the next attempt, the limit if there is one, and the
// wait.
func retrying(e event.Retrying) string {
	return fmt.Sprintf("retrying %d%s in %s", e.Attempt, mark(e.Of > 0, fmt.Sprintf(" of %d", e.Of)), e.In)
}

func line(m llm.Message) string {
	switch m.Kind {
	case llm.ToolCall:
		return fmt.Sprintf("call %s %s %s%s", m.ID, m.Name, m.Input, mark(m.Cut, " (cut)"))
	case llm.ToolResult:
		return fmt.Sprintf("result %s %q", m.ID, m.Text)
	}
	return fmt.Sprintf("%s %q%s", m.Kind, m.Text, mark(m.Cut, " (cut)"))
}

func mark(on bool, s string) string {
	if on {
		return s
	}
	return ""
}

// conversation formats the messages of a request, one per line.
func conversation(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintln(&b, line(m))
	}
	return b.String()
}

// recorded yields the records of an open log.
func recorded(log *history.Log) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		v, err := log.View()
		if err != nil {
			yield(history.Record{}, err)
			return
		}
		defer v.Close()
		v.From(0)(yield)
	}
}

// resumedLog returns the log of a session that holds events, opened to continue it.
func resumedLog(t *testing.T, events ...event.Durable) *history.Log {
	t.Helper()
	log, _, err := placed(t, logOf(t, recordsOf(t, events...))).Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

// valid returns an error if a call in a conversation does not have exactly one result
// after it, or a result has no call.
func valid(msgs []llm.Message) error {
	open := map[string]bool{}
	var done []string
	for _, m := range msgs {
		switch m.Kind {
		case llm.ToolCall:
			if open[m.ID] || slices.Contains(done, m.ID) {
				return fmt.Errorf("call %s stands twice", m.ID)
			}
			open[m.ID] = true
		case llm.ToolResult:
			if !open[m.ID] {
				return fmt.Errorf("result %s has no call before it", m.ID)
			}
			delete(open, m.ID)
			done = append(done, m.ID)
		case llm.User, llm.Assistant, llm.Thinking:
			if m.Kind == llm.User && len(open) > 0 {
				return fmt.Errorf("calls %v are open before a message of the user", open)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%v have no result", open)
	}
	return nil
}

type textArgs struct {
	Text string `json:"text"`
}

// tool returns a tool with the given effect that calls run.
func tool(name string, effect tools.Effect, run func(ctx context.Context, text string) (string, error)) tools.Tool {
	return tools.New(name, "a tool for tests", func(_ context.Context, a textArgs) (tools.Call, error) {
		c := tools.Call{Title: name + " " + a.Text, Effect: effect}
		switch effect {
		case tools.Write:
			c.Targets = []tools.Target{{Kind: tools.Path, Value: a.Text}}
			c.Changes = []tools.Change{{Path: a.Text, Before: []byte("old\n"), After: []byte("new\n")}}
			c.Instead = "Describe the change and why you would make it"
		case tools.Execute:
			c.Targets = []tools.Target{{Kind: tools.Command, Value: a.Text, Dir: "/"}}
			c.Instead = "Use a command that only reads"
		}
		c.Run = func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			text, err := run(ctx, a.Text)
			return tools.Result{Text: text, Changes: ok.Changes}, err
		}
		return c, nil
	})
}

func echo(name string, effect tools.Effect) tools.Tool {
	return tool(name, effect, func(_ context.Context, text string) (string, error) { return "did " + text, nil })
}

func args(text string) string {
	b, _ := json.Marshal(textArgs{text})
	return string(b)
}

var _ llm.Provider = (*script.Provider)(nil)
