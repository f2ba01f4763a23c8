package shell

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// Running is a started command. Its methods are safe for concurrent use, but only
// one goroutine may call Watch at a time.
type Running struct {
	c       Command
	began   time.Time
	process *process
	pipe    *os.File // read end of the output
	out     *output
	tracker *tracker
	drained chan struct{} // closed when all output is read

	closeStop, closeForce func() // close stop and force
	stop, force           chan struct{}

	done         chan struct{} // closed after the end; result is set then
	result       Result
	nextProgress <-chan time.Time // time of the next Progress; nil if there is no output. Only Watch uses it.
}

// Start starts a command. It runs until it ends, or until Stop, Kill or Finish.
func Start(c Command) (started *Running, err error) {
	c = c.withDefaults()
	defer func() {
		if err != nil {
			c.Cleanup()
		}
	}()
	if _, err := os.Stat(c.Dir); err != nil {
		return nil, fmt.Errorf("the working directory does not exist: %w", err)
	}
	pipe, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("create a pipe for the output: %w", err)
	}
	defer w.Close()
	in := c.Input
	if in == nil {
		if in, err = os.Open(os.DevNull); err != nil {
			pipe.Close()
			return nil, fmt.Errorf("open the input: %w", err)
		}
		defer in.Close()
	}
	r := &Running{
		c: c, began: time.Now(), pipe: pipe,
		out:     newOutput(c.Keep, &outputFile{open: c.Whole, threshold: c.Keep, limit: c.MaxOutputFile, filter: c.Filter}),
		drained: make(chan struct{}), done: make(chan struct{}),
		stop: make(chan struct{}), force: make(chan struct{}),
	}
	r.closeStop = sync.OnceFunc(func() { close(r.stop) })
	r.closeForce = sync.OnceFunc(func() { close(r.force) })
	var line string
	var env []string
	r.tracker, line, env = track(c, environment(c.Env, c.Dir, c.Limits))
	if p := c.Limits.Sandbox; p != nil && r.tracker != nil {
		writes := *p
		writes.Write = append(slices.Clone(p.Write), r.tracker.tmp)
		c.Limits.Sandbox = &writes
	}
	if r.process, err = launch(c, line, env, in, w); err != nil {
		r.tracker.end()
		pipe.Close()
		return nil, fmt.Errorf("start the shell: %w", err)
	}
	go func() {
		defer close(r.drained)
		r.out.readFrom(pipe)
	}()
	go r.supervise()
	return r, nil
}

// supervise waits for the end of the command, and stops it on request.
func (r *Running) supervise() {
	defer close(r.done)
	p := r.process
	if waitFor(p.Exited, 0, r.stop) {
		// Give background writers and exiting processes a moment.
		_ = waitFor(r.drained, drainLimit, r.stop) && waitFor(p.Done, exitLimit, r.stop)
	}
	select {
	case <-r.stop:
		p.Terminate()
		waitFor(p.Done, r.c.Grace, r.force)
	default:
	}
	p.Kill()
	if !waitFor(p.Done, killLimit, nil) {
		p.Abandon()
		waitFor(p.Done, killLimit, nil)
	}
	// Read the rest of the pipe. A process that still holds it open has escaped; do
	// not wait for it.
	waitFor(r.drained, interval, nil)
	if err := r.pipe.SetReadDeadline(time.Now()); err == nil {
		<-r.drained
	}
	r.pipe.Close()
	r.record()
	r.c.Cleanup()
}

// record sets the result.
func (r *Running) record() {
	e := Result{Took: time.Since(r.began)}
	e.Dir, e.Codes, e.Checks = r.tracker.end()
	e.Code, e.Ended = r.process.exitStatus()
	select {
	case <-r.process.Done:
		e.Left, e.Lost, e.Kept = r.process.Left, r.process.Lost, r.process.kept()
	default:
	}
	r.result = e
}

// waitFor waits until ch is closed, limit has passed (if not 0), or interrupt is
// closed. It reports whether ch was closed.
func waitFor(ch <-chan struct{}, limit time.Duration, interrupt <-chan struct{}) bool {
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ch:
		return true
	case <-late:
	case <-interrupt:
	}
	return false
}

