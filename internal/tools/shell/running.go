package shell

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// Running is a command that has been started. Its methods may be called from
// any goroutine, but Watch only by one at a time.
type Running struct {
	c       Command
	began   time.Time
	process *process
	pipe    *os.File // what it writes comes out here
	out     *output
	where   *follower
	drained chan struct{} // closed when all output is in

	stopping, killing func() // close the channels below
	stop, force       chan struct{}

	done  chan struct{} // closed when it is over; the rest is true then
	ended Result
	due   <-chan time.Time // when output is next passed on; nil if there is none. It is Watch's.
}

// Start starts a command. It runs until it ends, or Stop, Kill or Finish ends it.
func Start(c Command) (*Running, error) {
	if _, err := os.Stat(c.Dir); err != nil {
		return nil, fmt.Errorf("the directory to run in is gone: %w", err)
	}
	c = c.complete()
	pipe, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the output: %w", err)
	}
	defer w.Close()
	in := c.Input
	if in == nil {
		if in, err = os.Open(os.DevNull); err != nil {
			pipe.Close()
			return nil, fmt.Errorf("open what the command reads: %w", err)
		}
		defer in.Close()
	}
	r := &Running{
		c: c, began: time.Now(), pipe: pipe,
		out:     newOutput(c.Keep, &whole{open: c.Whole, keep: c.Keep, limit: c.MaxWhole}),
		drained: make(chan struct{}), done: make(chan struct{}),
		stop: make(chan struct{}), force: make(chan struct{}),
	}
	r.stopping = sync.OnceFunc(func() { close(r.stop) })
	r.killing = sync.OnceFunc(func() { close(r.force) })
	var line string
	var env []string
	r.where, line, env = follow(c.Line, environment(c.Env, c.Dir, c.Limits))
	if r.process, err = launch(line, c.Dir, env, c.Processes, in, w); err != nil {
		r.where.end()
		pipe.Close()
		return nil, fmt.Errorf("start the shell: %w", err)
	}
	go func() {
		defer close(r.drained)
		r.out.readFrom(pipe)
	}()
	go r.tend()
	return r, nil
}

// tend sees the command to its end.
func (r *Running) tend() {
	defer close(r.done)
	p := r.process
	if reached(p.exited, 0, r.stop) {
		// Those that write yet, or are about to end, may do so.
		_ = reached(r.drained, drain, r.stop) && reached(p.gone, ending, r.stop)
	}
	select {
	case <-r.stop:
		p.terminate()
		reached(p.gone, r.c.Grace, r.force)
	default:
	}
	p.kill()
	if !reached(p.gone, patience, nil) {
		p.abandon()
		reached(p.gone, patience, nil)
	}
	// What they wrote last is still in the pipe. Whoever holds it after that has
	// hidden well, and is not waited for.
	reached(r.drained, pace, nil)
	if err := r.pipe.SetReadDeadline(time.Now()); err == nil {
		<-r.drained
	}
	r.pipe.Close()
	r.conclude()
}

// conclude writes down how it ended.
func (r *Running) conclude() {
	e := Result{Took: time.Since(r.began), Dir: r.where.end()}
	e.Code, e.Ended = r.process.ended()
	select {
	case <-r.process.gone:
		e.Left, e.Lost = r.process.left, r.process.lost
	default:
	}
	r.ended = e
}

// reached waits for ch, for a time if limit is not 0, or until it is interrupted.
// It reports whether ch was closed.
func reached(ch <-chan struct{}, limit time.Duration, interrupt <-chan struct{}) bool {
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

// Reason is why Watch came back.
type Reason int

// The reasons.
const (
	Ended       Reason = iota // the command has
	Interrupted               // ctx has
	TooLong                   // it is running longer than Max
	TooQuiet                  // it has written nothing for as long as Quiet
)

// Watch waits for the command's end, but only until ctx ends or the command
// comes to a limit, and passes its output on meanwhile. The command goes on.
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
			r.pass(r.out.last())
			return Ended
		case <-ctx.Done():
			return Interrupted
		case <-long.C:
			if !r.over() {
				return TooLong
			}
		case <-quiet.C:
			left := r.c.Quiet - r.out.quiet()
			if left <= 0 && !r.over() {
				return TooQuiet
			}
			quiet.Reset(max(left, pace))
		case <-r.out.fresh:
			if r.due == nil {
				r.due = time.After(pace - time.Since(passed))
			}
		case <-r.due:
			r.due = nil
			r.pass(r.out.news())
			passed = time.Now()
		}
	}
}

// over reports whether the shell has ended: the rest is a matter of moments.
func (r *Running) over() bool {
	select {
	case <-r.process.exited:
		return true
	default:
		return false
	}
}

// pass hands output to whoever watches.
func (r *Running) pass(text string) {
	if r.c.Progress != nil && text != "" {
		r.c.Progress(text)
	}
}

// Stop ends the command: all of it is asked to end, and killed a second later.
// It does not wait.
func (r *Running) Stop() { r.stopping() }

// Kill ends the command at once. It does not wait.
func (r *Running) Kill() {
	r.killing()
	r.stopping()
}

// Finish stops the command and waits until it has ended. It passes on what it
// wrote last, as Watch would.
func (r *Running) Finish() {
	r.Stop()
	if !reached(r.done, 0, r.c.Force) {
		r.Kill()
		<-r.done
	}
	r.pass(r.out.last())
}

// Done is closed when all of the command has ended and all its output is in.
func (r *Running) Done() <-chan struct{} { return r.done }

// How returns how it ended, without its output. It is called after Done.
func (r *Running) How() Result { return r.ended }

// Began returns when it was started.
func (r *Running) Began() time.Time { return r.began }

// Lines returns how many lines it has written so far.
func (r *Running) Lines() int64 { return r.out.count() }

// Take returns what the command has written since it was last called, or the
// first and the last of it where that is more than is kept. Cut says so.
func (r *Running) Take() (text string, cut bool) { return r.out.take() }

// Whole returns the file that all of the output goes to.
func (r *Running) Whole() Whole { return r.out.whole.state() }

// Result returns what became of the command, as far as it is known, and takes
// its output.
func (r *Running) Result() Result {
	var e Result
	select {
	case <-r.done:
		e = r.ended
	default:
		e.Took = time.Since(r.began)
	}
	e.Output, e.Cut = r.out.take()
	e.Lines, e.Whole = r.out.count(), r.out.whole.state()
	return e
}
