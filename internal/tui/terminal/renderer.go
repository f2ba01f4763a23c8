package terminal

import (
	"bytes"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// interval is how long two frames are apart at least. What streams comes in
// batches that are further apart than that: see pump.
const interval = 4 * time.Millisecond

// renderer draws views on the terminal. A view is drawn at once, or as soon as
// the last frame is an interval old; of several that wait, only the latest is.
// It draws from a goroutine of its own, so that a terminal that takes nothing
// for a while holds up no one. When nothing changes, nothing is written and
// nothing runs.
type renderer struct {
	out   io.Writer
	ready func() bool // whether the terminal may be written to; when it may not, a later wake draws
	gone  func()      // called once when the terminal takes nothing any more

	mu       sync.Mutex // guards what is to be drawn
	view     tea.View
	height   int
	stale    bool   // what is on the screen is not known
	raw      []byte // to be written before the next frame
	together bool   // a frame can be held back until it is whole
	letters  bool   // the terminal can count letters as they are seen

	wake  chan struct{}
	calls chan func()
	ended chan struct{}

	// What follows belongs to the goroutine that draws.
	canvas  Canvas
	modes   modes
	cursor  *tea.Cursor // where it is shown; nil if it is hidden
	on      bool        // the screen is ours
	drawnAt time.Time
	dead    bool
}

// newRenderer returns a renderer that draws nothing until take. The caller
// closes it.
func newRenderer(out io.Writer, height int, ready func() bool, gone func()) *renderer {
	r := &renderer{out: out, height: height, ready: ready, gone: gone,
		wake: make(chan struct{}, 1), calls: make(chan func()), ended: make(chan struct{})}
	go r.run()
	return r
}

// run draws until calls is closed.
func (r *renderer) run() {
	defer close(r.ended)
	for {
		select {
		case f, ok := <-r.calls:
			if !ok {
				return
			}
			f()
			continue
		case <-r.wake:
		}
		if wait := interval - time.Since(r.drawnAt); wait > 0 {
			select {
			case f, ok := <-r.calls:
				if !ok {
					return
				}
				f()
			case <-time.After(wait):
			}
		}
		r.draw()
	}
}

// show has v drawn.
func (r *renderer) show(v tea.View) {
	if v.Cursor != nil { // which is its model's
		at := *v.Cursor
		v.Cursor = &at
	}
	r.mu.Lock()
	r.view = v
	r.mu.Unlock()
	r.nudge()
}

// Write has p written to the terminal, as a request or an answer is that shows
// nothing.
func (r *renderer) Write(p []byte) (int, error) {
	r.mu.Lock()
	r.raw = append(r.raw, p...)
	r.mu.Unlock()
	r.nudge()
	return len(p), nil
}

// resize has the next frame drawn whole, in a window of so many lines.
func (r *renderer) resize(height int) {
	r.mu.Lock()
	r.height, r.stale = height, true
	r.mu.Unlock()
}

// redraw has all of the window drawn: something else may have written there.
func (r *renderer) redraw() {
	r.mu.Lock()
	r.stale = true
	r.mu.Unlock()
	r.nudge()
}

// supports takes the terminal's answer to what it is capable of.
func (r *renderer) supports(report tea.ModeReportMsg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch report.Mode {
	case ansi.ModeSynchronizedOutput:
		r.together = report.Value == ansi.ModeReset
	case ansi.ModeUnicodeCore:
		r.letters = report.Value == ansi.ModeReset || report.Value == ansi.ModeSet
	}
}

func (r *renderer) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take makes the screen ours, or once more after something else may have
// written to it, and draws.
func (r *renderer) take() {
	r.call(func() {
		r.on, r.modes, r.cursor = true, modes{}, nil
		r.canvas.Forget()
		r.put([]byte(takeScreen + ansi.ResetModeTextCursorEnable))
		r.draw()
		r.drawnAt = time.Time{} // what was typed ahead follows at once
	})
}

// give leaves the terminal as it was found. What is shown is kept for the next
// take.
func (r *renderer) give() {
	r.call(func() {
		if !r.on {
			return
		}
		r.on = false
		var b bytes.Buffer
		r.modes.change(&b, modes{})
		b.WriteString(giveScreen)
		r.put(b.Bytes())
	})
}

// call runs f where frames are drawn, and waits for it.
func (r *renderer) call(f func()) {
	done := make(chan struct{})
	r.calls <- func() { defer close(done); f() }
	<-done
}

// close gives the screen back and stops. It reports whether it could within
// the time given; a terminal that takes nothing is left behind.
func (r *renderer) close(within time.Duration) bool {
	go func() {
		r.give()
		close(r.calls)
	}()
	select {
	case <-r.ended:
		return true
	case <-time.After(within):
		return false
	}
}

// put writes b. After an error nothing more is written.
func (r *renderer) put(b []byte) {
	if r.dead || len(b) == 0 {
		return
	}
	if _, err := r.out.Write(b); err != nil {
		r.dead = true
		r.gone()
	}
}

// draw writes what changed.
func (r *renderer) draw() {
	if !r.on || !r.ready() {
		return
	}
	r.mu.Lock()
	v, height, raw, together := r.view, r.height, r.raw, r.together
	next := modesOf(v)
	next.letters = r.letters
	if r.stale {
		r.canvas.Forget()
	}
	r.raw, r.stale = nil, false
	r.mu.Unlock()

	if v.Cursor == nil || v.Cursor.Shape == tea.CursorBlock && v.Cursor.Blink {
		next.cursor = r.modes.cursor
	}
	var b, picture bytes.Buffer
	b.Write(raw)
	r.modes.change(&b, next)
	r.modes = next
	if height > 0 && v.Content != "" {
		r.canvas.Paint(&picture, v.Content, height)
	}
	if r.place(&b, v.Cursor, picture.Bytes(), together) {
		r.drawnAt = time.Now()
	}
	r.put(b.Bytes())
}

// place writes a picture, and the cursor to its place, so that neither is seen
// half done. It reports whether there was anything to write.
func (r *renderer) place(b *bytes.Buffer, at *tea.Cursor, picture []byte, together bool) bool {
	same := r.cursor == nil && at == nil || r.cursor != nil && at != nil && r.cursor.Position == at.Position
	if same && len(picture) == 0 {
		return false
	}
	if together {
		b.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if r.cursor != nil && (at == nil || len(picture) > 0 && !together) {
		b.WriteString(ansi.ResetModeTextCursorEnable)
	}
	b.Write(picture)
	if at != nil {
		moveTo(b, at.X, at.Y)
		if r.cursor == nil || len(picture) > 0 && !together {
			b.WriteString(ansi.SetModeTextCursorEnable)
		}
	}
	if together {
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	r.cursor = at
	return true
}
