package loop_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/wire"
	"agent/internal/loop"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// level is a setting of the loop, with the requests that it allows.
type level struct {
	limits event.Budget
	chief  []string // calls of the chief, in place of one to delegate
	asked  string   // the requests: c for the chief, s for the specialist, ! for no tools
	reason event.Reason
	answer string
}

// levels are the levels of agency, and the stops. Each reply uses 110 tokens and 10
// dollars, each look 20 seconds.
func levels() map[string]level {
	look := func(what string) (calls []string) {
		for _, c := range strings.Split(what, "") {
			calls = append(calls, "look "+c)
		}
		return calls
	}
	return map[string]level{
		"no step":      {event.Budget{event.LimitSteps: 0}, nil, "c!", event.Done, "last words"},
		"one round":    {event.Budget{event.LimitSteps: 1}, look("abc"), "c c!", event.MaxSteps, "last words"},
		"no step left": {event.Budget{event.LimitSteps: 1}, nil, "c c!", event.MaxSteps, "last words"}, // for the delegate
		"three steps":  {event.Budget{event.LimitSteps: 3}, nil, "c s s s! c!", event.MaxSteps, "last words"},
		"tokens":       {event.Budget{event.LimitTokens: 300}, nil, "c s s s! c!", event.OverBudget, "last words"},
		"cost":         {event.Budget{event.LimitCost: 25}, nil, "c s s s! c!", event.OverBudget, "last words"},
		"time":         {event.Budget{event.LimitTime: 50}, nil, "c s s s c!", event.OverBudget, "last words"},
		"unlimited":    {nil, nil, "c s s s s s c", event.Done, "the chief is done"},
		"repetition":   {nil, look("aaa"), "c c c c!", event.Repeating, "last words"},
		"a cycle":      {nil, look("ababab"), "c c c c c c c!", event.Repeating, "last words"},
		"failures":     {nil, []string{"fail a", "fail b", "fail c"}, "c c c c!", event.AllFailed, "last words"},
	}
}

// The levels of agency are settings of one loop, and every stop holds in every dialect.
// What a delegate uses counts: it gives one last answer without tools, and so does the
// turn that delegated.
func TestLevelsOfAgency(t *testing.T) {
	for _, in := range tongues() {
		for name, l := range levels() {
			t.Run(in.name+"/"+name, func(t *testing.T) { l.play(t, in) })
		}
	}
}

func (l level) play(t *testing.T, in tongue) {
	plans := map[string][]string{chief: {"delegate look around"}, specialist: {"look a", "look b", "look c", "look d"}}
	if l.chief != nil {
		plans[chief] = l.chief
	}
	served := newOffice(t, in, plans)
	p := in.provider(wire.Endpoint{Name: "test", Base: served.URL + "/v1"})
	defer p.Close()
	at := newTimer()
	look := tool("look", tools.Read, func(ctx context.Context, text string) (string, error) {
		at.pass(20 * time.Second)
		if limit, ok := l.limits[event.LimitTime]; ok && at.now().Sub(noon).Seconds() > limit {
			<-ctx.Done() // a limit of time interrupts calls
		}
		return "did " + text, ctx.Err()
	})
	o := priced(options(p, look, failing()))
	o.Models.Current.ID, o.Prompt.System, o.Permissions.Attended, o.TurnBudget = "m", "You are the "+chief+".", false, maps.Clone(l.limits)
	o.Clock.Now, o.Clock.Sleep = at.now, at.sleep
	o.Delegates = delegate.NewPool(delegate.Options{
		Now:    at.now,
		Agents: func() []delegate.Agent { return []delegate.Agent{{Name: specialist, Description: "looks around"}} },
		Launch: func(_ context.Context, host delegate.Host, task delegate.Task) (delegate.Session, error) {
			d := options(p, look)
			d.Models.Current, d.Prompt.System, d.Permissions.Attended, d.Delegate.Parent, d.Delegate.Label = host.Model(), "You are a "+specialist+".", false, host, task.Label
			d.Clock.Now, d.Clock.Sleep, d.TurnBudget = at.now, at.sleep, event.Budget{event.LimitSteps: 20}
			return &member{Agent: loop.NewAgent(fill(d)), model: d.Models.Current.Name}, nil
		},
	})
	var answer string
	var end *event.TurnEnd
	results := map[string]int{}
	for _, e := range play(t, o, []string{"go"}, nil) {
		switch e := e.(type) {
		case *event.MessageDone:
			answer = e.Message.Text
		case *event.ToolEnd:
			results[e.Result.ID]++
		case *event.TurnEnd:
			end = e
		}
	}
	served.Close() // it waits for the request of a delegate that the limit interrupted
	var asked []string
	for _, part := range served.asked {
		if _, timed := l.limits[event.LimitTime]; timed && part == specialist+"!" {
			continue // the limit interrupts the delegate too, before or after its last answer
		}
		asked = append(asked, strings.NewReplacer(chief, "c", specialist, "s").Replace(part))
	}
	if d := cmp.Diff(strings.Join(asked, " "), l.asked); d != "" {
		t.Errorf("the requests: %s", d)
	}
	if end.Reason != l.reason || answer != l.answer {
		t.Errorf("the turn ended as %s (%s) with %q, want %s with %q", end.Reason, end.Error, answer, l.reason, l.answer)
	}
	for id, n := range results {
		if n != 1 {
			t.Errorf("the call %s has %d results", id, n)
		}
	}
}

// failing is a tool whose calls fail.
func failing() tools.Tool {
	return tool("fail", tools.Read, func(context.Context, string) (string, error) { return "", context.DeadlineExceeded })
}
