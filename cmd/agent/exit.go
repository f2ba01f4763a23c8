package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"agent/cmd/agent/command"
)

// The exit codes of the program. The text exitCodes describes them.
const (
	exitDone         = 0
	exitFailed       = 1
	exitUsage        = 2
	exitDenied       = 3
	exitMaxSteps     = 4
	exitHangup       = 129 // 128 + SIGHUP
	exitInterrupted  = 130 // 128 + SIGINT
	exitQuit         = 131 // 128 + SIGQUIT
	exitOutputClosed = 141 // 128 + SIGPIPE
	exitTerminated   = 143 // 128 + SIGTERM
)

// exitCodes is the table of exit codes in the help of commands.
const exitCodes = `Exit codes:
  0    success
  1    failure; agent run: a limit other than --max-steps stopped the turn; agent tool: the call was not approved
  2    wrong usage
  3    agent run: a tool call was denied because no user could approve it
  4    agent run: the turn reached its step limit (--max-steps)
  129  hangup (SIGHUP)
  130  interrupted (SIGINT)
  131  quit (SIGQUIT)
  141  standard output was closed (SIGPIPE)
  143  terminated (SIGTERM)`

// exitError is the error of a command that exits with code. err is nil if the
// error was printed before.
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

// exitCode returns the exit code for the error of a command, and the message to
// print; nil for none.
func exitCode(err error) (code int, message error) {
	if err == nil {
		return exitDone, nil
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code, e.err
	}
	if _, ok := errors.AsType[*command.UsageError](err); ok {
		return exitUsage, err
	}
	return exitFailed, err
}

// signalCode returns the exit code for a signal that ends the program.
func signalCode(s os.Signal) int {
	switch s {
	case syscall.SIGTERM:
		return exitTerminated
	case syscall.SIGHUP:
		return exitHangup
	case syscall.SIGQUIT:
		return exitQuit
	}
	return exitInterrupted
}
