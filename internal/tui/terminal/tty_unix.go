//go:build unix

package terminal

import (
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// makeRaw returns how f was. Both directions of a terminal are one device, so
// that it is done for the keys alone.
func makeRaw(f *os.File, keys bool) (*term.State, error) {
	if !keys {
		return nil, nil
	}
	return term.MakeRaw(f.Fd())
}

// foreground reports whether the terminal is ours to read from and to draw on,
// and not that of a shell that runs the program in the background.
func (t *tty) foreground() bool {
	f := t.keys
	if f == nil {
		f = t.screen
	}
	if f == nil {
		return true
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp() // an error: no job control
}

// glance is how often the program looks whether it is in the foreground again,
// which no signal tells. It looks only while it is not.
const glance = 200 * time.Millisecond

// watched is a terminal whose end is told, and which is not read from in the
// background: that would stop the program.
type watched struct {
	*os.File
	foreground func() bool
	gone       func()
}

func watch(f *os.File, foreground func() bool, gone func()) io.Reader {
	return &watched{f, foreground, gone}
}

func (w *watched) Read(p []byte) (int, error) {
	for !w.foreground() {
		time.Sleep(glance)
	}
	n, err := w.File.Read(p)
	if err != nil {
		w.gone()
	}
	return n, err
}
