package transcript

import "cmp"

// viewport is the window that shows some of the drawn rows. If Follow is set, it shows
// the end; otherwise it keeps its place when rows are added below.
type viewport struct {
	drawer
	Height int      // in lines
	Follow bool     // the window shows the end
	Top    Position // the row of the first line
	skip   int      // lines of that row that are above the window
	Bottom Position // the last row in the window
	owed   int      // lines to scroll once more pages are read
	target *Target  // to show once its page is read; nil for none
	Window []string // the lines, at most Height
	cells  []rowLine
	mark   searchMark
	Marked int // the line of the window with the search mark, negative for none
}

// rowLine is a line of a row. Line -1 is the blank line above the row.
type rowLine struct {
	at   Position
	line int
}

// before reports whether c comes before o.
func (c rowLine) before(o rowLine) bool {
	return cmp.Or(c.at.Page-o.at.Page, c.at.row-o.at.row, c.line-o.line) < 0
}

// fill fills the window. It draws only the rows in it.
func (v *viewport) fill(width, height int) {
	v.width, v.Height = width, max(height, 0)
	v.clamp()
	if !v.Follow && v.linesBelow() <= v.Height {
		v.Follow = true
	}
	if v.Follow {
		v.moveToEnd()
	}
	v.Window, v.cells, v.Marked = v.Window[:0], v.cells[:0], -1
	v.Bottom = v.Top
	for p, ok := v.Top, v.Pages.exists(v.Top); ok && len(v.Window) < v.Height; p, ok = v.Pages.next(p) {
		if !v.Pages.unread(p) {
			v.Bottom = p
		}
		v.addRow(p)
		if v.endsBefore(p) {
			return
		}
	}
}

// endsBefore reports whether the window ends at p, because p is a placeholder of pages
// that are not in memory, below a page that is.
func (v *viewport) endsBefore(p Position) bool {
	return v.Pages.unread(p) && !v.Pages.unread(v.Top) && v.Pages.All[p.Page+1].Read
}

// addRow adds the lines of the row at p to the window, as far as they fit.
func (v *viewport) addRow(p Position) {
	lines, gap := v.lines(p)
	skip := 0
	if p == v.Top {
		skip = v.skip
	}
	if gap == 1 && skip == 0 {
		v.Window, v.cells = append(v.Window, ""), append(v.cells, rowLine{p, -1})
	}
	skip = min(len(lines), max(skip-gap, 0))
	lines = lines[skip:]
	r := v.Pages.row(p)
	if at := len(v.Window) + v.mark.line - skip; r == v.mark.row && v.mark.line >= skip && at < v.Height {
		v.Marked = at
	}
	for i, l := range lines[:max(0, min(len(lines), v.Height-len(v.Window)))] {
		if l != "" && r.class() == prose {
			l = "  " + l
		}
		v.Window, v.cells = append(v.Window, l), append(v.cells, rowLine{p, skip + i})
	}
}

// clamp moves the top of the window to an existing line after rows were removed or
// became shorter.
func (v *viewport) clamp() {
	switch {
	case !v.Pages.exists(v.Top):
		v.Top, v.skip, v.Follow = v.Pages.nearest(v.Pages.end()), 0, true
	case !v.Follow: // moveToEnd finds the place without drawing rows above the window
		v.skip = max(0, min(v.skip, v.height(v.Top)-1))
	}
}

// linesBelow counts the lines from the top of the window on, at most until they exceed
// its height. Pages that are not in memory count as enough.
func (v *viewport) linesBelow() int {
	n := -v.skip
	for p, ok := v.Top, true; ok && n <= v.Height; p, ok = v.Pages.next(p) {
		if v.endsBefore(p) {
			return v.Height + 1
		}
		n += v.height(p)
	}
	return n
}

// moveToEnd moves the window to the end of the transcript.
func (v *viewport) moveToEnd() {
	need := v.Height
	v.Top, v.skip = v.Pages.end(), 0
	for p, ok := v.Pages.prev(v.Top); ok; p, ok = v.Pages.prev(p) {
		v.Top = p
		if need -= v.height(p); need <= 0 {
			v.skip = -need
			return
		}
		if v.Pages.unread(p) {
			return
		}
	}
}

// pagesNear returns the range of the pages in the window and n more on each side.
func (v *viewport) pagesNear(n int) (from, to int) {
	return max(v.Top.Page-n, 1), min(max(v.Top.Page, v.Bottom.Page)+n, len(v.Pages.All)-1)
}

// TopEvent returns the event of the first line of the window. within says that the
// event starts above the window.
func (v *viewport) TopEvent() (at int, within bool) {
	p := v.Pages.All[v.Top.Page]
	if !p.Read || !v.Pages.exists(v.Top) {
		return p.to, false
	}
	_, gap := v.lines(v.Top)
	return v.Pages.row(v.Top).at, v.skip > gap
}

// LastEvent returns the number of the last event in the window.
func (v *viewport) LastEvent() int {
	if !v.Pages.exists(v.Bottom) {
		return v.Pages.Events()
	}
	return max(v.Pages.row(v.Bottom).at, v.Pages.row(v.Bottom).end)
}

// LowestEvent returns the event of the last line of the window, and how much of the
// row's events is above the end of that line.
func (v *viewport) LowestEvent() (at int, part float64) {
	if len(v.cells) == 0 {
		return -1, 0
	}
	c := v.cells[len(v.cells)-1]
	at = v.Pages.row(c.at).at
	end := v.Pages.Events()
	if next, ok := v.Pages.next(c.at); ok {
		end = v.Pages.row(next).at
	}
	lines, _ := v.lines(c.at)
	return at, float64(max(end-at, 0)) * float64(c.line+1) / float64(max(len(lines), 1))
}

// Percent returns the percentage of the session above the end of the window: 100 only
// at the very end, and negative if unknown. It counts events, because the number of
// lines of unread pages is unknown.
func (v *viewport) Percent() int {
	switch {
	case v.Follow:
		return 100
	case !v.Pages.Settled || v.Pages.Events() == 0 || len(v.cells) == 0:
		return -1
	}
	at, part := v.LowestEvent()
	return max(0, min(int((float64(at)+part)*100/float64(v.Pages.Events())), 99))
}
