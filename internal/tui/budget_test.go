package tui

import (
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestBudget(t *testing.T) {
	d := newDriver(t, 120, 24, screen.Options{})
	now := event.BudgetNow{
		Turn:    event.Spent{Limits: event.Budget{event.LimitTokens: 200_000, event.LimitTime: 600}, Used: event.Budget{event.LimitSteps: 3, event.LimitTokens: 120_000, event.LimitTime: 290}},
		Session: event.Spent{Limits: event.Budget{event.LimitCost: 5}, Used: event.Budget{event.LimitSteps: 9, event.LimitCost: 2}}, Unpriced: 1,
	}
	d.events(userSaid("go"), now)
	d.shows("80k tokens left")
	d.hides("m 00 s left")
	d.advance(10 * time.Second)
	d.shows("80k tokens left, 5 m 00 s left")
	now.Session.Used[event.LimitCost] = 4.5
	d.events(now, turnEnd(event.Done, 0))
	d.shows("session: $0.50 left")
	d.hides("80k tokens left") // the next turn has all

	for _, bad := range []string{"/budget cost=much", "/budget 200k", "/budget session steps=0"} {
		d.typeText(bad)
		d.press("enter")
		d.promptIs(bad)
		d.press("ctrl+u")
	}
	d.wantCommands()
	for _, typed := range []string{"/budget", "/budget tokens=50k,time=1m", "/budget session cost=$2 tokens=off", "/budget session off"} {
		d.typeText(typed)
		d.press("enter")
	}
	none := event.Budget{event.LimitSteps: event.NoLimit, event.LimitTokens: event.NoLimit, event.LimitCost: event.NoLimit, event.LimitTime: event.NoLimit}
	d.wantCommands(
		event.SetBudget{Limits: event.Budget{}}, event.SetBudget{Limits: event.Budget{event.LimitTokens: 50_000, event.LimitTime: 60}},
		event.SetBudget{Session: true, Limits: event.Budget{event.LimitCost: 2, event.LimitTokens: event.NoLimit}}, event.SetBudget{Session: true, Limits: none},
	)
	now.Reply = true
	d.events(now)
	d.golden("budget")
}
