package wire

import (
	"context"
	"errors"
	"io"
	"time"
)

var errTooMuch = errors.New("the answer has no end")

// watched is a body that may not be silent for longer than limit nor hold more
// than left bytes.
type watched struct {
	body   io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	clock  Clock
	limit  time.Duration
	timer  Timer
	left   int64
}

func (w *watched) Read(b []byte) (int, error) {
	if w.left <= 0 {
		return 0, errTooMuch
	}
	if w.timer == nil {
		w.timer = w.clock.AfterFunc(w.limit, func() { w.cancel(errIdle) })
	} else {
		w.timer.Reset(w.limit)
	}
	n, err := w.body.Read(b)
	w.timer.Stop()
	w.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(w.ctx), errIdle) {
		err = errIdle
	}
	return n, err
}

// Close ends the connection unless the answer was read to its end.
func (w *watched) Close() error {
	if w.timer != nil {
		w.timer.Stop()
	}
	err := w.body.Close()
	w.cancel(nil)
	return err
}
