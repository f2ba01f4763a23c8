// Package shell runs one command in a shell and comes back, whatever the
// command does.
//
// A command runs without a terminal, with nothing to read unless it is given
// something, and without the keys and tokens of our environment. It ends when
// its shell exits, at its limit, or when the context ends; what it has left
// running is ended then too. Both its streams go through one pipe, so their
// order is kept. Of its output the beginning and the end are kept, in bounded
// memory, and all of it goes to a file where one is wanted.
//
// Each command has a keeper, a small process of its own (see package keeper). On
// Linux nothing survives the command, nor this program, however that ends, and
// nothing of another command is touched. What is not covered there: processes of
// another user (sudo), which we may not kill, and what has left the keeper's
// session by the time the command kills its own keeper; Result.Lost tells of
// both. On other Unix systems what leaves the process group survives; on Windows,
// what the descendants of a shell that has exited have started.
//
// Where this program may make a control group on Linux (as root in a container
// with its own, or in a session that was handed over to the user), a fork bomb
// comes to an end in it. Elsewhere it is ended with its command, but until then
// it takes what the system lets it.
package shell

import (
	"cmp"
	"context"
	"os"
	"time"
)

const (
	// DefaultLimit is how long a command may run that asks for nothing else.
	DefaultLimit = 120 * time.Second
	// DefaultKeep is how many bytes of output are kept.
	DefaultKeep = 32 << 10
	// DefaultProcesses is enough for large builds.
	DefaultProcesses = 4096

	grace    = time.Second
	drain    = 2 * time.Second // for output still on its way when the shell has exited
	ending   = 50 * time.Millisecond
	patience = 10 * time.Second // for the dead to be gone, who may be many
	pace     = 100 * time.Millisecond
)

// Command is what to run.
type Command struct {
	Line   string        // for the shell, one line or many
	Dir    string        // where
	Env    []string      // as of os.Environ; secrets are taken out of it
	Limits Limits        // which variables are secrets all the same, and which are not
	Max    time.Duration // time limit; 0 means DefaultLimit
	Quiet  time.Duration // limit for the time without output; 0 means none
	Grace  time.Duration // between being asked to end and being killed; 0 means a second
	Keep   int           // bytes of output that are kept; 0 means DefaultKeep

	// Processes is how many processes and threads there can be of it at a time,
	// where the system lets us bound them; 0 means DefaultProcesses.
	Processes int

	// Input is what the command reads; nil means nothing. The caller closes it.
	Input *os.File
	// Whole makes the file for the whole output. It is called once there is more
	// than Keep; nil means that nobody wants it. MaxWhole is how many bytes go in;
	// 0 means MaxWhole of this package.
	Whole    func() (*os.File, error)
	MaxWhole int64
	// Force, if not nil, is closed when a command that is being ended is to be
	// killed at once.
	Force <-chan struct{}
	// Progress, if any, takes the output as it comes: valid UTF-8, at most ten
	// times a second, of a torrent only the end. It is called by Run and Watch, on
	// their goroutine.
	Progress func(text string)
}

// complete fills in what was left open.
func (c Command) complete() Command {
	c.Max = cmp.Or(c.Max, DefaultLimit)
	c.Grace = cmp.Or(c.Grace, grace)
	c.Keep = cmp.Or(c.Keep, DefaultKeep)
	c.Processes = cmp.Or(c.Processes, DefaultProcesses)
	c.MaxWhole = cmp.Or(c.MaxWhole, MaxWhole)
	return c
}

// Result is what became of a command.
type Result struct {
	Output string // the first and last of what it wrote, valid UTF-8
	Cut    bool   // there was more between them
	Lines  int64  // how many it wrote in all
	Whole  Whole
	Code   int    // exit code; -1 if a signal ended it
	Ended  string // how, in words: "exit 1", "killed by SIGSEGV"; "" while it runs
	Took   time.Duration
	Dir    string // where the shell was at its end; "" if it is not known

	Why  Reason // Run had for ending it
	Left bool   // it had left processes running, which were ended
	Lost bool   // something that it started may be running yet: it killed its keeper, or became another user's
}

// Run runs a command and waits for its end. At a limit it ends the command. When
// ctx ends, so does the command, within two seconds, and Run returns its Result
// so far with ctx's error. Any other error means that the command did not start.
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
