package terminal

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Signals do not make a read wait for a key that nobody presses.
func TestSignalsHoldNoKeysBack(t *testing.T) {
	keys, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	defer screen.Close()
	if _, err := makeRaw(screen, true); err != nil {
		t.Fatal(err)
	}
	w := &watched{File: screen, tty: &tty{keys: screen, pastes: newPastes(100)}, gone: func() {}}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, stop, done := unix.Gettid(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Tgkill(os.Getpid(), thread, unix.SIGURG)
				runtime.Gosched()
			}
		}
	}()
	for range 20 {
		late := time.AfterFunc(10*time.Second, func() {
			t.Error("the read waited for another key")
			_, _ = keys.WriteString("x")
		})
		if _, err := keys.WriteString("tell me\r"); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 100)
		n, err := w.Read(got)
		late.Stop()
		if err != nil || string(got[:n]) != "tell me\r" {
			t.Errorf("got %q, %v", got[:n], err)
			break
		}
	}
	close(stop)
	<-done
}
