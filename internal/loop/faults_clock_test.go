package loop_test

import (
	"sync"
	"time"

	"agent/internal/llm/wire"
)

// clock is a wire.Clock whose timers fire only by ring.
type clock struct {
	mu      sync.Mutex
	running map[*alarm]time.Duration
	due     map[time.Duration]int // number of timers that fire as they start, by length
}

func newClock() *clock {
	return &clock{running: map[*alarm]time.Duration{}, due: map[time.Duration]int{}}
}

// noon is the constant time of a clock.
var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// Now returns noon.
func (c *clock) Now() time.Time { return noon }

// ring fires a running timer of length d, or the next one that starts.
func (c *clock) ring(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for a, of := range c.running {
		if of == d {
			delete(c.running, a)
			go a.f()
			return
		}
	}
	c.due[d]++
}

// waiting returns the number of running timers.
func (c *clock) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.running)
}

var _ wire.Clock = (*clock)(nil)

// AfterFunc starts a timer.
func (c *clock) AfterFunc(d time.Duration, f func()) wire.Timer {
	a := &alarm{clock: c, f: f}
	a.Reset(d)
	return a
}

// alarm is a timer of a clock.
type alarm struct {
	clock *clock
	f     func()
}

// Reset starts a again.
func (a *alarm) Reset(d time.Duration) bool {
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	_, ran := a.clock.running[a]
	delete(a.clock.running, a)
	if a.clock.due[d] > 0 {
		a.clock.due[d]--
		go a.f()
		return ran
	}
	a.clock.running[a] = d
	return ran
}

// Stop ends a.
func (a *alarm) Stop() bool {
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	_, ran := a.clock.running[a]
	delete(a.clock.running, a)
	return ran
}
