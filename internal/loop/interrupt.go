package loop

import "context"

// interrupter stops a turn or a command: the first interrupt cancels its context,
// the second one closes kill. It is not safe for concurrent use.
type interrupter struct {
	cancel context.CancelFunc
	kill   chan struct{} // closed by the second interrupt
	calls  int
}

func newInterrupter(cancel context.CancelFunc) *interrupter {
	return &interrupter{cancel: cancel, kill: make(chan struct{})}
}

// interrupt does nothing if i is nil.
func (i *interrupter) interrupt() {
	if i == nil {
		return
	}
	i.calls++
	switch i.calls {
	case 1:
		i.cancel()
	case 2:
		close(i.kill)
	}
}
