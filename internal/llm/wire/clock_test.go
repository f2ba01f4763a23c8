package wire

import (
	"sync"
	"time"
)

// fakeClock is a Clock on which time does not pass; Expire fires timers. It is
// safe for concurrent use.
type fakeClock struct {
	at time.Time

	mu      sync.Mutex
	expired map[time.Duration]bool
	running map[*fakeTimer]time.Duration
}

// newFakeClock returns a clock that shows at.
func newFakeClock(at time.Time) *fakeClock {
	return &fakeClock{at: at, expired: map[time.Duration]bool{}, running: map[*fakeTimer]time.Duration{}}
}

// Now returns the time of the clock.
func (c *fakeClock) Now() time.Time { return c.at }

// Expire fires every timer of exactly d, including those started later.
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
