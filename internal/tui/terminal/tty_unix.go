//go:build unix

package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// makeRaw puts f into raw mode and returns its original state. Input and output of a
// terminal are one device, so it does nothing for the output.
func makeRaw(f *os.File, keys bool) (*term.State, error) {
	if !keys {
		return nil, nil
	}
	return term.MakeRaw(f.Fd())
}

// foreground reports whether the program is in the foreground process group of the
// terminal, so that it may read and draw.
func (t *tty) foreground() bool {
	f := t.keys
	if f == nil {
		f = t.screen
	}
	if f == nil {
		return true
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp() // on an error there is no job control
}

// glance is how often a program in the background checks whether it is in the
// foreground again, which no signal reports.
const glance = 200 * time.Millisecond

// watched reads from a terminal. It calls gone when reading fails. It does not read
// in the background, which would stop the program, or while another program has the
// terminal.
type watched struct {
	*os.File
	tty  *tty
	gone func()
	read []byte
}

// watch returns a reader of the keys from f.
func (t *tty) watch(f *os.File, gone func()) io.Reader {
	return &watched{File: f, tty: t, gone: gone}
}

// Read reads typed input. If it had to wait for the terminal, it returns no bytes,
// so that the caller polls again and can be canceled.
func (w *watched) Read(p []byte) (int, error) {
	if w.tty.loan.wait() {
		return 0, nil
	}
	if !w.tty.foreground() {
		for !w.tty.foreground() {
			time.Sleep(glance)
		}
		return 0, nil
	}
	w.read = slices.Grow(w.read[:0], len(p))[:len(p)-markRest] // p is far larger
	n, err := w.File.Read(w.read)
	if err != nil {
		w.gone()
		return 0, err
	}
	for n < len(w.read) && startsSequence(w.read[:n]) && w.more(sequenceWait) {
		more, err := w.File.Read(w.read[n:])
		if n += more; err != nil || more == 0 {
			break
		}
	}
	in := w.read[:n]
	if w.tty.pastes.mayBurst(in) {
		var isPaste bool
		if in, isPaste = gather(fileReader{w}, w.read, n, w.tty.pastes.isQuick()); isPaste {
			return len(w.tty.pastes.burst(p[:0], in)), nil
		}
	}
	typed := w.tty.pastes.divide(p[:0], in)
	if string(typed) == "\x1b" && !w.more(escapeWait) {
		typed = append(typed[:0], escapeKey...)
	}
	return len(typed), nil
}

// fileReader reads from the terminal without decoding.
type fileReader struct{ *watched }

func (r fileReader) Read(p []byte) (int, error) { return r.File.Read(p) }

// escapeWait is how long Read waits after an ESC byte for the rest of a sequence.
// Bubble Tea waits twice as long, which users notice.
const escapeWait = 25 * time.Millisecond

// sequenceWait is how long Read waits for the rest of an incomplete sequence on a
// slow connection. Otherwise its parameters would become key presses, and a digit
// could answer a dialog.
const sequenceWait = 500 * time.Millisecond

// startsSequence reports whether b ends in a control sequence (ESC [ or ESC O)
// without its final byte.
func startsSequence(b []byte) bool {
	i := bytes.LastIndexByte(b, ansi.ESC)
	if i < 0 || i+1 == len(b) || b[i+1] != '[' && b[i+1] != 'O' {
		return false
	}
	for _, c := range b[i+2:] {
		if c < 0x20 || c > 0x3f { // neither a parameter nor an intermediate byte
			return false
		}
	}
	return true
}

// escapeKey is the Escape key in the kitty keyboard protocol, which is unambiguous.
// Terminals that support the protocol send it themselves.
const escapeKey = "\x1b[27u"

// more reports whether there is more to read within d. It waits again after a signal, such as
// those with which Go's scheduler interrupts threads: a read instead would wait for a key.
func (w *watched) more(d time.Duration) bool {
	fd := int(w.Fd())
	for end := time.Now().Add(d); ; d = max(0, time.Until(end)) {
		var set unix.FdSet
		set.Set(fd)
		limit := unix.NsecToTimeval(d.Nanoseconds())
		n, err := unix.Select(fd+1, &set, nil, nil, &limit)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0
		}
	}
}
