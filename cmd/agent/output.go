package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// output is where a headless run prints. What could not be written is held, and
// nothing is written after it: what comes out has no hole in it.
type output struct {
	w   io.Writer
	err error // the first
}

// newOutput returns an output to w. When nobody reads it any more, that is an
// error from now on and not the end of the program. The signal is caught and
// not ignored, which the commands that the program starts would inherit.
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

// closed reports whether nobody reads it any more.
func (o *output) closed() bool { return errors.Is(o.err, syscall.EPIPE) }
