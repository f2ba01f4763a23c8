package main

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
	// endTime is the time limit for an orderly exit after a signal that ends the
	// program, or after the second interrupt. With cleanupTime it is 1.8 s.
	endTime = 1600 * time.Millisecond
	// closeTime is the time within endTime after which the screen is closed, so
	// that the terminal is restored before the program exits.
	closeTime = 1200 * time.Millisecond
	// leaveTime is the time limit for an exit after the user has quit the screen.
	leaveTime = 5 * time.Second
	// cleanupTime is the time limit of all cleanups.
	cleanupTime = 200 * time.Millisecond
)

// errOverdue is shown when the program exits before everything has stopped.
var errOverdue = errors.New("exited without waiting for something that did not stop in time")

// shutdown ends the program on signals. A phase that needs time for an orderly exit
// receives the signals; if it has not ended within endTime, shutdown exits the
// process. Without a phase, a signal exits at once.
//
// A process has one shutdown. It is safe for concurrent use.
type shutdown struct {
	exit func(code int)

	mu       sync.Mutex
	phases   []*phase // the last one receives the signals
	cleanups []*func()
	code     int         // exit code of the first signal that ends the program; 0 before it
	message  error       // printed when the process exits; may be nil
	limit    *time.Timer // calls overdue; nil until a signal sets a time limit
	ending   bool        // exitNow was called
}

// watchSignals returns the shutdown of the process and starts to receive the
// signals that end the process.
func watchSignals() *shutdown {
	s := &shutdown{exit: os.Exit}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() { // runs until the process exits
		for sig := range signals {
			s.handle(sig)
		}
	}()
	return s
}

// phase is a part of the program that exits in order after a signal.
type phase struct {
	shutdown *shutdown
	// take receives every signal. It must not block. It may be nil.
	take func(os.Signal)
	// counts is set if the second interrupt ends the program. It is not set on a
	// screen, which uses interrupts to interrupt a turn and counts them itself.
	counts     bool
	interrupts int
	leaving    *time.Timer // nil unless leave was called
}

// beginPhase starts a phase: take receives the signals until the phase ends.
func (s *shutdown) beginPhase(take func(os.Signal), counts bool) *phase {
	p := &phase{shutdown: s, take: take, counts: counts}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases = append(s.phases, p)
	return p
}

// end ends the phase. If a signal has asked the program to exit, it still must.
func (p *phase) end() {
	p.shutdown.mu.Lock()
	defer p.shutdown.mu.Unlock()
	p.shutdown.phases = slices.DeleteFunc(p.shutdown.phases, func(other *phase) bool { return other == p })
	if p.leaving != nil {
		p.leaving.Stop()
	}
}

// leave notes that the user has quit: the phase must end within leaveTime, and the
// second interrupt after this call ends the program.
func (p *phase) leave() {
	p.shutdown.mu.Lock()
	defer p.shutdown.mu.Unlock()
	p.counts, p.interrupts = true, 0
	p.leaving = time.AfterFunc(leaveTime, p.shutdown.overdue)
}

// handle processes one signal.
func (s *shutdown) handle(sig os.Signal) {
	p, atOnce := s.count(sig)
	if sig == syscall.SIGQUIT {
		message := dumpGoroutines()
		s.mu.Lock()
		s.message = message
		s.mu.Unlock()
	}
	switch {
	case atOnce:
		s.exitNow(signalCode(sig))
	case p.take != nil:
		p.take(sig)
	}
}

// count returns the phase that receives the signal, or atOnce if there is none. It
// counts interrupts and sets the time limit.
func (s *shutdown) count(sig os.Signal) (p *phase, atOnce bool) {
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
		s.code = signalCode(sig)
	}
	if sig == os.Interrupt {
		p.interrupts++
	}
	if s.limit == nil && (sig != os.Interrupt || p.interrupts > 1) {
		s.limit = time.AfterFunc(endTime, s.overdue)
	}
	return p, false
}

// signalCode returns the exit code of the signal that ends the program; 0 if there
// was none.
func (s *shutdown) signalCode() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code
}

// notice returns the message to print before the process exits; nil for none.
func (s *shutdown) notice() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.message
}

// exitUnless exits the process after endTime, like a second interrupt, unless ok
// then returns true.
func (s *shutdown) exitUnless(ok func() bool) {
	time.AfterFunc(endTime, func() {
		if !ok() {
			s.interrupted()
			s.overdue()
		}
	})
}

// exitAfterForced exits the process after endTime, because the user has interrupted
// a turn twice and it still runs. Before that, after closeTime, it calls stop, which
// closes the screen. The returned function cancels both.
func (s *shutdown) exitAfterForced(stop func()) (cancel func()) {
	closing := time.AfterFunc(closeTime, func() {
		s.interrupted()
		s.mu.Lock()
		s.message = errOverdue
		s.mu.Unlock()
		stop()
	})
	ending := time.AfterFunc(endTime, s.overdue)
	return func() {
		closing.Stop()
		ending.Stop()
	}
}

// interrupted sets the exit code of an interrupt, unless another is set.
func (s *shutdown) interrupted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.code == 0 {
		s.code = exitInterrupted
	}
}

// overdue exits the process although a phase has not ended.
func (s *shutdown) overdue() {
	s.mu.Lock()
	code := s.code
	if code == 0 {
		code = exitFailed
	}
	if s.message == nil {
		s.message = errOverdue
	}
	s.mu.Unlock()
	s.exitNow(code)
}

// exitNow runs the cleanups, prints the message and exits the process. Because each
// of them can hang, it exits after cleanupTime at the latest.
func (s *shutdown) exitNow(code int) {
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

// waitForExit blocks forever if exitNow was called, so that the exit code is that of
// the signal. Otherwise it returns at once.
func (s *shutdown) waitForExit() {
	s.mu.Lock()
	ending := s.ending
	s.mu.Unlock()
	if ending {
		select {}
	}
}

// cleanup registers f, which exitNow calls, until forget is called. A nil shutdown
// ignores f.
func (s *shutdown) cleanup(f func()) (forget func()) {
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
