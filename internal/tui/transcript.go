package tui

import (
	"slices"

	"agent/internal/tui/ink"
)

// canvas is what an item is drawn for.
type canvas struct {
	st    *ink.Styles
	width int  // of the window; never less than 1
	frame int  // of the spinner
	whole bool // items show all they have, open or not
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
	at      int  // the number of the event that made it; of one that none made, how many came before
	end     int  // the number of the event that it ends with
	own     bool // no event made it: it is the screen's own
	version int
	drawn   struct{ version, width, look int }
	lines   []string
}

// release gives up what the row looked like. It is drawn again where it is wanted.
func (r *row) release() {
	r.lines = nil
	r.touch()
}

// tellsOf says which event the item tells of.
func (r *row) tellsOf(at int) { r.at, r.end = at, at }

// touch says that the item changed.
func (r *row) touch() { r.version++ }

// spot is a row among the pages.
type spot struct{ page, row int }

// transcript is the list of all that was said and done, of which a window is
// shown. While it follows, the window holds the end; otherwise it holds its
// place, whatever is added below.
//
// It is a list of pages, of which those far from the window may be unread.
type transcript struct {
	st      *ink.Styles
	look    int        // counts changes of st
	told    func(item) // hears of every item that is added, if it is set
	pages   []*leaf    // the first is what stands above the session, the last grows; both are always read
	full    pageSize
	settled bool // the numbers of events are known; until then, the first one here is number 0
	turn    int  // the number of the prompt that began the last turn
	frame   int
	openAll bool
	whole   bool // everything is shown uncut

	width, height int
	follow        bool
	top           spot // the first line of the window: a row,
	skip          int  // and how many of its lines are above
	bottom        spot // the last row in the window
	owed          int  // lines that the window is still to move once more pages are read
	aim           *aim // where it is to go once that page is read
	window        []string
	mark          mark     // where a search went to,
	marked        int      // and the line of the window that it is, -1 if it is none
	cells         []lineAt // where its lines come from
	sel           selection
}

func newTranscript(st *ink.Styles) *transcript {
	return &transcript{
		st: st, look: 1, settled: true, follow: true, width: 80, height: 24, full: pageSize{64, 256 << 10},
		pages: []*leaf{{read: true}, {read: true}},
		top:   spot{page: 1},
	}
}

// head appends an item to what stands above the session.
func (t *transcript) head(it item) *row {
	r := &row{item: it, at: -1, version: 1, own: true}
	t.pages[0].add(r)
	return r
}

// add appends an item of the screen's own.
func (t *transcript) add(it item) *row {
	r := t.put(it)
	r.at, r.own = t.events(), true
	return r
}

// put appends an item that tells of the last event.
func (t *transcript) put(it item) *row {
	if o, ok := it.(opener); ok && t.openAll {
		o.setOpen(true)
	}
	r := &row{item: it, version: 1}
	r.tellsOf(t.events() - 1)
	t.last().add(r)
	if t.told != nil {
		t.told(it)
	}
	return r
}

// putAfter puts an item that tells of the same as r below r.
func (t *transcript) putAfter(r *row, it item) *row {
	p := t.last()
	next := &row{item: it, version: 1, at: r.at, end: r.end}
	p.rows = slices.Insert(p.rows, slices.Index(p.rows, r)+1, next)
	return next
}

// remove takes a row away, which is one of the last.
func (t *transcript) remove(r *row) { t.takeOut(r, t.last()) }

// last is the page that grows.
func (t *transcript) last() *leaf { return t.pages[len(t.pages)-1] }

// restyle draws everything anew with st.
func (t *transcript) restyle(st *ink.Styles) {
	t.st = st
	t.look++
}

// next returns the spot after p, if there is one.
func (t *transcript) next(p spot) (spot, bool) {
	p.row++
	for p.row >= len(t.pages[p.page].rows) {
		if p.page == len(t.pages)-1 {
			return p, false
		}
		p = spot{page: p.page + 1}
	}
	return p, true
}

// prev returns the spot before p, if there is one.
func (t *transcript) prev(p spot) (spot, bool) {
	for p.row == 0 {
		if p.page == 0 {
			return p, false
		}
		p.page--
		p.row = len(t.pages[p.page].rows)
	}
	p.row--
	return p, true
}

// near is p, or the first spot after it that there is a row at; the last one
// of all, if there is none.
func (t *transcript) near(p spot) spot {
	if p.row < len(t.pages[p.page].rows) {
		return p
	}
	next, ok := t.next(p)
	if !ok {
		next, _ = t.prev(t.behind())
	}
	return next
}

