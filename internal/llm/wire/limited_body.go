package wire

import (
	"context"
	"errors"
	"io"
	"time"
)

var errTooMuch = errors.New("the response is too long")

// limitedBody is a response body with an idle timeout and a size limit.
type limitedBody struct {
	body   io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	clock  Clock
	limit  time.Duration // between two reads
	timer  Timer
	left   int64 // bytes
}

func (w *limitedBody) Read(b []byte) (int, error) {
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

// Close closes the connection unless the body was read to its end.
func (w *limitedBody) Close() error {
	if w.timer != nil {
		w.timer.Stop()
	}
	err := w.body.Close()
	w.cancel(nil)
	return err
}
