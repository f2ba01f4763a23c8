//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// suspend stops the program and whatever was started together with it, as the
// terminal would for ctrl+z if it read keys itself. A stop that can be caught
// would be lost where no shell watches. The program goes on with a signal.
func suspend() { _ = syscall.Kill(0, syscall.SIGSTOP) }

// signals are those that tell of the terminal.
type signals chan os.Signal

// catchSignals keeps signals until they are watched. The caller drops them. A
// stop that nobody caught would be lost.
func catchSignals() signals {
	s := make(signals, 8)
	signal.Notify(s, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGINT)
	return s
}

func (s signals) drop() { signal.Stop(s) }

// watch sends what signals tell of the terminal until unwatch is called. An
// interrupt is what its key is.
func (s signals) watch(t *tty, send func(tea.Msg)) (unwatch func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case sig := <-s:
				switch sig {
				case syscall.SIGWINCH:
					send(tea.WindowSizeMsg{})
				case syscall.SIGTSTP:
					send(tea.SuspendMsg{})
				case syscall.SIGINT:
					send(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
				case syscall.SIGCONT:
					if t.await(done) {
						send(continued{})
					}
				}
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// await returns when the program is in the foreground; false if it is done
// before.
func (t *tty) await(done <-chan struct{}) bool {
	for !t.foreground() {
		select {
		case <-time.After(glance):
		case <-done:
			return false
		}
	}
	return true
}
