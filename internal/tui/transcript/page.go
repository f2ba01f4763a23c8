package transcript

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// PageSize is how much a page has before the next one may begin.
type PageSize struct{ Events, Bytes int }

// Page is a page of the transcript: a stretch of the session, which is drawn
// from its events alone. It begins with a prompt that begins a turn, or after a
// step. One that is not read has a single row, which stands for all of it.
type Page struct {
	from, to int // the numbers of its events
	turn     int // the number of the prompt whose turn goes on in it, or from
	bytes    int // about; as far as it grew on the screen
	Rows     []*Row

	Read  bool
	Asked bool  // somebody reads it
	fault error // why it cannot be read

	own   []ownRow // of a page that is not read: the rows that no event makes
	other []int    // and those that are open while others are closed, or the other way round
}

// ownRow is a row that no event makes, and its place among the others.
type ownRow struct {
	*Row
	index int
}

func unreadPage(from, to, turn int) *Page {
	p := &Page{from: from, to: to, turn: turn}
	p.forget(false)
	return p
}

// add appends a row, after those of the screen's own that belong before it.
func (p *Page) add(r *Row) {
	for len(p.own) > 0 && p.own[0].index <= len(p.Rows) {
		p.Rows = append(p.Rows, p.own[0].Row)
		p.own = p.own[1:]
	}
	p.Rows = append(p.Rows, r)
}

// remove takes a row away, which is one of the last.
func (p *Page) remove(r *Row) {
	for i := len(p.Rows) - 1; i >= 0; i-- {
		if p.Rows[i] == r {
			p.Rows = slices.Delete(p.Rows, i, i+1)
			return
		}
	}
}

// forget drops what the page's events tell. It can be read again. All items
// are open as a rule, or closed.
func (p *Page) forget(open bool) {
	p.own, p.other = nil, nil
	for i, r := range p.Rows {
		if r.own {
			r.Lines, r.Drawn.Version = nil, 0
			p.own = append(p.own, ownRow{r, i})
		} else if o, ok := r.Item.(Expander); ok && o.opened() != open {
			p.other = append(p.other, i)
		}
	}
	p.Read, p.Asked = false, false
	p.Rows = []*Row{{Item: &unread{p}, version: 1, at: p.from}}
}

// cut takes away what events from number keep on told, and what the screen said
// after them.
func (p *Page) cut(keep int) {
	p.Rows = slices.DeleteFunc(p.Rows, func(r *Row) bool { return r.at >= keep && (!r.own || r.at > keep) })
	p.to = keep
}

// unread stands for pages that are not read.
type unread struct{ page *Page }

func (u *unread) Class() Class { return Apart }

func (u *unread) Draw(c Canvas) []string {
	text := "…"
	if u.page.fault != nil {
		text = "… this part of the session cannot be read: " + ink.SanitizeLine(u.page.fault.Error())
	}
	return ink.Hang(" ", []string{c.Styles.Dim.Render(ink.Truncate(text, c.Inner()))})
}

// Events is how many the session has.
func (t *Transcript) Events() int { return t.last().to }

// count takes note of the next event, of so many bytes.
func (t *Transcript) count(bytes int) {
	p := t.last()
	p.to++
	p.bytes += bytes
}

// pageOf is the index of the page that has the event of that number, or the
// nearest one.
func (t *Transcript) pageOf(at int) int {
	for i := len(t.Pages) - 1; i > 1; i-- {
		if at >= t.Pages[i].from {
			return i
		}
	}
	return 1
}

// bound says that a page may begin with the next event, of a turn that goes on
// or not.
func (t *Transcript) bound(inTurn bool) {
	p := t.last()
	if p.to-p.from < t.PageLimit.Events && p.bytes < t.PageLimit.Bytes {
		return
	}
	next := &Page{from: p.to, to: p.to, turn: p.to, Read: true}
	if inTurn {
		next.turn = t.turn
	}
	t.Pages = append(t.Pages, next)
}

// carry moves a row from the page before the last one to the last. What the
// window shows stays, as far as it is not that row.
func (t *Transcript) carry(r *Row, from *Page) {
	t.TakeOut(r, from)
	t.last().Rows = append(t.last().Rows, r)
	t.Top = t.near(t.Top)
}

// TakeOut takes a row away from a page, without moving what the window shows
// below it.
func (t *Transcript) TakeOut(r *Row, p *Page) {
	n := slices.Index(p.Rows, r)
	p.remove(r)
	if n >= 0 && t.Pages[t.Top.Page] == p && t.Top.row > n {
		t.Top.row--
	}
}

// carried reports whether a row of the last page began before it.
func (t *Transcript) carried(r *Row) bool { return r.at < t.last().from }

// Survey takes what lies before the session's last events, which are all that is
// known so far.
func (t *Transcript) Survey(s event.Opened) {
	t.Settled = true
	before := max(s.Events-t.Events(), 0)
	for _, p := range t.Pages[1:] {
		p.shift(before)
	}
	t.turn += before
	pages := unreadPages(before, s, t.PageLimit.Events)
	above := 0 // lines of the window that show what stands above the session
	if t.Top.Page == 0 && !t.Follow {
		above = -t.skip
		for p, ok := t.Top, true; ok && p.Page == 0; p, ok = t.next(p) {
			above += t.rowHeight(p)
		}
	}
	t.Pages = slices.Insert(t.Pages, 1, pages...)
	if t.Top.Page > 0 || above > 0 && len(pages) > 0 {
		t.Top.Page += len(pages)
	}
	if above > 0 && len(pages) > 0 && t.aim == nil {
		t.Top, t.skip = t.near(Position{Page: 1 + len(pages)}), -above
		t.scrollUp()
	}
	t.ReachTarget()
}

// unreadPages are the pages of a session's first events.
func unreadPages(events int, s event.Opened, size int) []*Page {
	var pages []*Page
	from, turn, next := 0, 0, 0
	add := func(to int) {
		for ; next < len(s.Prompts) && s.Prompts[next].At <= from; next++ {
			if !s.Prompts[next].Steered {
				turn = s.Prompts[next].At
			}
		}
		pages = append(pages, unreadPage(from, to, turn))
		from = to
	}
	for _, b := range s.Bounds {
		if b < events && b-from >= size {
			add(b)
		}
	}
	if from < events {
		add(events)
	}
	return pages
}

// Rewind takes away what was told from event number keep on.
func (t *Transcript) Rewind(keep int) {
	i := t.pageOf(keep)
	p := t.Pages[i]
	t.Pages = t.Pages[:i+1]
	t.aim, t.Owed = nil, 0
	if p.Read {
		p.cut(keep)
		return
	}
	own := slices.DeleteFunc(p.own, func(r ownRow) bool { return r.at > keep })
	last := &Page{from: keep, to: keep, turn: keep, Read: true}
	if p.from == keep {
		for _, r := range own {
			last.add(r.Row)
		}
		t.Pages[i] = last
		return
	}
	t.Pages[i] = unreadPage(p.from, keep, p.turn) // not p itself, which may be under way
	t.Pages[i].own, t.Pages[i].other = own, p.other
	t.Pages = append(t.Pages, last)
}

// shift moves the page's numbers by n.
func (p *Page) shift(n int) {
	p.from, p.to, p.turn = p.from+n, p.to+n, p.turn+n
	for _, r := range p.Rows {
		r.at, r.end = r.at+n, r.end+n
	}
}
