package transcript

import (
	"slices"

	"agent/internal/tui/ink"
)

// Row holds an item and its cached drawing.
type Row struct {
	Item
	at      int  // the number of the event that made it; if own, of the next event
	end     int  // the number of its last event
	own     bool // made by the screen, not by an event
	version int
	Drawn   drawing // identifies the drawing in Lines
	Lines   []string
}

// drawing identifies a drawing of a row.
type drawing struct{ Version, width, look int }

// Touch marks the row as changed.
func (r *Row) Touch() { r.version++ }

// release drops the cached lines of the row.
func (r *Row) release() {
	r.Lines = nil
	r.Touch()
}

// setEvent sets the event of the row.
func (r *Row) setEvent(at int) { r.at, r.end = at, at }

// shows reports whether the row shows event number at.
func (r *Row) shows(at int) bool { return !r.own && (r.at == at || r.end == at) }

// PageSize is the size from which on a new page may start.
type PageSize struct{ Events, Bytes int }

// Page is a range of the session's events and their rows. It starts with the prompt of
// a turn, or after a step. A page that is not in memory has a single row as a
// placeholder.
type Page struct {
	from, to int // the numbers of its events
	turn     int // the event number of the prompt of the turn in which it starts
	bytes    int // approximate size of the events that were added live
	Rows     []*Row

	Read  bool  // the page is in memory
	asked bool  // a command is reading it
	fault error // the last error of reading it

	own     []ownRow // rows made by the screen, while the page is not in memory
	toggled []int    // rows toggled by the user, while the page is not in memory
}

// ownRow is a row made by the screen and its index in its page.
type ownRow struct {
	*Row
	index int
}

// newPage returns an empty page that starts at event number from.
func newPage(from, turn int) *Page { return &Page{from: from, to: from, turn: turn, Read: true} }

func unreadPage(from, to, turn int) *Page {
	p := &Page{from: from, to: to, turn: turn}
	p.drop(false)
	return p
}

// add appends a row, after the rows of own that belong before it.
func (p *Page) add(r *Row) {
	for len(p.own) > 0 && p.own[0].index <= len(p.Rows) {
		p.Rows = append(p.Rows, p.own[0].Row)
		p.own = p.own[1:]
	}
	p.Rows = append(p.Rows, r)
}

// drop removes the rows that can be read again. open says whether items are expanded by default.
func (p *Page) drop(open bool) {
	p.own, p.toggled = nil, nil
	for i, r := range p.Rows {
		if r.own {
			r.Lines, r.Drawn.Version = nil, 0
			p.own = append(p.own, ownRow{r, i})
		} else if o, ok := r.Item.(Expander); ok && *o.open() != open {
			p.toggled = append(p.toggled, i)
		}
	}
	p.Read, p.asked = false, false
	p.Rows = []*Row{{Item: &unread{p}, version: 1, at: p.from}}
}

// truncate removes the events from number keep on, and the own rows after them.
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

// unread is the placeholder item of a page that is not in memory.
type unread struct{ page *Page }

// Draw implements Item.
func (u *unread) Draw(c Canvas) []string {
	text := "…"
	if u.page.fault != nil {
		text = "… this part of the session cannot be read: " + ink.SanitizeLine(u.page.fault.Error())
	}
	return ink.Hang(" ", []string{c.Styles.Dim.Render(ink.Truncate(text, c.Inner()))})
}
