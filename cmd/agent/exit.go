package main

import (
	"errors"
	"fmt"
)

// The exit codes of the program.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitHangup      = 129 // 128 + SIGHUP
	exitInterrupted = 130 // 128 + SIGINT
	exitQuit        = 131 // 128 + SIGQUIT
	exitUnread      = 141 // 128 + SIGPIPE
	exitTerminated  = 143 // 128 + SIGTERM
)

// exitError ends the program with code. A nil err says nothing more: what
// there was to say is said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage is an error in how the program was called.
func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// exitCode returns the code with which err ends the program, and what to say.
func exitCode(err error) (code int, say error) {
	if err == nil {
		return exitDone, nil
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code, e.err
	}
	return exitFailed, err
}
