package tui

// gutter is the width of the margin that carries all structure: "›" a person,
// "·" a finished tool, nothing for an answer.
const gutter = 2

// canvas is what an item is drawn for.
type canvas struct {
	st    *Styles
	width int // of the window; never less than 1
	frame int // of the spinner
}

// class sorts items for the space between them.
type class int

const (
	said  class = iota // stands apart
	prose              // so does an answer, whose lines come without their margin
	steps              // tools and thinking stand close to each other
)

// item is one entry of the transcript. It draws itself anew only after its row
// was touched, or for another width or look.
type item interface {
	class() class
	// draw returns lines that are no wider than the window, those of prose with
	// room for the margin. None at all hides the item.
	draw(c canvas) []string
}

// opener is an item that may have more to show than it does while closed.
type opener interface {
	item
	more() bool
	opened() bool
	setOpen(bool)
}

// row keeps an item and what it looked like last.
type row struct {
	item
	version int
	drawn   struct{ version, width, look int }
	lines   []string
}

// touch says that the item changed.
func (r *row) touch() { r.version++ }

// transcript is the list of all that was said and done, of which a window is
// shown. While it follows, the window holds the end; otherwise it holds its
// place, whatever is added below.
type transcript struct {
	st      *Styles
	look    int        // counts changes of st
	told    func(item) // hears of every item that is added, if it is set
	rows    []*row
	frame   int
	openAll bool

	width, height int
	follow        bool
	top, skip     int // the first line of the window: a row, and how many of its lines are above
	bottom        int // the last row in the window
	window        []string
}

func newTranscript(st *Styles) *transcript {
	return &transcript{st: st, look: 1, follow: true, width: 80, height: 24}
}

// add appends an item.
func (t *transcript) add(it item) *row {
	if o, ok := it.(opener); ok && t.openAll {
		o.setOpen(true)
	}
	r := &row{item: it, version: 1}
	t.rows = append(t.rows, r)
	if t.told != nil {
		t.told(it)
	}
	return r
}

// remove takes a row away, which is one of the last as a rule.
func (t *transcript) remove(r *row) {
	for i := len(t.rows) - 1; i >= 0; i-- {
		if t.rows[i] == r {
			t.rows = append(t.rows[:i], t.rows[i+1:]...)
			return
		}
	}
}

// restyle draws everything anew with st.
func (t *transcript) restyle(st *Styles) {
	t.st = st
	t.look++
}

// lines returns how row i looks, with the blank line that sets it apart.
func (t *transcript) lines(i int) (lines []string, gap int) {
	r := t.rows[i]
	now := struct{ version, width, look int }{r.version, t.width, t.look}
	if r.drawn != now {
		r.lines = r.draw(canvas{st: t.st, width: max(t.width, 1), frame: t.frame})
		r.drawn = now
	}
	if len(r.lines) == 0 {
		return nil, 0
	}
	if i > 0 && (r.class() != steps || t.rows[i-1].class() != steps) {
		gap = 1
	}
	return r.lines, gap
}

func (t *transcript) rowHeight(i int) int {
	lines, gap := t.lines(i)
	return len(lines) + gap
}

// layout fills the window of that size. Only the rows in it are drawn.
func (t *transcript) layout(width, height int) {
	t.width, t.height = width, max(height, 0)
	t.clamp()
	if !t.follow && t.below() < t.height {
		t.follow = true
	}
	if t.follow {
		t.toEnd()
	}
	t.window = t.window[:0]
	t.bottom = t.top
	for i := t.top; i < len(t.rows) && len(t.window) < t.height; i++ {
		lines, gap := t.lines(i)
		skip := 0
		if i == t.top {
			skip = t.skip
		}
		if gap == 1 && skip == 0 {
			t.window = append(t.window, "")
		}
		lines = lines[min(len(lines), max(skip-gap, 0)):]
		for _, l := range lines[:min(len(lines), t.height-len(t.window))] {
			if l != "" && t.rows[i].class() == prose {
				l = "  " + l
			}
			t.window = append(t.window, l)
		}
		t.bottom = i
	}
}

// clamp keeps the anchor within the rows, which may have become fewer or lower.
func (t *transcript) clamp() {
	if t.top >= len(t.rows) {
		t.top, t.skip, t.follow = max(len(t.rows)-1, 0), 0, true
	}
	if len(t.rows) > 0 {
		t.skip = max(0, min(t.skip, t.rowHeight(t.top)-1))
	}
}

// below counts the lines from the anchor on, up to the height of the window.
func (t *transcript) below() int {
	n := -t.skip
	for i := t.top; i < len(t.rows) && n < t.height; i++ {
		n += t.rowHeight(i)
	}
	return n
}

// toEnd moves the anchor so that the last line stands at the window's end.
func (t *transcript) toEnd() {
	need := t.height
	for i := len(t.rows) - 1; i >= 0; i-- {
		need -= t.rowHeight(i)
		if need <= 0 {
			t.top, t.skip = i, -need
			return
		}
	}
	t.top, t.skip = 0, 0
}

// scroll moves the window by n lines, up if n is negative. Reaching the end
// follows it.
func (t *transcript) scroll(n int) {
	if len(t.rows) == 0 {
		return
	}
	t.skip += n
	if n < 0 {
		t.follow = false
	}
	for t.skip < 0 {
		if t.top == 0 {
			t.skip = 0
			break
		}
		t.top--
		t.skip += t.rowHeight(t.top)
	}
	for t.top < len(t.rows)-1 && t.skip >= t.rowHeight(t.top) {
		t.skip -= t.rowHeight(t.top)
		t.top++
	}
}

// home shows the beginning.
func (t *transcript) home() { t.top, t.skip, t.follow = 0, 0, false }

// end shows the end, and follows it.
func (t *transcript) end() { t.follow = true }

// toggle opens or closes the last item in or above the window that can be.
func (t *transcript) toggle() {
	for i := min(t.bottom, len(t.rows)-1); i >= 0; i-- {
		o, ok := t.rows[i].item.(opener)
		if !ok || !o.more() || t.rowHeight(i) == 0 {
			continue
		}
		o.setOpen(!o.opened())
		t.rows[i].touch()
		return
	}
}

// toggleAll opens all items, and those to come, or closes them.
func (t *transcript) toggleAll() {
	t.openAll = !t.openAll
	for _, r := range t.rows {
		if o, ok := r.item.(opener); ok {
			o.setOpen(t.openAll)
			r.touch()
		}
	}
}
