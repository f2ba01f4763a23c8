package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
)

// A model cannot start any number of delegates in the background.
func TestDelegatesInBackgroundAreLimited(t *testing.T) {
	hold := script.Say("x")
	hold.Before = func(ctx context.Context, _ llm.Request) { <-ctx.Done() }
	var replies []script.Reply
	for i := range 5 {
		var all [][3]string
		for j := range 30 {
			all = append(all, [3]string{fmt.Sprintf("c%d-%d", i, j), "delegate", `{"agent":"explore","prompt":"one","background":true}`})
		}
		replies = append(replies, inOneReply(all...))
	}
	m := team{t: t, scripts: map[string]*script.Provider{"one": script.New(hold, hold, hold, hold, hold, hold, hold, hold)}}
	o := options(script.New(append(replies, script.Say("done"))...))
	o.Delegates = m.pool()
	ok := 0
	for _, e := range play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	}) {
		if end, is := e.(*event.ToolEnd); is && end.Outcome == event.OK {
			if ok++; !strings.Contains(end.Result.Text, "works in the background") {
				t.Errorf("got %s", end.Result.Text)
			}
		}
	}
	if ok != 50 {
		t.Errorf("%d delegates were started", ok)
	}
}

// A delegate that runs stays in the list, however many have ended since.
func TestRunningDelegateStaysListed(t *testing.T) {
	hold := script.Say("x")
	hold.Before = func(ctx context.Context, _ llm.Request) { <-ctx.Done() }
	m := team{t: t, scripts: map[string]*script.Provider{"long": script.New(hold)}}
	replies := []script.Reply{script.Call("a", "delegate", `{"agent":"explore","prompt":"long","background":true}`)}
	for i := range 2 {
		var all [][3]string
		for j := range 30 { // they end at once, because they have no script
			all = append(all, [3]string{fmt.Sprintf("c%d-%d", i, j), "delegate", fmt.Sprintf(`{"agent":"explore","prompt":"%d-%d"}`, i, j)})
		}
		replies = append(replies, inOneReply(all...))
	}
	o := options(script.New(append(replies, script.Say("done"))...))
	o.Delegates = m.pool()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(ctx, commands, events)
	commands <- event.Prompt{Text: "go"}
	started := false // whether all delegates were started
	var last []event.Delegate
	for e := range events {
		switch e := e.(type) {
		case *event.TurnEnd:
			if !started {
				started = true
				commands <- event.ListDelegates{}
			}
		case event.DelegatesNow:
			running := 0
			for _, d := range e.Delegates {
				if d.Running() {
					running++
				}
			}
			if started && running == 1 && last == nil {
				last = e.Delegates
				stop()
			}
		}
	}
	if len(last) != 50 || last[0].ID != 1 {
		t.Errorf("%d delegates are listed: %+v", len(last), last)
	}
}

// The answers of background delegates start only so many turns in a row without a message of
// the user. The next message of the user lets them start turns again.
func TestTurnsThatDelegatesStartAreLimited(t *testing.T) {
	over := make(chan struct{}, 100) // receives a value for each turn that has ended
	found := script.Say("found it")
	found.Before = func(ctx context.Context, _ llm.Request) {
		select {
		case <-over:
		case <-ctx.Done():
		}
	}
	m := team{t: t, scripts: map[string]*script.Provider{}}
	var replies []script.Reply
	for i := range 60 { // each turn starts a delegate, which starts the next turn
		name := fmt.Sprint("n", i)
		m.scripts[name] = script.New(found)
		start := script.Call(name, "delegate", fmt.Sprintf(`{"agent":"explore","prompt":%q,"background":true}`, name))
		replies = append(replies, start, script.Say("it looks"))
	}
	p := script.New(replies...)
	o := options(p)
	o.Delegates = m.pool()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(ctx, commands, events)
	commands <- event.Prompt{Text: "go"}
	turns, notices := []int{0}, 0
	for e := range events {
		switch e := e.(type) {
		case *event.TurnEnd:
			turns[len(turns)-1]++
			over <- struct{}{}
		case event.Notice:
			if !strings.Contains(e.Text, "Background delegates have started 20 turns in a row") {
				continue
			}
			if notices++; notices == 2 {
				stop()
				continue
			}
			turns = append(turns, 0)
			commands <- event.Prompt{Text: "continue"}
		}
	}
	if d := cmp.Diff(turns, []int{21, 21}); d != "" {
		t.Errorf("turns after each message of the user: %s", d)
	}
}
