package delegate

import (
	"sync"

	"agent/internal/loop/event"
)

// commandQueue holds the commands for the session of a delegate, from other goroutines. They are
// safe for concurrent use.
type commandQueue struct {
	wake chan struct{} // has a token if there are any

	mu     sync.Mutex
	all    []event.Command
	closed bool // none are accepted
}

func newCommandQueue() *commandQueue { return &commandQueue{wake: make(chan struct{}, 1)} }

// watch is an order to send all events so far, and those that follow, to the front
// end.
type watch struct{ event.Command }

// give adds an order. It returns false if none are accepted any more.
func (o *commandQueue) give(c event.Command) bool {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return false
	}
	o.all = append(o.all, c)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return true
}

// drain returns the commands since its previous call.
func (o *commandQueue) drain() []event.Command {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.all
	o.all = nil
	return all
}

// closeIfEmpty makes give fail from now on if no orders are left. It reports whether it
// did.
func (o *commandQueue) closeIfEmpty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = len(o.all) == 0
	return o.closed
}

// close makes give fail from now on, and returns the orders that are left.
func (o *commandQueue) close() []event.Command {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	return o.drain()
}