// behind is the spot behind the last row.
func (t *transcript) behind() spot {
	return spot{len(t.pages) - 1, len(t.last().rows)}
}

// unread reports whether p stands for a page that is not read.
func (t *transcript) unread(p spot) bool { return !t.pages[p.page].read }

// lines returns how the row at p looks, with the blank line that sets it apart.
// Of pages that follow each other and are not read, the last tells of all.
func (t *transcript) lines(p spot) (lines []string, gap int) {
	if t.unread(p) && !t.pages[p.page+1].read {
		return nil, 0
	}
	r := t.pages[p.page].rows[p.row]
	now := struct{ version, width, look int }{r.version, t.width, t.look}
	if r.drawn != now {
		r.lines = r.draw(canvas{st: t.st, width: max(t.width, 1), frame: t.frame, whole: t.whole})
		r.drawn = now
	}
	if len(r.lines) == 0 {
		return nil, 0
	}
	if a, ok := r.item.(*answer); ok && a.joins {
		return r.lines, 0
	}
	if before, ok := t.prev(p); ok && !t.unread(p) && (r.class() != steps || t.pages[before.page].rows[before.row].class() != steps) {
		gap = 1
	}
	return r.lines, gap
}

func (t *transcript) rowHeight(p spot) int {
	lines, gap := t.lines(p)
	return len(lines) + gap
}

// layout fills the window of that size. Only the rows in it are drawn.
func (t *transcript) layout(width, height int) {
	t.fill(width, height)
	t.showSelection()
}

func (t *transcript) fill(width, height int) {
	t.width, t.height = width, max(height, 0)
	t.clamp()
	if !t.follow && t.below() <= t.height {
		t.follow = true
	}
	if t.follow {
		t.toEnd()
	}
	t.window, t.cells, t.marked = t.window[:0], t.cells[:0], -1
	t.bottom = t.top
	if t.top.row >= len(t.pages[t.top.page].rows) {
		return
	}
	for p, ok := t.top, true; ok && len(t.window) < t.height; p, ok = t.next(p) {
		if !t.unread(p) {
			t.bottom = p
		}
		t.show(p)
		if t.breaks(p) {
			return
		}
	}
}

// breaks reports whether nobody knows what follows what is shown at p: the end
// of pages that are not read, below some that are.
func (t *transcript) breaks(p spot) bool {
	return t.unread(p) && !t.unread(t.top) && t.pages[p.page+1].read
}

// show adds the row at p to the window, as far as it fits.
func (t *transcript) show(p spot) {
	lines, gap := t.lines(p)
	skip := 0
	if p == t.top {
		skip = t.skip
	}
	if gap == 1 && skip == 0 {
		t.window, t.cells = append(t.window, ""), append(t.cells, lineAt{p, -1})
	}
	skip = min(len(lines), max(skip-gap, 0))
	lines = lines[skip:]
	r := t.pages[p.page].rows[p.row]
	if at := len(t.window) + t.mark.line - skip; r == t.mark.row && t.mark.line >= skip && at < t.height {
		t.marked = at
	}
	indent := r.class() == prose
	for i, l := range lines[:max(0, min(len(lines), t.height-len(t.window)))] {
		if l != "" && indent {
			l = "  " + l
		}
		t.window, t.cells = append(t.window, l), append(t.cells, lineAt{p, skip + i})
	}
}

// clamp keeps the anchor within the rows, which may have become fewer or lower.
func (t *transcript) clamp() {
	if t.top.page >= len(t.pages) || t.top.row >= len(t.pages[t.top.page].rows) {
		last, ok := t.prev(t.behind())
		if !ok {
			last = t.behind()
		}
		t.top, t.skip, t.follow = last, 0, true
		return
	}
	if t.follow { // toEnd finds the place without drawing what has left the window
		return
	}
	t.skip = max(0, min(t.skip, t.rowHeight(t.top)-1))
}

// below counts the lines from the anchor on, as far as to know whether there are
// more than the window has. Nobody knows how many a page has that is not read:
// enough.
func (t *transcript) below() int {
	n := -t.skip
	for p, ok := t.top, true; ok && n <= t.height; p, ok = t.next(p) {
		if t.breaks(p) {
			return t.height + 1
		}
		n += t.rowHeight(p)
	}
	return n
}

// toEnd moves the anchor so that the last line stands at the window's end.
func (t *transcript) toEnd() {
	need := t.height
	at := t.behind()
	for {
		p, ok := t.prev(at)
		if !ok {
			break
		}
		at = p
		need -= t.rowHeight(p)
		if need <= 0 {
			t.top, t.skip = p, -need
			return
		}
		if t.unread(p) {
			break
		}
	}
	t.top, t.skip = at, 0
}
