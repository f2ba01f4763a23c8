package budget_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/budget"
	"agent/internal/loop/event"
)

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// family returns the account of a parent with limits of a turn and of the session, and
// those of its delegates without limits. All of them are in a turn.
func family(turn, session event.Budget, delegates int) (parent *budget.Account, all []*budget.Account) {
	parent = budget.New(turn, session, nil, time.Now, sleep)
	parent.Begin()
	for range delegates {
		d := budget.New(nil, nil, parent, time.Now, sleep)
		d.Begin()
		all = append(all, d)
	}
	return parent, all
}

// spent is what a turn, or a session, uses.
type spent struct {
	Steps, Tokens, Cost float64
	Unpriced            int
}

// add adds a step.
func (s *spent) add(u llm.Usage, cost *float64) {
	s.Steps++
	s.Tokens += float64(u.Input + u.Output)
	if cost == nil {
		s.Unpriced++
	} else {
		s.Cost += *cost
	}
}

// used returns what b has used.
func used(b event.Budget, unpriced int) spent {
	return spent{b[event.LimitSteps], b[event.LimitTokens], b[event.LimitCost], unpriced}
}

// step returns the usage of a random step and its cost, which is unknown in half of
// the cases.
func step(r *rand.Rand) (llm.Usage, *float64) {
	u := llm.Usage{Input: r.IntN(1000), Output: r.IntN(100)}
	if r.IntN(2) == 0 {
		return u, nil
	}
	cost := float64(r.IntN(10)) // sums of whole numbers are exact
	return u, &cost
}

// The totals of a parent are the sums of what it and its delegates spend, in any
// order. While no turn of the parent runs, its session counts alone.
func TestTotalsOfAParentAreSums(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		parent, delegates := family(nil, nil, 3)
		turns := make([]spent, len(delegates)) // of the delegates
		var turn, session spent
		inTurn := true
		for range 60 {
			u, cost := step(r)
			switch i := r.IntN(len(delegates) + 2); {
			case i < len(delegates):
				delegates[i].Spend(1, "m", u, cost)
				turns[i].add(u, cost)
				session.add(u, cost)
				if inTurn {
					turn.add(u, cost)
				}
			case i == len(delegates) && inTurn:
				parent.Spend(1, "m", u, cost)
				turn.add(u, cost)
				session.add(u, cost)
			case r.IntN(4) > 0:
			case inTurn:
				usage, cost := parent.End()
				if got := float64(usage.Input + usage.Output); got != turn.Tokens || (cost == nil) != (turn.Unpriced > 0 || turn.Tokens == 0) || cost != nil && *cost != turn.Cost {
					t.Fatalf("seed %d: a turn ends with %v tokens and the cost %v, want %+v", seed, got, cost, turn)
				}
				inTurn = false
			default:
				parent.Begin()
				inTurn, turn = true, spent{}
			}
			now := parent.Now()
			if d := cmp.Diff(used(now.Session.Used, now.Unpriced), session); d != "" {
				t.Fatalf("seed %d: session: %s", seed, d)
			}
			if got, want := used(now.Turn.Used, turn.Unpriced), turn; inTurn && got != want {
				t.Fatalf("seed %d: turn: got %+v, want %+v", seed, got, want)
			}
		}
		for i, d := range delegates {
			now := d.Now()
			if got := used(now.Turn.Used, now.Unpriced); got != turns[i] {
				t.Errorf("seed %d: delegate %d: got %+v, want %+v", seed, i, got, turns[i])
			}
		}
	}
}

// Delegates that spend at the same time lose nothing.
func TestTotalsOfParallelDelegates(t *testing.T) {
	parent, delegates := family(event.Budget{event.LimitTime: 3600}, nil, 8)
	sums := make([]spent, len(delegates)+1)
	var wg sync.WaitGroup
	for i, a := range append(delegates, parent) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 200 {
				u, cost := step(r)
				a.Spend(1, "m", u, cost)
				sums[i].add(u, cost)
				a.Over(1000)
				if r.IntN(10) == 0 {
					parent.Wait()
					a.Now()
					parent.Resume()
				}
			}
		})
	}
	wg.Wait()
	var want spent
	for _, s := range sums {
		want.Steps, want.Tokens, want.Cost, want.Unpriced = want.Steps+s.Steps, want.Tokens+s.Tokens, want.Cost+s.Cost, want.Unpriced+s.Unpriced
	}
	now := parent.Now()
	if d := cmp.Diff(used(now.Turn.Used, now.Unpriced), want); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(used(now.Session.Used, now.Unpriced), want); d != "" {
		t.Error(d)
	}
}

