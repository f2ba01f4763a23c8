package transcript

import (
	"slices"

	"agent/internal/tui/ink"
)

// Canvas is what an item is drawn for.
type Canvas struct {
	Styles *ink.Styles
	Width  int  // of the window; never less than 1
	frame  int  // of the spinner
	Full   bool // items show all they have, open or not
}

// Class sorts items for the space between them.
type Class int

const (
	Apart Class = iota // stands apart
	Prose              // so does an answer, whose lines come without their margin
	Steps              // tools and thinking stand close to each other
)

// Item is one entry of the transcript. It draws itself anew only after its row
// was touched, or for another width or look.
type Item interface {
	Class() Class
	// draw returns lines that are no wider than the window, those of prose with
	// room for the margin. None at all hides the item.
	Draw(c Canvas) []string
}

// Expander is an item that may have more to show than it does while closed.
type Expander interface {
	Item
	more() bool
	opened() bool
	setOpen(bool)
}

// Row keeps an item and what it looked like last.
type Row struct {
	Item
	at      int  // the number of the event that made it; of one that none made, how many came before
	end     int  // the number of the event that it ends with
	own     bool // no event made it: it is the screen's own
	version int
	Drawn   drawing
	Lines   []string
}

// drawing says what a row was last drawn for.
type drawing struct{ Version, width, look int }

// release gives up what the row looked like. It is drawn again where it is wanted.
func (r *Row) release() {
	r.Lines = nil
	r.Touch()
}

// tellsOf says which event the item tells of.
func (r *Row) tellsOf(at int) { r.at, r.end = at, at }

// Touch says that the item changed.
func (r *Row) Touch() { r.version++ }

// Position is a row among the pages.
type Position struct{ Page, row int }

// Transcript is the list of all that was said and done, of which a window is
// shown. While it follows, the window holds the end; otherwise it holds its
// place, whatever is added below.
//
// It is a list of pages, of which those far from the window may be unread.
type Transcript struct {
	Styles    *ink.Styles
	look      int        // counts changes of st
	OnAdd     func(Item) // hears of every item that is added, if it is set
	Pages     []*Page    // the first is what stands above the session, the last grows; both are always read
	PageLimit PageSize
	Settled   bool // the numbers of events are known; until then, the first one here is number 0
	turn      int  // the number of the prompt that began the last turn
	Frame     int
	openAll   bool
	fullView  bool // everything is shown uncut

	width, Height int
	Follow        bool
	Top           Position // the first line of the window: a row,
	skip          int      // and how many of its lines are above
	Bottom        Position // the last row in the window
	Owed          int      // lines that the window is still to move once more pages are read
	aim           *Target  // where it is to go once that page is read
	Window        []string
	Mark          SearchMark // where a search went to,
	Marked        int        // and the line of the window that it is, -1 if it is none
	cells         []lineAt   // where its lines come from
	Selection     Selection
}

func New(st *ink.Styles) *Transcript {
	return &Transcript{
		Styles: st, look: 1, Settled: true, Follow: true, width: 80, Height: 24, PageLimit: PageSize{64, 256 << 10},
		Pages: []*Page{{Read: true}, {Read: true}},
		Top:   Position{Page: 1},
	}
}

// Head appends an item to what stands above the session.
func (t *Transcript) Head(it Item) *Row {
	r := &Row{Item: it, at: -1, version: 1, own: true}
	t.Pages[0].add(r)
	return r
}

// Add appends an item of the screen's own.
func (t *Transcript) Add(it Item) *Row {
	r := t.put(it)
	r.at, r.own = t.Events(), true
	return r
}

// put appends an item that tells of the last event.
func (t *Transcript) put(it Item) *Row {
	if o, ok := it.(Expander); ok && t.openAll {
		o.setOpen(true)
	}
	r := &Row{Item: it, version: 1}
	r.tellsOf(t.Events() - 1)
	t.last().add(r)
	if t.OnAdd != nil {
		t.OnAdd(it)
	}
	return r
}

// putAfter puts an item that tells of the same as r below r.
func (t *Transcript) putAfter(r *Row, it Item) *Row {
	p := t.last()
	next := &Row{Item: it, version: 1, at: r.at, end: r.end}
	p.Rows = slices.Insert(p.Rows, slices.Index(p.Rows, r)+1, next)
	return next
}

// remove takes a row away, which is one of the last.
func (t *Transcript) remove(r *Row) { t.TakeOut(r, t.last()) }

// last is the page that grows.
func (t *Transcript) last() *Page { return t.Pages[len(t.Pages)-1] }

// Restyle draws everything anew with st.
func (t *Transcript) Restyle(st *ink.Styles) {
	t.Styles = st
	t.look++
}

// next returns the spot after p, if there is one.
func (t *Transcript) next(p Position) (Position, bool) {
	p.row++
	for p.row >= len(t.Pages[p.Page].Rows) {
		if p.Page == len(t.Pages)-1 {
			return p, false
		}
		p = Position{Page: p.Page + 1}
	}
	return p, true
}

// prev returns the spot before p, if there is one.
func (t *Transcript) prev(p Position) (Position, bool) {
	for p.row == 0 {
		if p.Page == 0 {
			return p, false
		}
		p.Page--
		p.row = len(t.Pages[p.Page].Rows)
	}
	p.row--
	return p, true
}

