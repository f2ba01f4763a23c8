package exit

import (
	"context"
	"os"
)

// Forward returns a signal handler that sends to a channel. It drops signals while
// the channel is full.
func Forward(to chan<- os.Signal) func(os.Signal) {
	return func(s os.Signal) {
		select {
		case to <- s:
		default:
		}
	}
}

// Interruptible runs do with a context that the first signal cancels. The second
// signal closes force. If do fails after a signal, the error holds the exit code of
// the signal.
func (s *Signals) Interruptible(ctx context.Context, do func(ctx context.Context, force <-chan struct{}) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	signals := make(chan os.Signal, 4)
	call := s.Begin(Forward(signals), true)
	defer call.End()

	force, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- do(ctx, force) }()
	code := 0
	for seen := 0; ; {
		select {
		case received := <-signals:
			switch seen++; seen {
			case 1:
				code = SignalCode(received)
				stop()
			case 2:
				close(force)
			}
		case err := <-done:
			if code != 0 && err != nil {
				return &Error{Code: code}
			}
			return err
		}
	}
}
