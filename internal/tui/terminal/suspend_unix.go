//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// suspend stops the process group, as the terminal driver does for ctrl+z in cooked
// mode. It sends SIGSTOP, because SIGTSTP is ignored in an orphaned process group.
// SIGCONT resumes the program.
func suspend() { _ = syscall.Kill(0, syscall.SIGSTOP) }

// signals receives the signals about the terminal.
type signals chan os.Signal

// catchSignals queues signals until watch handles them. The caller must call drop.
func catchSignals() signals {
	s := make(signals, 8)
	signal.Notify(s, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGINT)
	return s
}

func (s signals) drop() { signal.Stop(s) }

// watch sends signals as messages until unwatch is called. SIGINT becomes ctrl+c.
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

// await waits until the program is in the foreground. It returns false if done is
// closed first.
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