// near is p, or the first spot after it that there is a row at; the last one
// of all, if there is none.
func (t *Transcript) near(p Position) Position {
	if p.row < len(t.Pages[p.Page].Rows) {
		return p
	}
	next, ok := t.next(p)
	if !ok {
		next, _ = t.prev(t.behind())
	}
	return next
}

// behind is the spot behind the last row.
func (t *Transcript) behind() Position {
	return Position{len(t.Pages) - 1, len(t.last().Rows)}
}

// unread reports whether p stands for a page that is not read.
func (t *Transcript) unread(p Position) bool { return !t.Pages[p.Page].Read }

// lines returns how the row at p looks, with the blank line that sets it apart.
// Of pages that follow each other and are not read, the last tells of all.
func (t *Transcript) lines(p Position) (lines []string, gap int) {
	if t.unread(p) && !t.Pages[p.Page+1].Read {
		return nil, 0
	}
	r := t.Pages[p.Page].Rows[p.row]
	now := drawing{r.version, t.width, t.look}
	if r.Drawn != now {
		r.Lines = r.Draw(Canvas{Styles: t.Styles, Width: max(t.width, 1), frame: t.Frame, Full: t.fullView})
		r.Drawn = now
	}
	if len(r.Lines) == 0 {
		return nil, 0
	}
	if a, ok := r.Item.(*answer); ok && a.joins {
		return r.Lines, 0
	}
	if before, ok := t.prev(p); ok && !t.unread(p) && (r.Class() != Steps || t.Pages[before.Page].Rows[before.row].Class() != Steps) {
		gap = 1
	}
	return r.Lines, gap
}

func (t *Transcript) rowHeight(p Position) int {
	lines, gap := t.lines(p)
	return len(lines) + gap
}

// Layout fills the window of that size. Only the rows in it are drawn.
func (t *Transcript) Layout(width, height int) {
	t.fill(width, height)
	t.showSelection()
}

func (t *Transcript) fill(width, height int) {
	t.width, t.Height = width, max(height, 0)
	t.clamp()
	if !t.Follow && t.below() <= t.Height {
		t.Follow = true
	}
	if t.Follow {
		t.toEnd()
	}
	t.Window, t.cells, t.Marked = t.Window[:0], t.cells[:0], -1
	t.Bottom = t.Top
	if t.Top.row >= len(t.Pages[t.Top.Page].Rows) {
		return
	}
	for p, ok := t.Top, true; ok && len(t.Window) < t.Height; p, ok = t.next(p) {
		if !t.unread(p) {
			t.Bottom = p
		}
		t.show(p)
		if t.breaks(p) {
			return
		}
	}
}

// breaks reports whether nobody knows what follows what is shown at p: the end
// of pages that are not read, below some that are.
func (t *Transcript) breaks(p Position) bool {
	return t.unread(p) && !t.unread(t.Top) && t.Pages[p.Page+1].Read
}

// show adds the row at p to the window, as far as it fits.
func (t *Transcript) show(p Position) {
	lines, gap := t.lines(p)
	skip := 0
	if p == t.Top {
		skip = t.skip
	}
	if gap == 1 && skip == 0 {
		t.Window, t.cells = append(t.Window, ""), append(t.cells, lineAt{p, -1})
	}
	skip = min(len(lines), max(skip-gap, 0))
	lines = lines[skip:]
	r := t.Pages[p.Page].Rows[p.row]
	if at := len(t.Window) + t.Mark.line - skip; r == t.Mark.row && t.Mark.line >= skip && at < t.Height {
		t.Marked = at
	}
	indent := r.Class() == Prose
	for i, l := range lines[:max(0, min(len(lines), t.Height-len(t.Window)))] {
		if l != "" && indent {
			l = "  " + l
		}
		t.Window, t.cells = append(t.Window, l), append(t.cells, lineAt{p, skip + i})
	}
}

// clamp keeps the anchor within the rows, which may have become fewer or lower.
func (t *Transcript) clamp() {
	if t.Top.Page >= len(t.Pages) || t.Top.row >= len(t.Pages[t.Top.Page].Rows) {
		last, ok := t.prev(t.behind())
		if !ok {
			last = t.behind()
		}
		t.Top, t.skip, t.Follow = last, 0, true
		return
	}
	if t.Follow { // toEnd finds the place without drawing what has left the window
		return
	}
	t.skip = max(0, min(t.skip, t.rowHeight(t.Top)-1))
}

// below counts the lines from the anchor on, as far as to know whether there are
// more than the window has. Nobody knows how many a page has that is not read:
// enough.
func (t *Transcript) below() int {
	n := -t.skip
	for p, ok := t.Top, true; ok && n <= t.Height; p, ok = t.next(p) {
		if t.breaks(p) {
			return t.Height + 1
		}
		n += t.rowHeight(p)
	}
	return n
}

// toEnd moves the anchor so that the last line stands at the window's end.
func (t *Transcript) toEnd() {
	need := t.Height
	at := t.behind()
	for {
		p, ok := t.prev(at)
		if !ok {
			break
		}
		at = p
		need -= t.rowHeight(p)
		if need <= 0 {
			t.Top, t.skip = p, -need
			return
		}
		if t.unread(p) {
			break
		}
	}
	t.Top, t.skip = at, 0
}
