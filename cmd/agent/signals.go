package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"agent/internal/history"
)

// patience is how long the program may take to end after a signal. Then it ends
// as it is: what hangs will not come to its end any more.
const patience = 5 * time.Second

// heedSignals calls stop for a signal that ends the program, until ctx is done.
// An interrupt is passed to interrupts; if that is nil, the screen hears of it
// itself. The function returned stops listening, and returns the error to end
// with, nil if no signal did.
func heedSignals(ctx context.Context, stop func(), interrupts chan<- struct{}) (ended func() *exitError) {
	signals, end, over := make(chan os.Signal, 1), make(chan *exitError, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		defer close(over)
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt {
					if interrupts != nil {
						pass(ctx, interrupts)
					}
					continue
				}
				e := &exitError{code: signalCode(s)}
				if s == syscall.SIGQUIT {
					e.err = tellAll()
				}
				end <- e
				stop()
				time.AfterFunc(patience, func() { os.Exit(e.code) })
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() *exitError {
		stop()
		<-over
		signal.Stop(signals)
		select {
		case e := <-end:
			return e
		default:
			return nil
		}
	}
}

// tellAll writes what every goroutine is doing to a file, and returns an error
// that says where.
func tellAll() error {
	path, err := faultFile()
	if err != nil {
		return err
	}
	all := make([]byte, 16<<20)
	all = all[:runtime.Stack(all, true)]
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep what the program was doing: %w", err)
	}
	if err := os.WriteFile(path, all, 0o600); err != nil {
		return fmt.Errorf("keep what the program was doing: %w", err)
	}
	return fmt.Errorf("told to quit. What the program was doing is in %s", path)
}

// faultFile is a new name for what is told of a fault in the program.
func faultFile() (string, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%d.txt", time.Now().Format("2006-01-02-150405"), os.Getpid())
	return filepath.Join(dir, "faults", name), nil
}
