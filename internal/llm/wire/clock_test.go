package wire

import (
	"sync"
	"time"
)

// fakeClock is a Clock for tests, on which no time passes but for what Expire
// says. It is safe for concurrent use.
type fakeClock struct {
	at time.Time

	mu      sync.Mutex
	expired map[time.Duration]bool
	running map[*fakeTimer]time.Duration
}

// newFakeClock returns a clock that stands at the time at.
func newFakeClock(at time.Time) *fakeClock {
	return &fakeClock{at: at, expired: map[time.Duration]bool{}, running: map[*fakeTimer]time.Duration{}}
}

// Now returns the time at which the clock stands.
func (c *fakeClock) Now() time.Time { return c.at }

// Expire lets every timer of just d ring: those that run, and those that are
// started from now on, at once.
func (c *fakeClock) Expire(d time.Duration) {
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
func (c *fakeClock) AfterFunc(d time.Duration, f func()) Timer {
	t := &fakeTimer{clock: c, f: f}
	t.Reset(d)
	return t
}

func (c *fakeClock) ring(t *fakeTimer) {
	delete(c.running, t)
	go t.f()
}

type fakeTimer struct {
	clock *fakeClock
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
