package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// The size of the measured window.
const (
	speedCols = 120
	speedRows = 40
)

// ready is shown while the program waits for a prompt: "? help", in older programs "? keys".
const ready = "? "

// gauge runs the program in a pty and records when each output was drawn by an
// emulator.
type gauge struct {
	process
	b       *testing.B
	cmd     *exec.Cmd
	pty     *os.File
	started time.Time
	done    chan struct{} // closed when the program has written its last

	mu    sync.Mutex // guards what follows
	em    *vt.Emulator
	wants map[string]chan time.Time         // texts that are waited for
	watch func(screen string, at time.Time) // called for each piece of output; may be nil
	bytes int                               // written so far
	last  time.Time                         // when
}

// gauge starts the program in h.
func (h home) gauge(b *testing.B, args ...string) *gauge {
	b.Helper()
	path, err := exec.LookPath("agent")
	if err != nil {
		b.Fatal(err)
	}
	ours, theirs, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	silence(b, theirs)
	if err := pty.Setsize(ours, &pty.Winsize{Cols: speedCols, Rows: speedRows}); err != nil {
		b.Fatal(err)
	}
	g := &gauge{b: b, pty: ours, em: vt.NewEmulator(speedCols, speedRows), wants: map[string]chan time.Time{}, done: make(chan struct{})}
	g.cmd = exec.Command(path, args...)
	g.cmd.Dir, g.cmd.Env = h.work, h.env
	g.cmd.Stdin, g.cmd.Stdout, g.cmd.Stderr = theirs, theirs, theirs
	g.cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	g.started = time.Now()
	if err := g.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	_ = theirs.Close()
	g.process = process(g.cmd.Process.Pid)
	go g.draw()
	go func() { _, _ = io.Copy(ours, g.em) }() // replies of the terminal to queries
	b.Cleanup(g.close)
	return g
}

// silence disables the echo of the kernel before the program reads.
func silence(b *testing.B, tty *os.File) {
	b.Helper()
	t, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err == nil {
		t.Lflag &^= unix.ECHO
		err = unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, t)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// draw feeds the emulator until the program exits. It uses the time of the read
// that completed a text, without the time of the emulator.
func (g *gauge) draw() {
	defer close(g.done)
	part := make([]byte, 64<<10)
	for {
		n, err := g.pty.Read(part)
		at := time.Now()
		g.mu.Lock()
		g.bytes += n
		g.last = at
		_, _ = g.em.Write(part[:n])
		g.report(at)
		g.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// report sends the time to the channels of the expected texts that have appeared.
func (g *gauge) report(at time.Time) {
	if len(g.wants) == 0 && g.watch == nil {
		return
	}
	screen := g.screen()
	if g.watch != nil {
		g.watch(screen, at)
	}
	for text, seen := range g.wants {
		if strings.Contains(screen, text) {
			seen <- at
			delete(g.wants, text)
		}
	}
}

// observe calls watch with the screen after each piece of output.
func (g *gauge) observe(watch func(screen string, at time.Time)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watch = watch
}

// screen returns the text of all rows.
func (g *gauge) screen() string {
	var s strings.Builder
	for y := range speedRows {
		for x := range speedCols {
			if c := g.em.CellAt(x, y); c != nil {
				s.WriteString(c.Content) // empty for the second half of a wide one
			}
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// expect returns a channel that gets the time at which text first appears.
func (g *gauge) expect(text string) <-chan time.Time {
	seen := make(chan time.Time, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wants[text] = seen
	g.report(time.Now())
	return seen
}

// get waits for the channel of expect.
func (g *gauge) get(seen <-chan time.Time) time.Time {
	g.b.Helper()
	select {
	case at := <-seen:
		return at
	case <-g.done:
	case <-time.After(2 * hang):
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.b.Fatalf("the measured text never appeared:\n%s", strings.TrimRight(g.screen(), " \n"))
	return time.Time{}
}

// wait returns the time at which text appeared.
func (g *gauge) wait(text string) time.Time {
	g.b.Helper()
	return g.get(g.expect(text))
}

// send types keys and returns the time.
func (g *gauge) send(keys string) time.Time {
	g.b.Helper()
	at := time.Now()
	if _, err := io.WriteString(g.pty, keys); err != nil {
		g.b.Fatal(err)
	}
	return at
}

// settle waits until nothing was written for d.
func (g *gauge) settle(quiet time.Duration) {
	for {
		g.mu.Lock()
		left := quiet - time.Since(g.last)
		g.mu.Unlock()
		if left <= 0 {
			return
		}
		time.Sleep(left)
	}
}

// written returns the number of bytes that the program has written.
func (g *gauge) written() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bytes
}

func (g *gauge) close() {
	if g.cmd.ProcessState == nil {
		_ = g.cmd.Process.Kill()
		_ = g.cmd.Wait()
	}
	_ = g.pty.Close()
	<-g.done
	if in, ok := g.em.InputPipe().(io.Closer); ok {
		_ = in.Close()
	}
}
