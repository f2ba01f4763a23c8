package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// lastLine returns the last line of a trace.
func lastLine(events []event.Event) string {
	lines := strings.Split(strings.TrimSpace(trace(events)), "\n")
	return lines[len(lines)-1]
}

// priced makes each output token of the model cost a dollar.
func priced(o loop.Options) loop.Options {
	o.Models.Current.Cost = func(u llm.Usage) (float64, bool) { return float64(u.Output), true }
	return o
}

// A reply of looks uses 103 tokens and 3 dollars.
func TestLimitsStopATurnWithoutAUser(t *testing.T) {
	for name, c := range map[string]struct {
		turn, session event.Budget
		want, hint    string
	}{
		"tokens": {event.Budget{event.LimitTokens: 200}, nil,
			"budget after 3: stopped after 206 tokens: the limit of one turn is 200 tokens", "Raise the limit with --token-budget, or continue the session with a new prompt."},
		"cost": {event.Budget{event.LimitCost: 6}, nil,
			"budget after 3: stopped after $6.00, the limit of one turn", "Raise the limit with --max-cost, or continue the session with a new prompt."},
		"tokens of the session": {nil, event.Budget{event.LimitTokens: 200},
			"budget after 3: stopped: the session has used 206 tokens, and its limit is 200 tokens", "Raise the limit with --session-budget."},
		"steps of the session": {nil, event.Budget{event.LimitSteps: 1},
			"max_steps after 2: stopped: the session has used 1 step, and its limit is 1 step", "Raise the limit with --session-budget."},
		"the first of two": {event.Budget{event.LimitTokens: 1000, event.LimitSteps: 1}, event.Budget{event.LimitCost: 6},
			"max_steps after 2: stopped after 1 step, the limit of one turn", "Raise the limit with --max-steps, or continue the session with a new prompt."},
	} {
		p := script.New(looks("abcdef")...)
		o := priced(options(p, echo("look", tools.Read)))
		o.Permissions.Attended, o.TurnBudget, o.SessionBudget = false, c.turn, c.session
		events := play(t, o, []string{"go"}, nil)
		if d := cmp.Diff(lastLine(events), "turn "+c.want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if end, ok := events[len(events)-1].(*event.TurnEnd); !ok || end.Hint != c.hint {
			t.Errorf("%s: the end is %#v, want the hint %q", name, end, c.hint)
		}
		rs := p.Requests()
		if got := rs[len(rs)-1]; got.ToolChoice.Mode != llm.ChoiceNone || valid(got.Messages) != nil {
			t.Errorf("%s: the last request has tool choice %q and %v", name, got.ToolChoice.Mode, valid(got.Messages))
		}
	}
}

// A session whose limit was reached sends nothing more without a user.
func TestSessionLimitStopsTheNextTurn(t *testing.T) {
	p := script.New(script.Say("one"), script.Say("never"))
	o := options(p)
	o.Permissions.Attended, o.SessionBudget = false, event.Budget{event.LimitTokens: 50}
	if got := lastLine(play(t, o, []string{"go", "on"}, nil)); !strings.HasPrefix(got, "turn budget after 0: stopped: the session has used") || len(p.Requests()) != 1 {
		t.Errorf("%d requests: %s", len(p.Requests()), got)
	}
}

// Without a limit that can end the turn, the default number of steps does.
func TestStepDefaultStaysUnlessALimitEndsTheTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	var order []script.Reply
	for i := range 600 {
		order = append(order, script.Call(fmt.Sprint("c", i), "look", args(fmt.Sprint(i))))
	}
	for name, c := range map[string]struct {
		budget event.Budget
		priced bool
		free   bool // no reply has a token count
		steps  int
	}{
		"no limit":        {nil, true, false, 501},
		"tokens":          {event.Budget{event.LimitTokens: 1e6}, true, false, 601},
		"a cost":          {event.Budget{event.LimitCost: 1e6}, true, false, 601},
		"an unknown cost": {event.Budget{event.LimitCost: 1e6}, false, false, 501},
		"steps":           {event.Budget{event.LimitSteps: 550}, false, false, 551},
		"no tokens":       {event.Budget{event.LimitTokens: 1e6}, true, true, 501},
		"no cost":         {event.Budget{event.LimitCost: 1e6}, true, true, 501},
	} {
		replies := append(slices.Clone(order), script.Say("done"))
		if c.free {
			for i := range replies {
				replies[i].Deltas = slices.Clone(replies[i].Deltas)
				last := len(replies[i].Deltas) - 1
				end := replies[i].Deltas[last].(llm.Finish)
				end.Usage = llm.Usage{}
				replies[i].Deltas[last] = end
			}
		}
		p := script.New(replies...)
		o := options(p, echo("look", tools.Read))
		if c.priced {
			o = priced(o)
		}
		o.Permissions.Attended, o.TurnBudget = false, c.budget
		play(t, o, []string{"go"}, nil)
		if n := len(p.Requests()); n != c.steps {
			t.Errorf("%s: %d requests, want %d", name, n, c.steps)
		}
	}
}

