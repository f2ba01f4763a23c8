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
	// endTime is how long the program may take to end in order after a signal that
	// ends it, and after the second interrupt. With cleanupTime it makes 1.8 s.
	endTime = 1600 * time.Millisecond
	// closeTime is the part of endTime after which a screen is closed, so that
	// the terminal is restored before the program ends.
	closeTime = 1200 * time.Millisecond
	// leaveTime is how long the program may take to end after the user has left
	// the screen.
	leaveTime = 5 * time.Second
	// cleanupTime is how long cleanups may take.
	cleanupTime = 200 * time.Millisecond
)

// errOverdue is shown when the program ends although something still runs.
var errOverdue = errors.New("something did not stop in time, so the program ended without waiting for it")

// shutdown makes sure that signals end the program, whatever it is doing. A
// phase of the program that takes time to end in order gets the signals, and
// ends in order; if it does not within endTime, shutdown ends the program. Where
// no phase has begun, a signal ends the program at once.
//
// A program has one shutdown. It is safe for concurrent use.
type shutdown struct {
	exit func(code int)

	mu       sync.Mutex
	phases   []*phase // the last one gets the signals
	cleanups []*func()
	code     int         // exit code of the first signal that ends the program; 0 until then
	message  error       // what the user is shown at the end of the program; may be nil
	limit    *time.Timer // ends the program; nil until it has to end
	ending   bool        // exit is about to be called
}

// watchSignals returns the shutdown of the program, which gets all signals that
// end it from now on.
func watchSignals() *shutdown {
	s := &shutdown{exit: os.Exit}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() { // runs as long as the program
		for sig := range signals {
			s.handle(sig)
		}
	}()
	return s
}

// phase is a part of the program that ends in order after a signal.
type phase struct {
	shutdown *shutdown
	// take gets every signal. It must not block. May be nil.
	take func(os.Signal)
	// counts is set while the second interrupt ends the program. On a screen it
	// does not: there interrupts stop a turn, and the screen counts them.
	counts     bool
	interrupts int
	leaving    *time.Timer // nil unless leave was called
}

// beginPhase starts a phase: take gets the signals until the phase is ended.
func (s *shutdown) beginPhase(take func(os.Signal), counts bool) *phase {
	p := &phase{shutdown: s, take: take, counts: counts}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases = append(s.phases, p)
	return p
}

// end ends the phase. The program must still end if a signal said so.
func (p *phase) end() {
	p.shutdown.mu.Lock()
	defer p.shutdown.mu.Unlock()
	p.shutdown.phases = slices.DeleteFunc(p.shutdown.phases, func(other *phase) bool { return other == p })
	if p.leaving != nil {
		p.leaving.Stop()
	}
}

// leave says that the user has left the program: the phase must end within
// leaveTime, and the second interrupt from now on ends the program.
func (p *phase) leave() {
	p.shutdown.mu.Lock()
	defer p.shutdown.mu.Unlock()
	p.counts, p.interrupts = true, 0
	p.leaving = time.AfterFunc(leaveTime, p.shutdown.overdue)
}

// handle deals with one signal.
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

// count returns the phase that gets a signal, or that the program ends at once.
// It sets the limit if the signal does.
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

// signalCode returns the exit code of the signal that ends the program, 0 if none
// does.
func (s *shutdown) signalCode() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code
}

// notice returns what the user is to be shown at the end of the program; nil for
// nothing.
func (s *shutdown) notice() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.message
}

// exitUnless ends the program after endTime, as the second interrupt does, unless ok
// returns true by then.
func (s *shutdown) exitUnless(ok func() bool) {
	time.AfterFunc(endTime, func() {
		if !ok() {
			s.interrupted()
			s.overdue()
		}
	})
}

// exitAfterForced ends the program after endTime: the user has interrupted a turn twice
// and it still runs. It calls stop before, which closes the screen. The function
// returned calls all of that off.
func (s *shutdown) exitAfterForced(stop func()) (callOff func()) {
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

// interrupted notes that interrupts end the program.
func (s *shutdown) interrupted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.code == 0 {
		s.code = exitInterrupted
	}
}

// overdue ends the program although a phase has not ended.
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

// exitNow ends the program, once cleanups have run. They and the message get little
// time: each may hang where the program does.
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

// waitForExit returns at once, unless shutdown is about to end the program: then it
// does not return, so that the exit code is that of the signal.
func (s *shutdown) waitForExit() {
	s.mu.Lock()
	ending := s.ending
	s.mu.Unlock()
	if ending {
		select {}
	}
}

// cleanup has f called if a signal ends the program at once, until forget is
// called. It may be called on nil, which calls f never.
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
