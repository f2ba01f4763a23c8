// Package exit ends the program with an exit code, also on signals. It holds the codes, an
// error with a code, and Signals, which ends the process in order if there is time. It
// runs no session and knows no command. Start reading at Signals.
package exit

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"agent/cmd/agent/command"
)

// The exit codes of the program. The text Codes describes them.
const (
	Done         = 0
	Failed       = 1
	Usage        = 2
	Denied       = 3
	Limit        = 4
	Hangup       = 129 // 128 + SIGHUP
	Interrupted  = 130 // 128 + SIGINT
	Quit         = 131 // 128 + SIGQUIT
	OutputClosed = 141 // 128 + SIGPIPE
	Terminated   = 143 // 128 + SIGTERM
)

// Codes is the table of exit codes of all commands.
const Codes = `Exit codes:
  0    success
  1    failure; agent tool: the call was not approved
  2    wrong usage
  3    agent run: a tool call was denied because no user could approve it, and no later call replaced it
  4    agent run: a limit of steps, tokens, cost or time stopped the turn, or the model was in a loop
  129  hangup (SIGHUP)
  130  interrupted (SIGINT)
  131  quit (SIGQUIT)
  141  standard output was closed (SIGPIPE)
  143  terminated (SIGTERM)`

// CodesOf returns the table of exit codes for the help of the command agent NAME, without
// the meanings that only other commands give to them.
func CodesOf(name string) string {
	turns := name == "run" || name == "init" // commands that run a turn
	var b strings.Builder
	for line := range strings.Lines(Codes) {
		code, meaning, ofRun := strings.Cut(line, "agent run: ")
		if ofRun && !turns {
			continue
		}
		general, ofTool, found := strings.Cut(code+meaning, "; agent tool: ")
		b.WriteString(general)
		switch {
		case found && name == "tool":
			b.WriteString("; " + ofTool)
		case found:
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Error is the error of a command that exits with Code. Err is nil if the error was
// printed before.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the exit code for the error of a command, and the message to
// print; nil for none.
func CodeOf(err error) (code int, message error) {
	if err == nil {
		return Done, nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code, e.Err
	}
	if _, ok := errors.AsType[*command.UsageError](err); ok {
		return Usage, err
	}
	return Failed, err
}

// SignalCode returns the exit code for a signal that ends the program.
func SignalCode(s os.Signal) int {
	switch s {
	case syscall.SIGTERM:
		return Terminated
	case syscall.SIGHUP:
		return Hangup
	case syscall.SIGQUIT:
		return Quit
	}
	return Interrupted
}