func TestAUserContinuesAtALimit(t *testing.T) {
	o := priced(options(script.New(looks("abcde")...), echo("look", tools.Read)))
	o.TurnBudget = event.Budget{event.LimitCost: 5}
	var asked []string
	var last event.BudgetNow
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		switch e := e.(type) {
		case event.BudgetNow:
			last = e
		case event.Asked:
			asked = append(asked, e.Ask.Title+" "+e.Ask.Why)
			return []event.Command{event.Answer{ID: e.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	if got := lastLine(events); got != "turn done after 6" {
		t.Error(got)
	}
	if d := cmp.Diff(asked, []string{
		"$6.00 so far. Continue? a turn pauses every $5.00 (--max-cost)",
		"$12.00 so far. Continue? a turn pauses every $5.00 (--max-cost)",
	}); d != "" {
		t.Error(d)
	}
	if last.Turn.Limits[event.LimitCost] != 17 || last.Turn.Used[event.LimitCost] != 17 || last.Session.Used[event.LimitSteps] != 6 {
		t.Errorf("got %+v", last)
	}
}

func TestUnknownPriceIsSaidOnceAndTokensCount(t *testing.T) {
	o := options(script.New(looks("abc")...), echo("look", tools.Read))
	o.Permissions.Attended, o.TurnBudget = false, event.Budget{event.LimitCost: 1, event.LimitTokens: 300}
	got := trace(play(t, o, []string{"go"}, nil))
	if strings.Count(got, "notice The price of script/test is unknown") != 1 || !strings.Contains(got, "turn budget after 4: stopped after 309 tokens") {
		t.Error(got)
	}
}

func TestBudgetIsSetDuringASession(t *testing.T) {
	set := make(chan struct{}) // closed when the limit applies
	slow := tool("look", tools.Read, func(ctx context.Context, text string) (string, error) {
		select {
		case <-set:
		case <-ctx.Done():
		}
		return "did " + text, nil
	})
	o := options(script.New(looks("abc")...), slow)
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		switch e := e.(type) {
		case *event.ToolStart:
			if e.ID == "c1" {
				return []event.Command{event.SetBudget{Limits: event.Budget{event.LimitTokens: 150}}}
			}
		case event.BudgetNow:
			if e.Reply && e.Turn.Limits[event.LimitTokens] == 150 {
				close(set)
			}
		case event.Asked:
			return []event.Command{event.SetBudget{Limits: event.Budget{event.LimitTokens: event.NoLimit}}, event.Answer{ID: e.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	if got := trace(events); strings.Count(got, "asked steps") != 1 || !strings.Contains(got, "turn done after 4") {
		t.Error(got)
	}
}

// With 0 steps the model answers without tools, and a call that it makes does not run.
func TestNoStepsMeansNoTools(t *testing.T) {
	for _, attended := range []bool{true, false} {
		p := script.New(script.Say("hello"), script.Call("c1", "look", args("a")))
		o := options(p, echo("look", tools.Read))
		o.Permissions.Attended, o.TurnBudget = attended, event.Budget{event.LimitSteps: 0}
		want := dedent(`
			user "go"
			auto "Answer without calling tools."
			assistant "hello"
			turn done after 1
			user "more"
			auto "Answer without calling tools."
			call c1 look {"text":"a"}
			end c1 "look a" interrupted: not run: a turn may make no steps with tools
			turn max_steps after 1: stopped: the model called tools, but a turn may make no steps with tools`)
		if d := cmp.Diff(trace(play(t, o, []string{"go", "more"}, nil)), want); d != "" {
			t.Error(d)
		}
		for _, r := range p.Requests() {
			if r.ToolChoice.Mode != llm.ChoiceNone || len(r.Tools) == 0 {
				t.Errorf("tool choice %q with %d tools", r.ToolChoice.Mode, len(r.Tools))
			}
		}
	}
}

// timer is a clock whose time stands still until a sleep is released.
type timer struct {
	at     chan time.Time
	sleeps chan struct{}
}

func newTimer() *timer {
	c := &timer{make(chan time.Time, 1), make(chan struct{})}
	c.at <- noon
	return c
}

func (c *timer) now() time.Time {
	at := <-c.at
	c.at <- at
	return at
}

// pass lets time pass.
func (c *timer) pass(d time.Duration) { c.at <- (<-c.at).Add(d) }

// sleep ends when its time has passed. Until then a receive from c.sleeps succeeds.
func (c *timer) sleep(ctx context.Context, d time.Duration) error {
	end := c.now().Add(d)
	for c.now().Before(end) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case c.sleeps <- struct{}{}:
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

func TestTimeLimitInterruptsAndEveryCallHasItsResult(t *testing.T) {
	for name, c := range map[string]struct {
		first script.Reply
		want  string
	}{
		"a request": {
			script.Reply{Deltas: script.Say("half an answer").Deltas, Hold: map[int]<-chan struct{}{1: never()}},
			`
			assistant "half " (cut)`,
		},
		"a command": {
			script.Reply{}.Call("c1", "wait", args("a")).Call("c2", "wait", args("b")).Calls(),
			`
			call c1 wait {"text":"a"}
			call c2 wait {"text":"b"}
			start c1 "wait a"
			end c1 "wait a" interrupted: interrupted at the time limit of the turn; output until then:
			half
			end c2 "wait b" interrupted: not run: the turn reached its time limit`,
		},
	} {
		for _, attended := range []bool{false, true} {
			at := newTimer()
			wait := tools.New("wait", "runs until it is stopped", func(_ context.Context, a textArgs) (tools.Call, error) {
				return tools.Call{Title: "wait " + a.Text, Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: a.Text}},
					Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
						ok.Progress("running")
						<-ctx.Done()
						return tools.Result{Text: "half"}, ctx.Err()
					}}, nil
			})
			p := script.New(c.first, script.Say("that is all"))
			o := options(p, wait)
			o.Clock.Now, o.Clock.Sleep, o.Permissions.Attended = at.now, at.sleep, attended
			o.TurnBudget = event.Budget{event.LimitTime: 60}
			passed := false
			events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
				switch e := e.(type) {
				case event.Streamed, event.Progress:
					if _, ok := e.(event.Progress); (ok || name == "a request") && !passed {
						passed = true
						<-at.sleeps
						at.pass(time.Minute)
					}
				case event.Asked:
					at.pass(time.Hour) // does not count
					return []event.Command{event.Answer{ID: e.Ask.ID, Decision: event.Allow}}
				}
				return nil
			})
			want := dedent("\nuser \"go\"") + dedent(c.want)
			switch {
			case !attended:
				want += "auto \"The turn is stopped after 1 m 00 s, the limit of one turn." + " Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do.\"\n" +
					"assistant \"that is all\"\nturn budget after 2: stopped after 1 m 00 s, the limit of one turn\n"
			default:
				want += "asked steps \"1 m 00 s so far. Continue?\" because a turn pauses every 1 m 00 s (--max-time); always: \"\"\n"
				if name == "a request" {
					want += "auto \"" + event.ContinuePrompt + "\"\n"
				}
				want += "assistant \"that is all\"\nturn done after 2\n"
			}
			if d := cmp.Diff(trace(events), want); d != "" {
				t.Errorf("%s, attended %v: %s", name, attended, d)
			}
			if err := valid(p.Requests()[1].Messages); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The last answer of a stopped turn and its retries end ten seconds after the time limit,
// whatever stopped the turn.
func TestTimeLimitBoundsTheLastAnswer(t *testing.T) {
	unreachable := script.Fail(&llm.Error{Kind: llm.ErrNetwork, Message: "connection refused", Retry: true})
	for name, c := range map[string]struct {
		first script.Reply
		steps float64
		want  string // beginning of the last line
	}{
		"after the time limit": {
			script.Reply{Deltas: script.Say("half an answer").Deltas, Hold: map[int]<-chan struct{}{1: never()}}, 50,
			"turn budget after 2 (cut): stopped after ",
		},
		"after another limit": {
			script.Call("c1", "look", args("a")), 1,
			"turn max_steps after 2: stopped after 1 step, the limit of one turn",
		},
	} {
		at, stop := newTimer(), make(chan struct{})
		flows := sync.OnceFunc(func() { // whatever starts to wait later waits for the time, too
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(time.Millisecond):
						at.pass(10 * time.Second)
					}
				}
			}()
		})
		o := options(script.New(append([]script.Reply{c.first}, slices.Repeat([]script.Reply{unreachable}, 1000)...)...), echo("look", tools.Read))
		o.Clock.Now, o.Clock.Sleep, o.Permissions.Attended = at.now, at.sleep, false
		o.TurnBudget = event.Budget{event.LimitTime: 60, event.LimitSteps: c.steps}
		events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
			switch e.(type) {
			case event.Streamed:
				if c.steps > 1 {
					flows()
				}
			case event.Retrying:
				flows()
			}
			return nil
		})
		close(stop)
		if got := lastLine(events); !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, "; the last answer took too long") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestResumedSessionCountsWhatItUsed(t *testing.T) {
	cost := 2.0
	log := resumedLog(t, &event.UserSaid{Text: "one"}, &event.MessageDone{Message: llm.Message{Kind: llm.Assistant, Reply: "r1", Text: "hi"}},
		&event.StepEnd{Reply: "r1", Model: "script/test", Finish: llm.Stop, Usage: llm.Usage{Input: 90, Output: 10}, Cost: &cost},
		&event.TurnEnd{Reason: event.Done, Steps: 1, Duration: time.Minute})
	o := options(script.New(script.Say("never")))
	o.Log, o.Permissions.Attended, o.SessionBudget = log, false, event.Budget{event.LimitCost: 2}
	var first event.BudgetNow
	events := play(t, o, []string{"two"}, func(e event.Event) []event.Command {
		if now, ok := e.(event.BudgetNow); ok && first.Session.Used == nil {
			first = now
		}
		return nil
	})
	if got := lastLine(events); got != "turn budget after 0: stopped: the session has used $2.00, and its limit is $2.00" {
		t.Error(got)
	}
	if d := cmp.Diff(first.Session.Used, event.Budget{event.LimitSteps: 1, event.LimitTokens: 100, event.LimitCost: 2, event.LimitTime: 60}); d != "" {
		t.Error(d)
	}
}

func TestRepeatedText(t *testing.T) {
	same := "Now I will look at the next file, because the one before did not contain what I am looking for in this project."
	var steps []script.Reply
	for i := range 4 {
		steps = append(steps, script.Reply{}.Text(same).Call(fmt.Sprint("c", i), "look", args(fmt.Sprint(i))).Calls())
	}
	endless := script.Say("It is: " + strings.Repeat("the same, again and again. ", 1000))
	for name, c := range map[string]struct {
		replies []script.Reply
		want    string
	}{
		"in three steps": {steps, "turn repeating after 4: stopped: the model wrote the same text in 3 consecutive steps: " + same},
		"in one reply":   {[]script.Reply{endless, script.Say("sorry")}, "turn repeating after 2: stopped: the model repeated the same text in its reply: "},
		"in long lists":  {[]script.Reply{script.Say(countTo(3000))}, "turn done after 1"},
	} {
		o := options(script.New(append(c.replies, script.Say("done"))...), echo("look", tools.Read))
		o.Permissions.Attended = false
		if got := lastLine(play(t, o, []string{"go"}, nil)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// countTo returns the numbers up to n.
func countTo(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Number %d is one more than the one before. ", i)
	}
	return b.String()
}
