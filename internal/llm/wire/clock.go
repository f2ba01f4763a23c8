package wire

import (
	"sync"
	"time"
)

// Clock is the time as an exchange sees it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own when d has passed, as
	// time.AfterFunc does.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is the part of a time.Timer that is needed here.
type Timer interface {
	Reset(d time.Duration) bool
	Stop() bool
}

type systemClock struct{}

func (systemClock) Now() time.Time                            { return time.Now() }
func (systemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// FakeClock is a Clock for tests, on which no time passes but for what Expire
// says. It is safe for concurrent use.
type FakeClock struct {
	at time.Time

	mu      sync.Mutex
	expired map[time.Duration]bool
	running map[*fakeTimer]time.Duration
}

// NewFakeClock returns a clock that stands at the time at.
func NewFakeClock(at time.Time) *FakeClock {
	return &FakeClock{at: at, expired: map[time.Duration]bool{}, running: map[*fakeTimer]time.Duration{}}
}

// Now returns the time at which the clock stands.
func (c *FakeClock) Now() time.Time { return c.at }

// Expire lets every timer of just d ring: those that run, and those that are
// started from now on, at once.
func (c *FakeClock) Expire(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expired[d] = true
	for t, of := range c.running {
		if of == d {
			c.ring(t)
		}
	}
}

// AfterFunc starts a timer.
func (c *FakeClock) AfterFunc(d time.Duration, f func()) Timer {
	t := &fakeTimer{clock: c, f: f}
	t.Reset(d)
	return t
}

func (c *FakeClock) ring(t *fakeTimer) {
	delete(c.running, t)
	go t.f()
}

type fakeTimer struct {
	clock *FakeClock
	f     func()
}

func (t *fakeTimer) Reset(d time.Duration) bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, ran := t.clock.running[t]
	if t.clock.running[t] = d; t.clock.expired[d] {
		t.clock.ring(t)
	}
	return ran
}

func (t *fakeTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, ran := t.clock.running[t]
	delete(t.clock.running, t)
	return ran
}
