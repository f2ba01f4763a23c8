package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// output is the standard output of a headless run. After a write error it writes
// nothing more, so that the output has no gap.
type output struct {
	w   io.Writer
	err error // first write error
}

// newOutput returns an output to w. It catches SIGPIPE, so that a closed pipe is a
// write error and does not end the program. The signal is not ignored, because
// commands that the program starts would inherit that.
func newOutput(w io.Writer) *output {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return &output{w: w}
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// closed reports whether the reader of the output has closed it.
func (o *output) closed() bool { return errors.Is(o.err, syscall.EPIPE) }
