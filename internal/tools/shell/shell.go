// Package shell runs one command in a shell and comes back, whatever the
// command does.
//
// A command runs in a session of its own, without a terminal, with nothing to
// read, and without the keys and tokens of our environment. It ends when its
// shell exits, at its time limit, or when the context ends; what it has left
// running is ended then too. Both its streams go through one pipe, so their
// order is kept. Of its output the beginning and the end are kept, in bounded
// memory.
//
// Nothing survives that was started by the command and is in its process group
// or, on Linux, has inherited its environment. What is not covered: a process
// that both left the group and cleared its environment, and all of them if this
// program itself is killed.
package shell

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const (
	// DefaultLimit is how long a command may run that asks for nothing else.
	DefaultLimit = 120 * time.Second
	// DefaultKeep is how many bytes of output are kept.
	DefaultKeep = 32 << 10

	grace = time.Second     // between TERM and KILL
	drain = 2 * time.Second // for output still on its way when the shell has exited
	pace  = 100 * time.Millisecond
)

// Command is what to run.
type Command struct {
	Line string        // for the shell, one line or many
	Dir  string        // where
	Env  []string      // as of os.Environ; secrets are taken out of it
	Max  time.Duration // time limit; 0 means DefaultLimit
	Keep int           // bytes of output that are kept; 0 means DefaultKeep

	// Progress, if any, takes the output as it comes: valid UTF-8, at most ten
	// times a second, of a torrent only the end. It is called by Run, on Run's
	// goroutine.
	Progress func(text string)
}

// Result is what became of a command.
type Result struct {
	Output string // the first and last of what it wrote, valid UTF-8
	Lines  int64  // how many it wrote in all
	Code   int    // exit code; -1 if a signal ended it
	Ended  string // how, in words: "exit 1", "killed by SIGSEGV"
	Took   time.Duration

	TimedOut bool // it was ended at its limit
	Left     bool // it had left processes running, which were ended
}

// Run runs a command and waits for its end. When ctx ends, so does the command,
// within two seconds, and Run returns its Result so far with ctx's error. Any
// other error means that the command did not start.
func Run(ctx context.Context, c Command) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if c.Max == 0 {
		c.Max = DefaultLimit
	}
	if c.Keep == 0 {
		c.Keep = DefaultKeep
	}
	r, err := start(c)
	if err != nil {
		return Result{}, err
	}
	defer r.pipe.Close()
	timedOut := r.finish(ctx, c.Max)

	result := Result{Took: time.Since(r.began), TimedOut: timedOut, Left: r.left}
	result.Output, result.Lines = r.out.text()
	select {
	case <-r.exited:
		result.Code, result.Ended = ended(r.cmd.ProcessState)
	default:
		result.Code, result.Ended = -1, "cannot be killed and was left alone"
	}
	return result, ctx.Err()
}

// running is a command that has started.
type running struct {
	cmd      *exec.Cmd
	id       string // which its descendants inherit
	began    time.Time
	pipe     *os.File // what it writes comes out here
	out      *output
	exited   chan struct{} // closed when the shell has
	drained  chan struct{} // closed when all output is in
	left     bool
	progress func(string)
	passed   time.Time        // when output was last passed on
	tick     <-chan time.Time // when it next is; nil if there is none
}

func start(c Command) (*running, error) {
	if _, err := os.Stat(c.Dir); err != nil {
		return nil, fmt.Errorf("the directory to run in is gone: %w", err)
	}
	pipe, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the output: %w", err)
	}
	defer w.Close()
	r := &running{
		id:       newID(),
		began:    time.Now(),
		pipe:     pipe,
		out:      newOutput(c.Keep),
		exited:   make(chan struct{}),
		drained:  make(chan struct{}),
		progress: c.Progress,
	}
	r.cmd = command(c.Line)
	r.cmd.Dir = c.Dir
	r.cmd.Env = environment(c.Env, c.Dir, r.id)
	r.cmd.Stdout, r.cmd.Stderr = w, w
	keepDescriptors()
	if err := r.cmd.Start(); err != nil {
		pipe.Close()
		return nil, fmt.Errorf("start the shell: %w", err)
	}
	go func() {
		defer close(r.exited)
		r.cmd.Wait() // its error is in ProcessState
	}()
	go func() {
		defer close(r.drained)
		r.out.readFrom(pipe)
	}()
	return r, nil
}

// finish sees the command to its end, in time or not.
func (r *running) finish(ctx context.Context, limit time.Duration) (timedOut bool) {
	switch r.await(ctx.Done(), r.exited, limit) {
	case done:
		r.await(ctx.Done(), r.drained, drain)
		r.left = r.sweep()
	case expired:
		timedOut = true
		r.stop()
	case cancelled:
		r.stop()
	}
	// What they wrote last is still in the pipe. Whoever holds it after that has
	// hidden well, and is not waited for.
	r.await(nil, r.drained, pace)
	if err := r.pipe.SetReadDeadline(time.Now()); err == nil {
		<-r.drained
	}
	r.pass(r.out.last())
	return timedOut
}

// stop ends the command: it asks all of it to end, and a second later it does
// not ask.
func (r *running) stop() {
	asked := time.Now()
	terminate(r.cmd.Process.Pid)
	if r.await(nil, r.exited, grace) == done {
		r.await(nil, r.drained, grace-time.Since(asked))
	}
	r.sweep()
	r.await(nil, r.exited, drain) // at once, but for one that not even the kernel can end
}

// sweep kills what is left of the command, and reports whether there was
// anything.
func (r *running) sweep() bool { return sweep(r.cmd.Process.Pid, r.id) }

// event is what await has waited for.
type event int

const (
	done event = iota
	cancelled
	expired
)

// await waits for one of three, and passes output on meanwhile.
func (r *running) await(cancel, finished <-chan struct{}, limit time.Duration) event {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case <-finished:
			return done
		case <-cancel:
			return cancelled
		case <-timer.C:
			return expired
		case <-r.out.fresh:
			if r.tick == nil {
				r.tick = time.After(pace - time.Since(r.passed))
			}
		case <-r.tick:
			r.tick = nil
			r.pass(r.out.news())
		}
	}
}

// pass hands output to whoever watches.
func (r *running) pass(text string) {
	if r.progress != nil && text != "" {
		r.progress(text)
		r.passed = time.Now()
	}
}
