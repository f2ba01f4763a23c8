package budget

import (
	"context"
	"sync"
	"time"

	"agent/internal/loop/event"
)

// count counts the time until now. It is called with the lock held.
func (a *Account) count() {
	if a.inTurn && a.waiting == 0 {
		now := a.now()
		d := now.Sub(a.since).Seconds()
		a.turn.used[event.LimitTime] += d
		a.session.used[event.LimitTime] += d
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

// Grace moves the time limits by d: from when they were reached, or from now if that was
// earlier.
func (a *Account) Grace(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range []counter{a.turn, a.session} {
		if amount, ok := c.limits[event.LimitTime]; ok {
			c.from[event.LimitTime] = max(c.from[event.LimitTime], c.used[event.LimitTime]-amount) + d.Seconds()
		}
	}
	a.graceEnd = a.now().Add(d)
}

// TimeUp waits until a time limit of the account or of its parent is reached and
// returns true, or until ctx ends. It returns false at once if there is no time limit.
func (a *Account) TimeUp(ctx context.Context) bool {
	if a.parent == nil {
		return a.timeUp(ctx, true)
	}
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	up := make(chan bool, 2)
	wait.Go(func() { up <- a.timeUp(ctx, true) })
	wait.Go(func() { up <- a.parentTimeUp(ctx) })
	first := <-up
	return first || <-up
}

// parentTimeUp is TimeUp for the limits of the parent, after the time that Grace
// gave.
func (a *Account) parentTimeUp(ctx context.Context) bool {
	if _, limited, _ := a.parent.timeLeft(false); !limited {
		return false
	}
	a.mu.Lock()
	grace := a.graceEnd.Sub(a.now())
	a.mu.Unlock()
	if grace > 0 && a.sleep(ctx, grace) != nil {
		return false
	}
	return a.parent.timeUp(ctx, false)
}

// timeUp waits until a time limit is reached and returns true, or until ctx ends. It
// returns false at once if no limit can be reached. Own is false in the name of a
// delegate.
func (a *Account) timeUp(ctx context.Context, own bool) bool {
	for {
		left, limited, resumed := a.timeLeft(own)
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
// user, it returns the channel that is closed afterwards. Own is false in the name of
// a delegate: while no turn runs, time does not pass for its parent.
func (a *Account) timeLeft(own bool) (left time.Duration, limited bool, resumed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.timed() {
		return 0, false, nil
	}
	a.count()
	counters := []counter{a.session}
	if own || a.inTurn {
		counters = append(counters, a.turn)
	}
	for _, c := range counters {
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
	switch {
	case !own && !a.inTurn && left > 0:
		return 0, false, nil
	case a.waiting > 0:
		return left, limited, a.resumed
	}
	return left, limited, nil
}
