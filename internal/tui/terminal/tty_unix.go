//go:build unix

package terminal

import (
	"bytes"
	"io"
	"os"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"
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
// background: that would stop the program. Nor is it while another program has
// it.
type watched struct {
	*os.File
	tty  *tty
	gone func()
	read []byte
}

// watch returns what reads keys from f.
func (t *tty) watch(f *os.File, gone func()) io.Reader {
	return &watched{File: f, tty: t, gone: gone}
}

// Read reads what is typed. Where it had to wait first, it returns nothing: who
// calls looks whether there is anything to read, and can be stopped meanwhile.
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
	w.read = slices.Grow(w.read[:0], len(p))[:len(p)-markRest] // Bubble Tea asks for far more
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
	typed := w.tty.pastes.divide(p[:0], w.read[:n])
	if string(typed) == "\x1b" && !w.more(escapeWait) {
		typed = append(typed[:0], escapeKey...)
	}
	return len(typed), nil
}

// escapeWait is how long an Escape byte waits for the rest of a sequence that it
// may begin. Bubble Tea would wait for twice as long, which a user feels.
const escapeWait = 25 * time.Millisecond

// sequenceWait is how long the beginning of a sequence waits for its rest, as over
// a slow connection. Its parameters would be taken for keys otherwise, and a digit
// answers a question.
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

// escapeKey is the Escape key as the kitty keyboard protocol writes it, which is
// complete: nothing waits for more. A terminal that speaks the protocol sends it
// itself.
const escapeKey = "\x1b[27u"

// more reports whether there is more to read within d.
func (w *watched) more(d time.Duration) bool {
	fd := int(w.Fd())
	var set unix.FdSet
	set.Set(fd)
	limit := unix.NsecToTimeval(d.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &limit)
	return err != nil || n > 0
}
