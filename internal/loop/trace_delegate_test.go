package loop_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	tracing "agent/internal/loop/trace"
	"agent/internal/tools"
)

// tracedSession is the session of a delegate whose trace is tested.
type tracedSession struct {
	*loop.Agent
	id int
}

func (s tracedSession) Info() event.DelegateStart {
	return event.DelegateStart{Model: "script/test", Session: fmt.Sprint("s", s.id)}
}

func (tracedSession) Finish(context.Context, event.Reason) (note, transcript string, changes []tools.Change) {
	return "", "", nil
}

// tracedDelegates plays a parent that runs two delegates at once. Their calls have the
// IDs of those of the parent, and the user approves some. It returns the spans after
// more was done with the open trace, and the content of the file.
func tracedDelegates(t *testing.T, content bool, more func(*tracing.Trace)) ([]tracedSpan, []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	x, err := tracing.Open(tracing.Options{File: file, Session: "s0", Content: content, Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	met := make(chan struct{})
	meet := tool("meet", tools.Read, func(ctx context.Context, text string) (string, error) {
		select { // both delegates are at work
		case met <- struct{}{}:
		case <-met:
		case <-ctx.Done():
		}
		return "met " + text, ctx.Err()
	})
	inRealTime := func(o loop.Options) loop.Options {
		o.Permissions.Mode, o.Clock.Now, o.Clock.Sleep = event.ModeAsk, time.Now, func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		return o
	}
	launch := func(_ context.Context, host delegate.Host, task delegate.Task) (delegate.Session, error) {
		work := script.Reply{}.Call("c1", "meet", args("secret")).Call("c2", "change", args("secret")).Calls()
		o := inRealTime(options(script.New(using(work, 10*task.ID), using(script.Say(task.Name+" is done"), task.ID)), meet, echo("change", tools.Write)))
		o.Delegate.Parent, o.Delegate.Label, o.Listen = host, task.Label, x.Delegate(task.ID)
		o.TurnBudget = event.Budget{event.LimitSteps: float64(3 - task.ID)}
		return tracedSession{loop.NewAgent(o), task.ID}, nil
	}
	calls := script.Reply{}.Call("c1", "delegate", `{"agent":"explore","prompt":"task of explore"}`).Call("c2", "delegate", `{"agent":"review","prompt":"task of review"}`).Calls()
	o := inRealTime(options(script.New(using(calls, 100), using(script.Say("all done"), 200))))
	o.Listen = x.Listen
	o.Delegates = delegate.NewPool(delegate.Options{
		Agents: func() []delegate.Agent {
			return []delegate.Agent{{Name: "explore", Description: "finds things"}, {Name: "review", Description: "reads a diff"}}
		},
		Launch: launch,
	})
	play(t, o, []string{"secret plan"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	more(x)
	if problems := x.Close(); len(problems) > 0 {
		t.Error(problems)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return spansOf(t, text), text
}

// A delegate is a span below its call, with its own turns, steps, requests, tool calls
// and questions. One that the user started is below the session, and ends with it.
func TestTraceOfDelegates(t *testing.T) {
	all, text := tracedDelegates(t, false, func(x *tracing.Trace) {
		listen := x.Delegate(3)
		x.Listen(&event.DelegateStart{Meta: event.Meta{Time: time.Now()}, ID: 3, Name: "general", Prompt: "secret task", Model: "script/test"})
		listen(&event.UserSaid{Meta: event.Meta{Time: time.Now()}, Text: "secret task"})
		x.Listen(event.Asked{Ask: event.Ask{ID: "3:" + event.HostAsk, Agent: "general 3"}})
		x.Delegate(4) // it never starts
	})
	checkNested(t, all)
	got := tree(t, all, "", "", "gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.agent.id", "gen_ai.request.model", "gen_ai.conversation.id",
		"gen_ai.usage.input_tokens", "gen_ai.tool.call.id", "agent.steps", "agent.approval.about", "agent.approval.decision", "agent.turn.reason", "agent.delegate.reason", "error.type")
	chat := func(session string, tokens int) string {
		return fmt.Sprintf("chat test kind 3 status 0 name=chat model=test id=%s input_tokens=%d", session, tokens)
	}
	below := func(name string, id, status int, reason, failure string) string {
		session := fmt.Sprint("s", id)
		return fmt.Sprintf(`      execute_tool delegate kind 1 status 0 name=execute_tool id=c%d
        invoke_agent %s kind 1 status %d name=invoke_agent name=%s id=%d model=test id=%s input_tokens=%d steps=2 reason=%s%s
          turn 1 kind 1 status %d id=%s input_tokens=%d steps=2 reason=%s%s
            step 1 kind 1 status 0
              %s
              execute_tool meet kind 1 status 0 name=execute_tool id=c1
              approval change kind 1 status 0 id=c2 decision=allow
              execute_tool change kind 1 status 0 name=execute_tool id=c2
            step 2 kind 1 status 0
              %s
`, id, name, status, name, id, session, 11*id, reason, failure, status, session, 11*id, reason, failure, chat(session, 10*id), chat(session, id))
	}
	want := `session kind 1 status 0 id=s0
  invoke_agent agent kind 1 status 0 name=invoke_agent name=agent id=s0 input_tokens=333 steps=2 reason=done
    step 1 kind 1 status 0
      ` + chat("s0", 100) + "\n" + below("explore", 1, 0, "done", "") + below("review", 2, 2, "max_steps", " type=max_steps") + `    step 2 kind 1 status 0
      ` + chat("s0", 200) + `
  invoke_agent general kind 1 status 0 name=invoke_agent name=general id=3 model=test
    turn 1 kind 1 status 0
      step 1 kind 1 status 0
        approval kind 1 status 0 about=host
`
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	for _, content := range []string{"secret", "task of", "is done", "did", "stopped after"} {
		if bytes.Contains(text, []byte(content)) {
			t.Errorf("the trace has %q", content)
		}
	}
}

// With content, the span of a delegate has its task and its answer.
func TestTraceContentOfDelegates(t *testing.T) {
	all, _ := tracedDelegates(t, true, func(*tracing.Trace) {})
	got := map[string][]string{}
	for _, s := range all {
		if strings.HasPrefix(s.Name, "invoke_agent ") {
			got[s.Name] = []string{s.attribute("gen_ai.input.messages"), s.attribute("gen_ai.output.messages"), s.Status.Message}
		}
	}
	message := func(role, text, finish string) string {
		return `[{"role":"` + role + `","parts":[{"type":"text","content":"` + text + `"}]` + finish + `}]`
	}
	const stop = `,"finish_reason":"stop"`
	want := map[string][]string{
		"invoke_agent agent":   {message("user", "secret plan", ""), message("assistant", "all done", stop), ""},
		"invoke_agent explore": {message("user", "task of explore", ""), message("assistant", "explore is done", stop), ""},
		"invoke_agent review":  {message("user", "task of review", ""), message("assistant", "review is done", stop), "stopped after 1 step, the limit of one turn"},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// Delegates can still send events while the trace is closed.
func TestTraceClosesWhileDelegatesRun(t *testing.T) {
	x, err := tracing.Open(tracing.Options{File: filepath.Join(t.TempDir(), "trace.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for id := range 4 {
		listen := x.Delegate(id)
		x.Listen(&event.DelegateStart{ID: id, Name: "explore"})
		running.Go(func() {
			for range 100 {
				listen(&event.UserSaid{})
				listen(&event.TurnEnd{Reason: event.Done})
			}
			x.Listen(&event.DelegateEnd{ID: id, Reason: event.Done})
			listen(&event.UserSaid{})
		})
	}
	x.Close()
	running.Wait()
	if listen := (*tracing.Trace)(nil).Delegate(1); listen != nil {
		t.Error("a nil trace listens")
	}
}
