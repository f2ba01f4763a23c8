package loop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// playDelegate plays a parent with one delegate, whose task is "task", and approves all
// questions. It returns the events and what was used at the end.
func playDelegate(t *testing.T, task *script.Provider, parent []script.Reply, limits, session event.Budget) ([]event.Event, event.BudgetNow) {
	t.Helper()
	m := team{t: t, scripts: map[string]*script.Provider{"task": task}, tools: []tools.Tool{echo("look", tools.Read)}}
	o := priced(options(script.New(parent...)))
	o.Delegates, o.TurnBudget, o.SessionBudget = m.pool(), limits, session
	var last event.BudgetNow
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		switch e := e.(type) {
		case event.BudgetNow:
			last = e
		case event.Asked:
			return []event.Command{event.Answer{ID: e.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	return events, last
}

// work is the call of a parent that delegates "task".
func work() script.Reply {
	return using(script.Call("a", "delegate", `{"agent":"explore","prompt":"task"}`), 100)
}

// The usage of a delegate is part of the turn that waits for it, and of the session.
// Its price is unknown, so that of the turn is too.
func TestDelegatesCountInTheTurnOfTheParent(t *testing.T) {
	task := script.New(using(script.Call("c1", "look", args("x")), 30), using(script.Say("found"), 40))
	events, last := playDelegate(t, task, []script.Reply{work(), using(script.Say("done"), 200)}, event.Budget{event.LimitTokens: 1000, event.LimitCost: 1000}, nil)
	want := event.Budget{event.LimitSteps: 4, event.LimitTokens: 410, event.LimitCost: 20}
	for _, got := range []event.Budget{last.Turn.Used, last.Session.Used} {
		delete(got, event.LimitTime)
		if d := cmp.Diff(got, want); d != "" || last.Unpriced != 2 {
			t.Errorf("%d steps without a price: %s", last.Unpriced, d)
		}
	}
	end := events[len(events)-1].(*event.TurnEnd)
	if d := cmp.Diff([]any{end.Steps, end.Usage, end.Cost}, []any{2, llm.Usage{Input: 370, Output: 40}, (*float64)(nil)}); d != "" {
		t.Error(d)
	}
	notices, working, shown := 0, false, 0.0
	for _, e := range events {
		switch e := e.(type) {
		case *event.DelegateStart:
			working = true
		case *event.DelegateEnd:
			working = false
		case event.BudgetNow:
			if working {
				shown = e.Turn.Used[event.LimitSteps]
			}
		}
		if n, ok := e.(event.Notice); ok && strings.HasPrefix(n.Text, "The price of script/test is unknown") {
			notices++
		}
	}
	if shown != 3 {
		t.Errorf("the budget had %v steps when the delegate ended", shown)
	}
	if notices != 1 {
		t.Errorf("%d notices about an unknown price", notices)
	}
}

// A delegate that reaches a limit of its parent gives one last answer and asks nothing.
// The parent then asks itself.
func TestDelegateStopsAtALimitOfTheParent(t *testing.T) {
	for name, c := range map[string]struct {
		limits, session event.Budget
		reason          string
		end, asked      string
	}{
		"tokens of the turn": {limits: event.Budget{event.LimitTokens: 140}, reason: "budget",
			end:   "stopped: the turn that delegated has used 150 tokens, and its limit is 140 tokens",
			asked: "asked steps by : 200 tokens so far. Continue?\n"},
		"steps of the turn": {limits: event.Budget{event.LimitSteps: 2}, reason: "max_steps",
			end:   "stopped: the turn that delegated has used 2 steps, and its limit is 2 steps",
			asked: "asked steps by : 3 steps so far. Continue?\n"},
		"tokens of the session": {session: event.Budget{event.LimitTokens: 140}, reason: "budget",
			end:   "stopped: the session that delegated has used 150 tokens, and its limit is 140 tokens",
			asked: "asked steps by : 200 tokens so far in this session. Continue?\n"},
	} {
		task := script.New(using(script.Call("c1", "look", args("x")), 30), using(script.Say("half of it"), 40), script.Say("never"))
		events, _ := playDelegate(t, task, []script.Reply{work(), script.Say("done")}, c.limits, c.session)
		want := `start explore 1 "task" for a
end explore 1 ` + c.reason + ` after 2: half of it
result a ok: half of it

[explore 1: ended early: ` + c.end + `, 2 steps, 90 tokens]
` + c.asked + `turn done
`
		if d := cmp.Diff(delegating(events), want); d != "" {
			t.Errorf("%s: got (-), want (+):\n%s", name, d)
		}
		rs := task.Requests()
		if last := rs[len(rs)-1]; len(rs) != 2 || last.ToolChoice.Mode != llm.ChoiceNone || valid(last.Messages) != nil {
			t.Errorf("%s: %d requests, tool choice %q, %v", name, len(rs), last.ToolChoice.Mode, valid(last.Messages))
		}
	}
}
