package exit

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	// TimeLimit is the time limit for an orderly exit after a signal that ends the
	// program, or after the second interrupt. With cleanupTime it is 1.8 s.
	TimeLimit = 1600 * time.Millisecond
	// closeTime is the time within TimeLimit after which the screen is closed, so
	// that the terminal is restored before the program exits.
	closeTime = 1200 * time.Millisecond
	// leaveTime is the time limit for an exit after the user has quit the screen.
	leaveTime = 5 * time.Second
	// cleanupTime is the time limit of all cleanups.
	cleanupTime = 200 * time.Millisecond
)

// errOverdue is shown when the program exits before everything has stopped.
var errOverdue = errors.New("exited without waiting for something that did not stop in time")

// Signals ends the process on signals. A Phase, which needs time for an orderly exit,
// receives the signals; if it has not ended within TimeLimit, Signals exits the process.
// Without a phase, a signal exits at once.
//
// A process has one Signals, from Watch. It is safe for concurrent use.
type Signals struct {
	exit func(code int)

	mu       sync.Mutex
	phases   []*Phase // the last one receives the signals
	cleanups []*func()
	code     int         // exit code of the first signal that ends the program; 0 before it
	message  error       // printed when the process exits; may be nil
	limit    *time.Timer // calls overdue; nil until a signal sets a time limit
	ending   bool        // exitNow was called
}

// Watch starts to receive the signals that end the process. A write beyond the file
// size limit becomes an error and does not end the process.
func Watch() *Signals {
	catchFileLimit()
	s := &Signals{exit: os.Exit}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() { // runs until the process exits
		for sig := range signals {
			s.handle(sig)
		}
	}()
	return s
}

// Phase is a part of the program that exits in order after a signal.
type Phase struct {
	signals    *Signals
	take       func(os.Signal) // see Begin
	counts     bool            // see Begin
	interrupts int
	leaving    *time.Timer // nil unless Leave was called
}

// Begin starts a phase: take, which must not block and may be nil, receives the signals
// until the phase ends. The second interrupt ends the process if counts is set. It is
// not set on a screen, which interrupts turns with interrupts and counts them itself.
func (s *Signals) Begin(take func(os.Signal), counts bool) *Phase {
	p := &Phase{signals: s, take: take, counts: counts}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases = append(s.phases, p)
	return p
}

// End ends the phase. If a signal has asked the program to exit, it still must.
func (p *Phase) End() {
	p.signals.mu.Lock()
	defer p.signals.mu.Unlock()
	p.signals.phases = slices.DeleteFunc(p.signals.phases, func(other *Phase) bool { return other == p })
	if p.leaving != nil {
		p.leaving.Stop()
	}
}

// Leave notes that the user has quit: the phase must end within five seconds, and the
// second interrupt after this call ends the program.
func (p *Phase) Leave() {
	p.signals.mu.Lock()
	defer p.signals.mu.Unlock()
	p.counts, p.interrupts = true, 0
	p.leaving = time.AfterFunc(leaveTime, p.signals.overdue)
}

// handle processes one signal.
func (s *Signals) handle(sig os.Signal) {
	p, atOnce := s.count(sig)
	if sig == syscall.SIGQUIT {
		message := dumpGoroutines()
		s.mu.Lock()
		s.message = message
		s.mu.Unlock()
	}
	switch {
	case atOnce:
		s.exitNow(SignalCode(sig))
	case p.take != nil:
		p.take(sig)
	}
}

// count returns the phase that receives the signal, or atOnce if there is none. It
// counts interrupts and sets the time limit.
func (s *Signals) count(sig os.Signal) (p *Phase, atOnce bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.phases) == 0 {
		return nil, true
	}
	p = s.phases[len(s.phases)-1]
	if sig == os.Interrupt && !p.counts {
		return p, false
	}
	if s.code == 0 {
		s.code = SignalCode(sig)
	}
	if sig == os.Interrupt {
		p.interrupts++
	}
	if s.limit == nil && (sig != os.Interrupt || p.interrupts > 1) {
		s.limit = time.AfterFunc(TimeLimit, s.overdue)
	}
	return p, false
}

// Code returns the exit code of the signal that ends the program; 0 if there
// was none.
func (s *Signals) Code() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code
}

// Message returns the message to print before the process exits; nil for none.
func (s *Signals) Message() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.message
}

// ExitUnless exits the process after TimeLimit, like a second interrupt, unless ok
// then returns true.
func (s *Signals) ExitUnless(ok func() bool) {
	time.AfterFunc(TimeLimit, func() {
		if !ok() {
			s.interrupted()
			s.overdue()
		}
	})
}

// ExitAfterForced exits the process after TimeLimit, because the user has interrupted a
// turn twice and it still runs. Before that, after 1.2 s, it calls stop, which
// closes the screen. The returned function cancels both.
func (s *Signals) ExitAfterForced(stop func()) (cancel func()) {
	closing := time.AfterFunc(closeTime, func() {
		s.interrupted()
		s.mu.Lock()
		s.message = errOverdue
		s.mu.Unlock()
		stop()
	})
	ending := time.AfterFunc(TimeLimit, s.overdue)
	return func() {
		closing.Stop()
		ending.Stop()
	}
}

// interrupted sets the exit code of an interrupt, unless another is set.
func (s *Signals) interrupted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.code == 0 {
		s.code = Interrupted
	}
}

// overdue exits the process although a phase has not ended.
func (s *Signals) overdue() {
	s.mu.Lock()
	code := s.code
	if code == 0 {
		code = Failed
	}
	if s.message == nil {
		s.message = errOverdue
	}
	s.mu.Unlock()
	s.exitNow(code)
}

// exitNow runs the cleanups, prints the message and exits the process. Because each
// of them can hang, it exits after cleanupTime at the latest.
func (s *Signals) exitNow(code int) {
	s.mu.Lock()
	if s.ending {
		s.mu.Unlock()
		return
	}
	s.ending = true
	cleanups, message := slices.Clone(s.cleanups), s.message
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, f := range slices.Backward(cleanups) {
			(*f)()
		}
		if message != nil {
			fmt.Fprintln(os.Stderr, "agent: "+message.Error())
		}
	}()
	select {
	case <-done:
	case <-time.After(cleanupTime):
	}
	s.exit(code)
}

// WaitForExit blocks forever if a signal has begun to exit the process, so that the exit
// code is that of the signal. Otherwise it returns at once.
func (s *Signals) WaitForExit() {
	s.mu.Lock()
	ending := s.ending
	s.mu.Unlock()
	if ending {
		select {}
	}
}

// Cleanup registers f, which runs before a signal exits the process, until forget is
// called. A nil Signals ignores f.
func (s *Signals) Cleanup(f func()) (forget func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, &f)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cleanups = slices.DeleteFunc(s.cleanups, func(other *func()) bool { return other == &f })
	}
}
