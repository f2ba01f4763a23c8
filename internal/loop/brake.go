package loop

import "context"

// brake stops a turn. Pulled once it ends the turn's context; pulled again, what
// runs is killed at once. It is not safe for concurrent use.
type brake struct {
	cancel context.CancelFunc
	force  chan struct{} // closed by the second pull
	pulls  int
}

func newBrake(cancel context.CancelFunc) *brake {
	return &brake{cancel: cancel, force: make(chan struct{})}
}

func (b *brake) pull() {
	b.pulls++
	switch b.pulls {
	case 1:
		b.cancel()
	case 2:
		close(b.force)
	}
}

// interrupt pulls the brakes of the turn and of the person's command that run.
// After their end that does nothing.
func (a *Agent) interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.brake.pull()
	if a.typed != nil {
		a.typed.pull()
	}
}
