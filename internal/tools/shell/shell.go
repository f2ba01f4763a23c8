// Package shell runs shell commands with limits on time and output, and stops all
// processes of a command at its end. Start reading at Run and Start.
//
// A command runs without a terminal, with empty input unless one is given, and
// without the API keys and tokens of our environment. It ends when its shell
// exits, at its limit, or when the context ends; its remaining processes are then
// killed. Standard output and standard error share one pipe, which keeps their
// order. The beginning and the end of the output are kept in bounded memory, with
// repeated progress removed; the complete output can go to a file.
//
// Each command has a supervisor, a small process between it and this program (see package supervisor). On
// Linux no process survives the command or this program, however it ends, and no
// other process is affected. Two cases are not covered and set Result.Lost:
// processes of another user (sudo), which we cannot kill, and processes outside
// the supervisor's session after the command has killed its supervisor. On other Unix
// systems, processes that leave the process group survive; on Windows, the
// descendants of an exited shell do.
//
// If this program can create a control group on Linux (as root in a container
// with its own, or in a delegated session), the group limits the number of
// processes, which stops a fork bomb. Otherwise a fork bomb is only stopped with
// its command.
package shell

import (
	"cmp"
	"context"
	"os"
	"time"

	"agent/internal/tools/shell/checks"
	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/snapshot"
)

const (
	// DefaultLimit is the default of Command.Max.
	DefaultLimit = 120 * time.Second
	// DefaultKeep is the default of Command.Keep, in bytes.
	DefaultKeep = 12 << 10
	// DefaultProcesses is the default of Command.Processes; it is enough for large
	// builds.
	DefaultProcesses = 4096

	defaultGrace = time.Second
	drainLimit   = 2 * time.Second // wait for output after the shell has exited
	exitLimit    = 50 * time.Millisecond
	killLimit    = 10 * time.Second // wait for killed processes to disappear
	interval     = 100 * time.Millisecond
)

// ErrSandbox is the error of a command that did not start because its sandbox could
// not be set up.
var ErrSandbox = supervisor.ErrSandbox

// Command is a command to run.
type Command struct {
	Line   string        // for the shell, one or several lines
	Dir    string        // working directory
	Env    []string      // like os.Environ; secrets are removed
	Limits Limits        // exceptions to the removal of secrets
	Max    time.Duration // time limit; 0 means DefaultLimit
	Quiet  time.Duration // limit without output; 0 means none
	Grace  time.Duration // between SIGTERM and SIGKILL; 0 means a second
	Keep   int           // bytes of output kept in memory; 0 means DefaultKeep

	// Processes limits the number of processes and threads, if the system supports
	// it; 0 means DefaultProcesses.
	Processes int

	// Checks makes the tests, builds and other checks of a line for bash report their exit codes.
	Checks bool
	// Snapshot says which files to keep while the command runs; nil for none. It needs a
	// sandbox.
	Snapshot *snapshot.Order
	// Input is the standard input; nil means empty. The caller closes it.
	Input *os.File
	// Errors is the standard error; nil means that it shares the pipe of standard output.
	// The caller closes it.
	Errors *os.File
	// Whole creates the file for the complete output. It is called once the output
	// exceeds Keep; nil disables the file, which is renamed at the end: see type Whole. MaxOutputFile limits its size in bytes; 0
	// means the constant MaxOutputFile.
	Whole         func() (*os.File, error)
	MaxOutputFile int64
	Filter        Filter // of that file; nil for none
	// Force, if not nil, is closed to kill a command that is being stopped.
	Force <-chan struct{}
	// Progress, if not nil, gets the output as it arrives: valid UTF-8, at most ten
	// times a second, the end of it if there is much. It is called by Run and
	// Watch, on their goroutine.
	Progress func(text string)
	// Cleanup, if not nil, is called after the command has ended, or if it did not start.
	Cleanup func()
}

// withDefaults sets unset fields to their defaults.
func (c Command) withDefaults() Command {
	c.Max = cmp.Or(c.Max, DefaultLimit)
	c.Grace = cmp.Or(c.Grace, defaultGrace)
	c.Keep = cmp.Or(c.Keep, DefaultKeep)
	c.Processes = cmp.Or(c.Processes, DefaultProcesses)
	c.MaxOutputFile = cmp.Or(c.MaxOutputFile, MaxOutputFile)
	if c.Cleanup == nil {
		c.Cleanup = func() {}
	}
	return c
}

// Result is the outcome of a command.
type Result struct {
	Output string // beginning and end of the output, valid UTF-8
	Cut    bool   // Output is truncated in the middle, or repeated progress was removed
	Lines  int64  // lines of the complete output
	Whole  Whole
	Code   int    // exit code; -1 if a signal ended it
	Ended  string // how it ended: "exit 1", "killed by SIGSEGV"; "" while it runs
	Took   time.Duration
	Dir    string // directory of the shell at its end; "" if unknown
	Codes  []int  // exit codes of the parts of the last pipeline of bash; nil if unknown
	Checks []checks.Ended

	Why  Reason // why Run stopped it
	Left bool   // processes outlived the shell and were killed
	Lost bool   // processes may still be running: it killed its supervisor, or they run as another user
	Kept Kept   // complete once the command has ended
}

// Run runs a command and waits for its end. It stops the command at a limit. When
// ctx ends, it stops the command within two seconds and returns the Result so far
// with ctx's error. Any other error means that the command did not start.
func Run(ctx context.Context, c Command) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r, err := Start(c)
	if err != nil {
		return Result{}, err
	}
	why := r.Watch(ctx)
	if why != Ended {
		r.Finish()
	}
	result := r.Result()
	result.Why = why
	if why == Interrupted {
		return result, ctx.Err()
	}
	return result, nil
}