// A limit of the parent stops its delegates, which know whose limit it is. The default
// limit of steps does not count their steps.
func TestLimitsOfAParentStopItsDelegates(t *testing.T) {
	one := 1.0
	for name, c := range map[string]struct {
		turn, session event.Budget
		parent, child budget.Excess // the zero value for none
	}{
		"none": {},
		"steps": {turn: event.Budget{event.LimitSteps: 6},
			parent: budget.Excess{Limit: event.LimitSteps, Amount: 6, Used: 6},
			child:  budget.Excess{Limit: event.LimitSteps, Amount: 6, Used: 6, Parent: true}},
		"cost of the session": {session: event.Budget{event.LimitCost: 5.5},
			parent: budget.Excess{Limit: event.LimitCost, Amount: 5.5, Used: 6, Session: true},
			child:  budget.Excess{Limit: event.LimitCost, Amount: 5.5, Used: 6, Session: true, Parent: true}},
		"tokens, not reached": {turn: event.Budget{event.LimitTokens: 61}},
	} {
		parent, delegates := family(c.turn, c.session, 2)
		for _, a := range []*budget.Account{parent, parent, delegates[0], delegates[0], delegates[1], delegates[1]} {
			if e, over := a.Over(3); over {
				t.Errorf("%s: %+v before it is reached", name, e)
			}
			a.Spend(1, "m", llm.Usage{Input: 9, Output: 1}, &one)
		}
		if e, _ := parent.Over(3); e != c.parent {
			t.Errorf("%s: parent: got %+v, want %+v", name, e, c.parent)
		}
		for _, d := range delegates {
			if e, _ := d.Over(3); e != c.child {
				t.Errorf("%s: delegate: got %+v, want %+v", name, e, c.child)
			}
		}
		parent.End()
		if e, over := delegates[0].Over(3); over != c.child.Session {
			t.Errorf("%s: after the turn of the parent: got %+v", name, e)
		}
	}
}

// A user who continues a turn allows as many own steps again.
func TestContinueCountsOwnSteps(t *testing.T) {
	parent, delegates := family(nil, nil, 1)
	for i := 1; i <= 6; i++ {
		parent.Spend(1, "m", llm.Usage{}, nil)
		delegates[0].Spend(1, "m", llm.Usage{}, nil)
		e, over := parent.Over(3)
		if want := i%3 == 0; over != want || over && (e.Used != float64(i) || !e.Default) {
			t.Errorf("after %d own steps: %+v, %v", i, e, over)
		}
		if over {
			parent.Continue(e)
		}
	}
}

// The user gets one notice if the price of a delegate is unknown: from the account
// whose cost is limited, with the name of the model.
func TestUnknownPriceOfADelegate(t *testing.T) {
	parent, delegates := family(event.Budget{event.LimitCost: 1}, nil, 1)
	cost := 0.0
	if got := delegates[0].Spend(1, "free/model", llm.Usage{}, nil); got != "" {
		t.Errorf("the delegate has no limit, but got %q", got)
	}
	if got := parent.Spend(1, "m", llm.Usage{}, &cost); got != "free/model" {
		t.Errorf("got %q", got)
	}
	if got := parent.Spend(1, "m", llm.Usage{}, nil); got != "" {
		t.Errorf("a second notice about %q", got)
	}
}

// A time limit of the parent ends the step of a delegate. The time does not run while
// a question waits, nor between the turns of the parent.
func TestTimeLimitOfAParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, delegates := family(nil, event.Budget{event.LimitTime: 60}, 1)
		d, start := delegates[0], time.Now()
		up := make(chan bool)
		wait := func() { up <- d.TimeUp(t.Context()) }
		check := func(want time.Duration) {
			t.Helper()
			if isUp, got := <-up, time.Since(start); !isUp || got != want {
				t.Errorf("%v after %s, want %s", isUp, got, want)
			}
		}
		go wait()
		time.Sleep(20 * time.Second)
		parent.Wait()
		time.Sleep(time.Hour)
		parent.Resume()
		check(time.Hour + time.Minute)
		if e, over := d.Over(100); !over || !e.Parent || e.Limit != event.LimitTime {
			t.Errorf("got %+v, %v", e, over)
		}

		d.Grace(2 * time.Minute) // for the last answer
		go wait()
		check(time.Hour + 3*time.Minute)

		parent.Set(true, event.Budget{event.LimitTime: 600})
		parent.End()
		if d.TimeUp(t.Context()) {
			t.Error("the time is up while no turn runs")
		}
		before := parent.Now().Session.Used[event.LimitTime]
		time.Sleep(time.Hour)
		if after := parent.Now().Session.Used[event.LimitTime]; after != before {
			t.Errorf("%v s were counted between turns", after-before)
		}
	})
}

// A canceled step of a delegate waits for no time limit.
func TestTimeUpEndsWithTheStep(t *testing.T) {
	_, delegates := family(event.Budget{event.LimitTime: 3600}, nil, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if delegates[0].TimeUp(ctx) {
		t.Error("the time is up")
	}
}
