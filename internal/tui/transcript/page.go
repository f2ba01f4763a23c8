package transcript

import (
	"slices"

	"agent/internal/tui/ink"
)

// Row holds an item and its last drawing.
type Row struct {
	Item
	at      int  // the number of the event that made it, or of the next event for a row of the screen
	end     int  // the number of the event that it ends with
	own     bool // the screen made it, not an event
	version int
	Drawn   drawing // what Lines was drawn for
	Lines   []string
}

// drawing identifies a drawing of a row.
type drawing struct{ Version, width, look int }

// Touch marks the row as changed.
func (r *Row) Touch() { r.version++ }

// release drops the lines of the row, which is drawn again when it is needed.
func (r *Row) release() {
	r.Lines = nil
	r.Touch()
}

// setEvent sets the event that the row shows.
func (r *Row) setEvent(at int) { r.at, r.end = at, at }

// shows reports whether the row shows event number at.
func (r *Row) shows(at int) bool { return !r.own && (r.at == at || r.end == at) }

// PageSize is what a page holds before the next one may begin.
type PageSize struct{ Events, Bytes int }

// Page is a stretch of the session, which is drawn from its events alone. It
// begins with a prompt that begins a turn, or after a step. A page that is not
// read has a single row, which stands for all of it.
type Page struct {
	from, to int // the numbers of its events
	turn     int // the number of the prompt of the turn that its first event belongs to
	bytes    int // approximate, and only as far as the page grew on the screen
	Rows     []*Row

	Read  bool  // Rows are those of its events
	asked bool  // a command reads it
	fault error // why it cannot be read

	own     []ownRow // rows of the screen, while the page is not read
	toggled []int    // rows that are opened or closed unlike the others, while the page is not read
}

// ownRow is a row of the screen and its index among the rows of its page.
type ownRow struct {
	*Row
	index int
}

// newPage returns a page that begins at an event and has none yet.
func newPage(from, turn int) *Page { return &Page{from: from, to: from, turn: turn, Read: true} }

func unreadPage(from, to, turn int) *Page {
	p := &Page{from: from, to: to, turn: turn}
	p.drop(false)
	return p
}

// add appends a row, after the rows of the screen that belong before it.
func (p *Page) add(r *Row) {
	for len(p.own) > 0 && p.own[0].index <= len(p.Rows) {
		p.Rows = append(p.Rows, p.own[0].Row)
		p.own = p.own[1:]
	}
	p.Rows = append(p.Rows, r)
}

// index returns the index of a row, negative if the page does not have it. It
// looks at the newest rows first.
func (p *Page) index(r *Row) int {
	for i, each := range slices.Backward(p.Rows) {
		if each == r {
			return i
		}
	}
	return -1
}

// drop forgets what the page can read again. Items are open by default or closed.
func (p *Page) drop(open bool) {
	p.own, p.toggled = nil, nil
	for i, r := range p.Rows {
		if r.own {
			r.Lines, r.Drawn.Version = nil, 0
			p.own = append(p.own, ownRow{r, i})
		} else if o, ok := r.Item.(Expander); ok && o.opened() != open {
			p.toggled = append(p.toggled, i)
		}
	}
	p.Read, p.asked = false, false
	p.Rows = []*Row{{Item: &unread{p}, version: 1, at: p.from}}
}

// truncate removes the events from number keep on, and the rows that the screen
// added after them.
func (p *Page) truncate(keep int) {
	p.Rows = slices.DeleteFunc(p.Rows, func(r *Row) bool { return r.at >= keep && (!r.own || r.at > keep) })
	p.to = keep
}

// shift adds n to the numbers of the page's events.
func (p *Page) shift(n int) {
	p.from, p.to, p.turn = p.from+n, p.to+n, p.turn+n
	for _, r := range p.Rows {
		r.at, r.end = r.at+n, r.end+n
	}
}

// unread is the item that stands for pages that are not read.
type unread struct{ page *Page }

// Draw implements Item.
func (u *unread) Draw(c Canvas) []string {
	text := "…"
	if u.page.fault != nil {
		text = "… this part of the session cannot be read: " + ink.SanitizeLine(u.page.fault.Error())
	}
	return ink.Hang(" ", []string{c.Styles.Dim.Render(ink.Truncate(text, c.Inner()))})
}
