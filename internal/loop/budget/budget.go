// Package budget counts the steps, tokens, cost and time of a session and of its
// current turn, and compares them with their limits. It stops nothing itself. Start
// reading at Account.
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
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu            sync.Mutex
	turn, session counter
	usage         llm.Usage     // of the turn
	unpriced      int           // steps of the turn whose price is unknown
	unpricedAll   int           // of the session
	warned        bool          // the user knows that a limited cost is unknown
	inTurn        bool          // a turn runs
	waiting       int           // questions that wait for the user
	since         time.Time     // the time until then is counted
	resumed       chan struct{} // closed when the last question is answered
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
	Amount  float64 // the limit
	Used    float64
	Default bool // it is the default number of steps
}

// New returns the account of a session with the limits of each turn and of the
// session, which it does not change.
func New(turn, session event.Budget, now func() time.Time, sleep func(context.Context, time.Duration) error) *Account {
	return &Account{
		now: now, sleep: sleep,
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
	a.usage, a.unpriced = llm.Usage{}, 0
	a.inTurn, a.since = true, a.now()
}

// End ends the turn. It returns its usage and its cost, which is nil if the price of
// a step is unknown.
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

// Spend counts the usage and cost of a number of steps. The cost is nil if it is
// unknown. It reports whether the user must get a notice that a limited cost is unknown.
func (a *Account) Spend(steps int, u llm.Usage, cost *float64) (warn bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage = a.usage.Add(u)
	a.add(event.LimitSteps, float64(steps))
	a.add(event.LimitTokens, float64(u.Input+u.Output))
	if cost != nil {
		a.add(event.LimitCost, *cost)
		return false
	}
	a.unpriced++
	a.unpricedAll++
	_, turn := a.turn.limits[event.LimitCost]
	_, session := a.session.limits[event.LimitCost]
	warn = (turn || session) && !a.warned
	a.warned = a.warned || warn
	return warn
}

// add counts an amount of l. It is called with the lock held.
func (a *Account) add(l event.Limit, n float64) {
	a.turn.used[l] += n
	a.session.used[l] += n
}

// count counts the time until now. It is called with the lock held.
func (a *Account) count() {
	if a.inTurn && a.waiting == 0 {
		now := a.now()
		a.add(event.LimitTime, now.Sub(a.since).Seconds())
		a.since = now
	}
}

// Wait stops the time until the user has answered a question. Resume ends it.
func (a *Account) Wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count()
	if a.waiting++; a.waiting == 1 {
		a.resumed = make(chan struct{})
	}
}

// Resume ends a Wait.
func (a *Account) Resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting--; a.waiting == 0 {
		a.since = a.now()
		close(a.resumed)
	}
}

// Over returns the first limit that was reached, if any. Steps is the default limit
// of the steps of a turn.
func (a *Account) Over(steps int) (Excess, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timed() {
		a.count()
	}
	if e, ok := a.turn.over(); ok {
		return e, true
	}
	if e, ok := a.session.over(); ok {
		e.Session = true
		return e, true
	}
	used := a.turn.used[event.LimitSteps]
	if _, set := a.turn.limits[event.LimitSteps]; !set && used >= a.turn.from[event.LimitSteps]+float64(steps) {
		return Excess{Limit: event.LimitSteps, Amount: float64(steps), Used: used, Default: true}, true
	}
	return Excess{}, false
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

// Continue allows as much again of a limit that was reached.
func (a *Account) Continue(e Excess) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &a.turn
	if e.Session {
		c = &a.session
	}
	c.from[e.Limit] = c.used[e.Limit]
}

// Grace gives the turn at least the time d from now on.
func (a *Account) Grace(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range []counter{a.turn, a.session} {
		if amount, ok := c.limits[event.LimitTime]; ok {
			c.from[event.LimitTime] = max(c.from[event.LimitTime], c.used[event.LimitTime]+d.Seconds()-amount)
		}
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
// of a cost that is unknown does not.
func (a *Account) Bounded() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l := range a.turn.limits {
		if l != event.LimitSteps && (l != event.LimitCost || a.unpricedAll == 0) {
			return true
		}
	}
	for l := range a.session.limits {
		if l != event.LimitCost || a.unpricedAll == 0 {
			return true
		}
	}
	return false
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

// Limited reports whether there is any limit.
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

// TimeUp waits until a time limit is reached and returns true, or until ctx ends. It
// returns false at once if there is no time limit.
func (a *Account) TimeUp(ctx context.Context) bool {
	for {
		left, limited, resumed := a.timeLeft()
		switch {
		case !limited:
			return false
		case resumed != nil:
			select {
			case <-resumed:
			case <-ctx.Done():
				return false
			}
		case left <= 0:
			return true
		case a.sleep(ctx, left) != nil:
			return false
		}
	}
}

// timed reports whether there is a time limit. It is called with the lock held.
func (a *Account) timed() bool {
	return a.turn.limits[event.LimitTime] > 0 || a.session.limits[event.LimitTime] > 0
}

// timeLeft returns the time until a limit is reached. While a question waits for the
// user, it returns the channel that is closed afterwards.
func (a *Account) timeLeft() (left time.Duration, limited bool, resumed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.timed() {
		return 0, false, nil
	}
	a.count()
	for _, c := range []counter{a.turn, a.session} {
		amount, ok := c.limits[event.LimitTime]
		if !ok {
			continue
		}
		d := time.Duration((c.from[event.LimitTime] + amount - c.used[event.LimitTime]) * float64(time.Second))
		if !limited || d < left {
			left = d
		}
		limited = true
	}
	if a.waiting > 0 {
		return left, limited, a.resumed
	}
	return left, limited, nil
}
