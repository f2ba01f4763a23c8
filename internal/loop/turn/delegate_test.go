package turn_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/budget"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// asker is a user who approves everything, and the permissions of mode ask.
type asker struct {
	quiet
	asked []string
}

func (a *asker) Approve(_ context.Context, ask event.Ask, _ standing.Grant) (event.Answer, *standing.Grant, error) {
	a.asked = append(a.asked, ask.ID)
	return event.Answer{Decision: event.Allow}, nil, nil
}

func (a *asker) Update(f func(turn.Model) turn.Model) { a.model = f(a.model) }

func (*asker) Judge(_ context.Context, c tools.Call) policy.Verdict {
	p := policy.Policy{Mode: event.ModeAsk}
	return p.Judge(c, policy.Facts{})
}

// echo returns a tool with an effect that answers with its argument.
func echo(name string, effect tools.Effect) tools.Tool {
	type arguments struct {
		Text string `json:"text"`
	}
	return tools.New(name, "answers", func(_ context.Context, a arguments) (tools.Call, error) {
		return tools.Call{Title: name + " " + a.Text, Effect: effect, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			if a.Text == "fail" {
				return tools.Result{}, errors.New("it failed")
			}
			return tools.Result{Text: "did " + a.Text}, nil
		}}, nil
	})
}

// delegated runs the turn of a delegate. It returns its end and the IDs of the
// questions to the user.
func delegated(t *testing.T, p llm.Provider, b *budget.Account, m turn.Model) (event.TurnEnd, []string) {
	t.Helper()
	m.Name, m.ID, m.Provider = "script/test", "test", p
	user := &asker{quiet: quiet{model: m}}
	one := turn.Turn{
		Models: user, Permissions: user, Approver: user, Delegated: true, Inbox: user, Budget: b,
		Tools:  []tools.Tool{echo("look", tools.Read), echo("change", tools.Write)},
		Prefix: func(turn.Model, *event.Prefix) event.Prefix { return event.Prefix{} },
		Emit:   func(event.Event) error { return nil },
	}
	return one.Run(t.Context(), turn.NewConversation(nil, nil, nil), event.Prompt{Text: "go"}), user.asked
}

// account returns an account without time limits.
func account(limits event.Budget, parent *budget.Account) *budget.Account {
	return budget.New(limits, nil, parent, time.Now, nil)
}

// calls returns n replies with a call of look each.
func calls(n int, text func(int) string) (replies []script.Reply) {
	for i := range n {
		replies = append(replies, script.Call(fmt.Sprint("c", i), "look", fmt.Sprintf(`{"text":%q}`, text(i))))
	}
	return replies
}

// A delegate never asks about a limit or a loop: the model gets one last reply without
// tools.
func TestDelegateAnswersOnceMoreAtALimit(t *testing.T) {
	number := func(i int) string { return fmt.Sprint(i) }
	for name, c := range map[string]struct {
		limits, parent, session event.Budget
		text                    func(int) string
		steps                   int
		reason                  event.Reason
		err, hint               string
	}{
		"the default": {nil, nil, nil, number, 51, event.MaxSteps,
			"stopped after 50 steps, the limit of one turn", "Raise max_steps of the agent, or delegate a smaller task."},
		"its steps": {event.Budget{event.LimitSteps: 2}, nil, nil, number, 3, event.MaxSteps,
			"stopped after 2 steps, the limit of one turn", "Raise max_steps of the agent, or delegate a smaller task."},
		"its cost": {event.Budget{event.LimitCost: 4}, nil, nil, number, 3, event.OverBudget,
			"stopped after $4.00, the limit of one turn", "Raise max_cost of the agent, or delegate a smaller task."},
		"the steps of the parent": {nil, event.Budget{event.LimitSteps: 3}, nil, number, 3, event.MaxSteps,
			"stopped: the turn that delegated has used 3 steps, and its limit is 3 steps", "Raise the limit with --max-steps or /budget."},
		"the session of the parent": {nil, nil, event.Budget{event.LimitTokens: 15}, number, 3, event.OverBudget,
			"stopped: the session that delegated has used 20 tokens, and its limit is 15 tokens", "Raise the limit with --session-budget or /budget."},
		"a loop": {nil, nil, nil, func(int) string { return "same" }, 4, event.Repeating,
			"stopped: the model made the same call 3 times, with the same result: look same", "Tell the model what to do differently."},
		"failures": {nil, nil, nil, func(int) string { return "fail" }, 4, event.AllFailed,
			"stopped: every tool call in 3 consecutive steps failed: it failed", "Tell the model what to do differently."},
	} {
		parent := budget.New(c.parent, c.session, nil, time.Now, nil)
		parent.Begin()
		if c.parent != nil {
			parent.Spend(1, "m", llm.Usage{}, nil)
		}
		var replies []script.Reply
		for _, r := range calls(c.steps-1, c.text) {
			r.Deltas[len(r.Deltas)-1] = llm.Finish{Reason: llm.Calls, Usage: llm.Usage{Input: 8, Output: 2}}
			replies = append(replies, r)
		}
		p := script.New(append(replies, script.Say("that is all"), script.Say("never"))...)
		priced := turn.Model{Cost: func(u llm.Usage) (float64, bool) { return float64(u.Output), true }}
		end, asked := delegated(t, p, account(c.limits, parent), priced)
		if d := cmp.Diff([]any{end.Steps, end.Reason, end.Error, end.Hint}, []any{c.steps, c.reason, c.err, c.hint}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		requests := p.Requests()
		if last := requests[len(requests)-1]; last.ToolChoice.Mode != llm.ChoiceNone || len(asked) > 0 {
			t.Errorf("%s: tool choice %q, asked %v", name, last.ToolChoice.Mode, asked)
		}
	}
}

// A delegate whose parent has no budget left sends nothing.
func TestDelegateWithoutBudget(t *testing.T) {
	parent := account(event.Budget{event.LimitTokens: 10}, nil)
	parent.Begin()
	parent.Spend(1, "m", llm.Usage{Input: 10}, nil)
	p := script.New(script.Say("never"))
	end, _ := delegated(t, p, account(nil, parent), turn.Model{})
	if end.Reason != event.OverBudget || !strings.Contains(end.Error, "the turn that delegated has used 10 tokens") || len(p.Requests()) != 0 {
		t.Errorf("got %s, %q, %d requests", end.Reason, end.Error, len(p.Requests()))
	}
}

// The user approves the calls of a delegate, its host and tool calls as text.
func TestDelegateAsksTheUser(t *testing.T) {
	asText := script.New(script.Call("c1", "change", `{"text":"a"}`), script.Say("done"))
	m := turn.Model{AsText: asText, Confirm: &turn.Confirm{Question: "Send it?", Why: "the host is new", Remedy: "say no"}}
	none := script.New(script.Fail(&llm.Error{Kind: llm.ErrNoTools, Message: "no tools"}))
	end, asked := delegated(t, none, account(nil, nil), m)
	if d := cmp.Diff(asked, []string{event.HostAsk, event.TextAsk, "c1"}); d != "" || end.Reason != event.Done {
		t.Errorf("%s: %s", end.Reason, d)
	}
}
