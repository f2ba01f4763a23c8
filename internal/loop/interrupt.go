package loop

import "context"

// interrupter stops something that runs: the first interrupt cancels its context,
// the second one kills it at once. It is not safe
// for concurrent use.
type interrupter struct {
	cancel context.CancelFunc
	kill   chan struct{} // closed by the second interrupt
	calls  int
}

func newInterrupter(cancel context.CancelFunc) *interrupter {
	return &interrupter{cancel: cancel, kill: make(chan struct{})}
}

// interrupt stops what runs; nil runs nothing.
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
