//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// mainWithFault is the program with a goroutine that panics on a signal.
func mainWithFault() {
	now := make(chan os.Signal, 1)
	signal.Notify(now, syscall.SIGUSR1)
	go func() {
		<-now
		panic("a fault on purpose")
	}()
	main()
}
