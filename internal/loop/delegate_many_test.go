package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/script"
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
	var last event.DelegatesNow
	ended := false
	play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if now, ok := e.(event.DelegatesNow); ok && !ended {
			last = now
		}
		if _, ok := e.(*event.TurnEnd); ok {
			ended = true
		}
		return nil
	})
	if len(last.Delegates) != 50 || last.Delegates[0].ID != 1 {
		t.Errorf("%d delegates are listed, and the first is %+v", len(last.Delegates), last.Delegates[0])
	}
}