// Reason is why Watch returned.
type Reason int

// The reasons for which Watch returns.
const (
	Ended       Reason = iota // the command ended
	Interrupted               // ctx ended
	TooLong                   // it ran longer than Max
	TooQuiet                  // no output for Quiet
)

// Watch passes output to Progress until the command ends, ctx ends, or a limit is
// reached. It does not stop the command.
func (r *Running) Watch(ctx context.Context) Reason {
	long := time.NewTimer(time.Until(r.began.Add(r.c.Max)))
	defer long.Stop()
	quiet := time.NewTimer(r.c.Quiet)
	defer quiet.Stop()
	if r.c.Quiet == 0 {
		quiet.Stop()
	}
	var passed time.Time
	for {
		select {
		case <-r.done:
			r.showProgress(r.out.takeRest())
			return Ended
		case <-ctx.Done():
			return Interrupted
		case <-long.C:
			if !r.shellExited() {
				return TooLong
			}
		case <-quiet.C:
			left := r.c.Quiet - r.out.idle()
			if left <= 0 && !r.shellExited() {
				return TooQuiet
			}
			quiet.Reset(max(left, interval))
		case <-r.out.arrived:
			if r.nextProgress == nil {
				r.nextProgress = time.After(interval - time.Since(passed))
			}
		case <-r.nextProgress:
			r.nextProgress = nil
			r.showProgress(r.out.takeNew())
			passed = time.Now()
		}
	}
}

// shellExited reports whether the shell has exited; the rest follows in moments.
func (r *Running) shellExited() bool {
	select {
	case <-r.process.Exited:
		return true
	default:
		return false
	}
}

// showProgress passes text to Progress.
func (r *Running) showProgress(text string) {
	if r.c.Progress != nil && text != "" {
		r.c.Progress(text)
	}
}

// NewTurn begins a new turn for the files of Command.Snapshot: the state of each is kept
// again before the command changes it after the return of NewTurn.
func (r *Running) NewTurn() {
	if r.c.Snapshot != nil {
		r.process.NewTurn()
	}
}

// Stop asks all processes of the command to end, and kills them after Grace. It
// does not wait.
func (r *Running) Stop() { r.closeStop() }

// Kill kills the command. It does not wait.
func (r *Running) Kill() {
	r.closeForce()
	r.closeStop()
}

// Finish stops the command and waits for its end. It passes the last output to
// Progress.
func (r *Running) Finish() {
	r.Stop()
	if !waitFor(r.done, 0, r.c.Force) {
		r.Kill()
		<-r.done
	}
	r.showProgress(r.out.takeRest())
}

// Done returns a channel that is closed when the command has ended and its output
// is read.
func (r *Running) Done() <-chan struct{} { return r.done }

// How returns the result without output. Call it after Done is closed.
func (r *Running) How() Result { return r.result }

// Listeners returns the TCP ports on which commands of the sandbox's session accept
// connections. It returns none for a command that has the network of the host or has
// ended.
func (r *Running) Listeners() []uint16 {
	if p := r.c.Limits.Sandbox; p == nil || p.Network || r.shellExited() {
		return nil
	}
	return r.process.listeners()
}

// Began returns the start time.
func (r *Running) Began() time.Time { return r.began }

// Lines returns the number of lines of output so far.
func (r *Running) Lines() int64 { return r.out.count() }

// Take returns the output since the last call. If it is longer than Keep, text
// has its beginning and end, and cut is true.
func (r *Running) Take() (text string, cut bool) { return r.out.drain() }

// Whole returns the state of the output file. A path that it returns stays valid.
func (r *Running) Whole() Whole { return r.out.file.report() }

// Result returns the outcome so far, and takes the output like Take.
func (r *Running) Result() Result {
	var e Result
	select {
	case <-r.done:
		e = r.result
	default:
		e.Took = time.Since(r.began)
	}
	e.Output, e.Cut = r.out.drain()
	e.Lines, e.Whole = r.out.count(), r.out.file.report()
	return e
}
