package headless

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Output is the standard output of a run. After a write error it writes
// nothing more, so that the output has no gap.
type Output struct {
	w   io.Writer
	err error // first write error
}

// NewOutput returns an output to w. It catches SIGPIPE, so that a closed pipe is a
// write error and does not end the program. The signal is not ignored, because
// commands that the program starts would inherit that.
func NewOutput(w io.Writer) *Output {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return &Output{w: w}
}

func (o *Output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// closed reports whether the reader of the output has closed it.
func (o *Output) closed() bool { return errors.Is(o.err, syscall.EPIPE) }
