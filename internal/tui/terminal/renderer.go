package terminal

import (
	"bytes"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// interval is the minimum time between two frames. Streamed text comes in batches
// that are further apart.
const interval = 4 * time.Millisecond

// renderer draws views on the terminal. It draws a view at once, or when interval
// has passed since the last frame; of several waiting views it draws only the
// latest. It draws in a goroutine of its own, so that a blocked terminal blocks
// nothing else. Without changes it is idle.
type renderer struct {
	out   io.Writer
	ready func() bool // reports whether the terminal may be written to; if not, a later wake draws
	gone  func()      // called once when writing to the terminal fails

	mu       sync.Mutex // guards the next frame
	view     tea.View
	height   int
	stale    bool   // the screen's content is unknown
	raw      []byte // written before the next frame
	together bool   // the terminal supports synchronized output
	letters  bool   // the terminal can measure grapheme clusters

	wake  chan struct{}
	calls chan func()
	ended chan struct{}

	// The fields below belong to the drawing goroutine.
	canvas  Canvas
	modes   modes
	cursor  *tea.Cursor // the visible cursor; nil if hidden
	on      bool        // the program has the screen
	drawnAt time.Time
	dead    bool
}

// newRenderer returns a renderer, which draws nothing before take. The caller must
// close it.
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

// show schedules v for drawing.
func (r *renderer) show(v tea.View) {
	if v.Cursor != nil { // the model owns it
		at := *v.Cursor
		v.Cursor = &at
	}
	r.mu.Lock()
	r.view = v
	r.mu.Unlock()
	r.nudge()
}

// Write schedules p, a sequence that draws nothing, for writing to the terminal.
func (r *renderer) Write(p []byte) (int, error) {
	r.mu.Lock()
	r.raw = append(r.raw, p...)
	r.mu.Unlock()
	r.nudge()
	return len(p), nil
}

// resize sets the height of the window and draws the next frame completely.
func (r *renderer) resize(height int) {
	r.mu.Lock()
	r.height, r.stale = height, true
	r.mu.Unlock()
}

// redraw draws the complete window, where something else may have drawn.
func (r *renderer) redraw() {
	r.mu.Lock()
	r.stale = true
	r.mu.Unlock()
	r.nudge()
}

// supports records the terminal's reply to a query of its abilities.
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

// take takes the screen, or takes it back after something else may have drawn
// there, and draws.
func (r *renderer) take() {
	r.call(func() {
		r.on, r.modes, r.cursor = true, modes{}, nil
		r.canvas.Forget()
		r.put([]byte(takeScreen + ansi.ResetModeTextCursorEnable))
		r.draw()
		r.drawnAt = time.Time{} // the next frame follows at once, for type-ahead
	})
}

// give resets the modes and leaves the screen. The next take draws the same view.
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

// call runs f in the drawing goroutine and waits for it.
func (r *renderer) call(f func()) {
	done := make(chan struct{})
	r.calls <- func() { defer close(done); f() }
	<-done
}

// close gives the screen back and stops the renderer. It reports whether that
// succeeded within the timeout; it abandons a terminal that accepts no output.
func (r *renderer) close(timeout time.Duration) bool {
	go func() {
		r.give()
		close(r.calls)
	}()
	select {
	case <-r.ended:
		return true
	case <-time.After(timeout):
		return false
	}
}

// put writes b. After an error it writes nothing more.
func (r *renderer) put(b []byte) {
	if r.dead || len(b) == 0 {
		return
	}
	if _, err := r.out.Write(b); err != nil {
		r.dead = true
		r.gone()
	}
}

// draw writes the changes since the last frame.
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

// place writes a frame and the cursor position so that no partial state is visible.
// It reports whether there was anything to write.
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
