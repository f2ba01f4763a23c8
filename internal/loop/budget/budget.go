// Package budget counts the steps, tokens, cost and time of a session and of its
// current turn, and compares them with their limits. The account of a delegate also
// counts in the account of the agent that started it. The package stops nothing
// itself. Start reading at Account.
package budget

import (
	"context"
	"maps"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Account is the only place that counts what a session and its current turn use. It
// is safe for concurrent use.
type Account struct {
	parent *Account // of the agent that delegated; nil if there is none
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error

	mu            sync.Mutex // locked before that of the parent
	turn, session counter
	own           int           // steps of the turn without those of delegates
	ownFrom       int           // own when the user last approved to continue
	usage         llm.Usage     // of the turn
	unpriced      int           // steps of the turn whose price is unknown
	unpricedAll   int           // of the session
	uncounted     int           // steps of the session without a token count
	free          int           // steps of the session that cost nothing
	unpricedModel string        // a model whose price is unknown; empty if there is none
	warned        bool          // the user knows that a limited cost is unknown
	inTurn        bool          // a turn runs
	waiting       int           // questions that wait for the user
	since         time.Time     // the time until then is counted
	resumed       chan struct{} // closed when the last question is answered
	graceEnd      time.Time     // before it, no time limit of the parent ends the turn
}

// counter counts what one turn, or the session, uses.
type counter struct {
	limits event.Budget
	used   event.Budget
	from   event.Budget // what was used when the user last approved to continue
}

// Excess is a limit that was reached.
type Excess struct {
	Limit   event.Limit
	Session bool    // it is a limit of the session
	Parent  bool    // it is a limit of the agent that delegated
	Amount  float64 // the limit
	Used    float64
	Default bool // it is the default number of steps
}

// New returns the account of a session with the limits of each turn and of the
// session, which it does not change. Parent is the account of the agent that
// delegated, which has no parent; nil if there is none. Everything except time also
// counts there, in the session and in the turn that runs at that moment, if any.
func New(turn, session event.Budget, parent *Account, now func() time.Time, sleep func(context.Context, time.Duration) error) *Account {
	return &Account{
		parent: parent, now: now, sleep: sleep,
		turn:    counter{maps.Clone(turn), event.Budget{}, event.Budget{}},
		session: counter{maps.Clone(session), event.Budget{}, event.Budget{}},
	}
}

// Load adds what a resumed session has used.
func (a *Account) Load(used event.Budget, unpriced int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l, n := range used {
		a.session.used[l] += n
	}
	a.unpricedAll += unpriced
}

// Begin begins a turn.
func (a *Account) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn.used, a.turn.from = event.Budget{}, event.Budget{}
	a.own, a.ownFrom, a.usage, a.unpriced = 0, 0, llm.Usage{}, 0
	a.inTurn, a.since, a.graceEnd = true, a.now(), time.Time{}
}

// End ends the turn. It returns the usage and the cost of the turn and of the
// delegates that worked during it. The cost is nil if the price of a step is unknown.
func (a *Account) End() (llm.Usage, *float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count()
	a.inTurn = false
	if cost := a.turn.used[event.LimitCost]; a.unpriced == 0 && a.usage != (llm.Usage{}) {
		return a.usage, &cost
	}
	return a.usage, nil
}

// spending is the usage and cost of steps of a model.
type spending struct {
	steps int
	model string
	usage llm.Usage
	cost  *float64 // nil if it is unknown
}

// Spend counts the usage and cost of a number of steps of model. The cost is nil if it
// is unknown. If the cost is limited, Spend returns once the name of a model whose
// price is unknown, for a notice to the user.
func (a *Account) Spend(steps int, model string, u llm.Usage, cost *float64) (unpriced string) {
	s := spending{steps, model, u, cost}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.own += steps
	a.addSpending(s, true)
	if a.parent != nil {
		a.parent.takeDelegated(s)
	}
	if a.warned || !a.costLimited() {
		return ""
	}
	a.warned = a.unpricedModel != ""
	return a.unpricedModel
}

// takeDelegated counts what a delegate spends.
func (a *Account) takeDelegated(s spending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addSpending(s, a.inTurn)
}

// addSpending counts s in the session and, if inTurn is set, in the turn. It is called with
// the lock held.
func (a *Account) addSpending(s spending, inTurn bool) {
	counters := []counter{a.session}
	if inTurn {
		counters = append(counters, a.turn)
		a.usage = a.usage.Add(s.usage)
	}
	for _, c := range counters {
		c.used[event.LimitSteps] += float64(s.steps)
		c.used[event.LimitTokens] += float64(s.usage.Total())
		if s.cost != nil {
			c.used[event.LimitCost] += *s.cost
		}
	}
	if s.steps > 0 && s.usage.Total() == 0 {
		a.uncounted++
	}
	if s.cost != nil && *s.cost == 0 {
		a.free++
	}
	if s.cost == nil {
		a.unpricedModel = s.model
		a.unpricedAll++
		if inTurn {
			a.unpriced++
		}
	}
}

// costLimited reports whether the cost is limited. It is called with the lock held.
func (a *Account) costLimited() bool {
	_, turn := a.turn.limits[event.LimitCost]
	_, session := a.session.limits[event.LimitCost]
	return turn || session
}

// Over returns the first limit that was reached, if any: of the account itself, then
// of its parent. Steps is the default limit of the steps of a turn, which does not
// count those of delegates.
func (a *Account) Over(steps int) (Excess, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e, ok := a.over(true); ok {
		return e, true
	}
	if _, set := a.turn.limits[event.LimitSteps]; !set && a.own-a.ownFrom >= steps {
		return Excess{Limit: event.LimitSteps, Amount: float64(steps), Used: float64(a.own), Default: true}, true
	}
	if a.parent == nil {
		return Excess{}, false
	}
	e, ok := a.parent.overDelegated()
	e.Parent = ok
	return e, ok
}

// overDelegated returns the first limit that was reached and that limits delegates.
func (a *Account) overDelegated() (Excess, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over(a.inTurn)
}

// over returns the first limit that was reached, if any: of the turn if inTurn is set,
// then of the session. It is called with the lock held.
func (a *Account) over(inTurn bool) (Excess, bool) {
	if a.timed() {
		a.count()
	}
	if inTurn {
		if e, ok := a.turn.over(); ok {
			return e, true
		}
	}
	e, ok := a.session.over()
	e.Session = ok
	return e, ok
}

// over returns the first limit that was reached, if any.
func (c *counter) over() (Excess, bool) {
	const rounding = 1e-6
	for _, l := range event.Limits() {
		if amount := c.limits[l]; amount > 0 && c.used[l]+rounding >= c.from[l]+amount {
			return Excess{Limit: l, Amount: amount, Used: c.used[l]}, true
		}
	}
	return Excess{}, false
}

// Continue allows as much again of a limit that was reached, unless it is one of the
// parent.
func (a *Account) Continue(e Excess) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e.Parent {
		return
	}
	c := &a.turn
	if e.Session {
		c = &a.session
	}
	c.from[e.Limit] = c.used[e.Limit]
	if e.Limit == event.LimitSteps {
		a.ownFrom = a.own
	}
}

// AnswerOnly reports whether the model answers without tools, because a turn may make
// no steps with tools.
func (a *Account) AnswerOnly() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	steps, set := a.turn.limits[event.LimitSteps]
	return set && steps == 0
}

// Bounded reports whether a limit ends each turn without a limit of its steps. A limit
// of tokens or of a cost that do not grow with each step does not.
func (a *Account) Bounded() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l := range a.turn.limits {
		if l != event.LimitSteps && a.grows(l) {
			return true
		}
	}
	for l := range a.session.limits {
		if a.grows(l) {
			return true
		}
	}
	return false
}

// grows reports whether each step so far has used some of what l limits. It is called with
// the lock held.
func (a *Account) grows(l event.Limit) bool {
	switch l {
	case event.LimitTokens:
		return a.uncounted == 0
	case event.LimitCost:
		return a.unpricedAll == 0 && a.free == 0
	}
	return true
}

// Set changes limits of each turn, or of the session. NoLimit removes one.
func (a *Account) Set(session bool, limits event.Budget) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &a.turn
	if session {
		c = &a.session
	}
	if c.limits == nil {
		c.limits = event.Budget{}
	}
	for l, amount := range limits {
		delete(c.from, l)
		if c.limits[l] = amount; amount < 0 {
			delete(c.limits, l)
		}
	}
}

// Limited reports whether the account itself has any limit.
func (a *Account) Limited() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.turn.limits)+len(a.session.limits) > 0
}

// Now returns what was used so far.
func (a *Account) Now() event.BudgetNow {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count()
	return event.BudgetNow{Turn: a.turn.spent(), Session: a.session.spent(), Unpriced: a.unpricedAll}
}

// spent returns a copy. The limits include what the user approved in addition.
func (c *counter) spent() event.Spent {
	s := event.Spent{Limits: event.Budget{}, Used: maps.Clone(c.used)}
	for l, amount := range c.limits {
		s.Limits[l] = amount + c.from[l]
	}
	return s
}
