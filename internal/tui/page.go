package tui

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// pageSize is how much a page has before the next one may begin.
type pageSize struct{ events, bytes int }

// leaf is a page of the transcript: a stretch of the session, which is drawn
// from its events alone. It begins with a prompt that begins a turn, or after a
// step. One that is not read has a single row, which stands for all of it.
type leaf struct {
	from, to int // the numbers of its events
	turn     int // the number of the prompt whose turn goes on in it, or from
	bytes    int // about; as far as it grew on the screen
	rows     []*row

	read  bool
	asked bool  // somebody reads it
	fault error // why it cannot be read

	own   []ownRow // of a page that is not read: the rows that no event makes
	other []int    // and those that are open while others are closed, or the other way round
}

// ownRow is a row that no event makes, and its place among the others.
type ownRow struct {
	*row
	index int
}

func unreadPage(from, to, turn int) *leaf {
	p := &leaf{from: from, to: to, turn: turn}
	p.forget(false)
	return p
}

// add appends a row, after those of the screen's own that belong before it.
func (p *leaf) add(r *row) {
	for len(p.own) > 0 && p.own[0].index <= len(p.rows) {
		p.rows = append(p.rows, p.own[0].row)
		p.own = p.own[1:]
	}
	p.rows = append(p.rows, r)
}

// remove takes a row away, which is one of the last.
func (p *leaf) remove(r *row) {
	for i := len(p.rows) - 1; i >= 0; i-- {
		if p.rows[i] == r {
			p.rows = slices.Delete(p.rows, i, i+1)
			return
		}
	}
}

// forget drops what the page's events tell. It can be read again. All items
// are open as a rule, or closed.
func (p *leaf) forget(open bool) {
	p.own, p.other = nil, nil
	for i, r := range p.rows {
		if r.own {
			r.lines, r.drawn.version = nil, 0
			p.own = append(p.own, ownRow{r, i})
		} else if o, ok := r.item.(opener); ok && o.opened() != open {
			p.other = append(p.other, i)
		}
	}
	p.read, p.asked = false, false
	p.rows = []*row{{item: &unread{p}, version: 1, at: p.from}}
}

// cut takes away what events from number keep on told, and what the screen said
// after them.
func (p *leaf) cut(keep int) {
	p.rows = slices.DeleteFunc(p.rows, func(r *row) bool { return r.at >= keep && (!r.own || r.at > keep) })
	p.to = keep
}

// unread stands for pages that are not read.
type unread struct{ page *leaf }

func (u *unread) class() class { return said }

func (u *unread) draw(c canvas) []string {
	text := "…"
	if u.page.fault != nil {
		text = "… this part of the session cannot be read: " + ink.SanitizeLine(u.page.fault.Error())
	}
	return ink.Hang(" ", []string{c.st.Dim.Render(ink.Truncate(text, c.inner()))})
}

// events is how many the session has.
func (t *transcript) events() int { return t.last().to }

// count takes note of the next event, of so many bytes.
func (t *transcript) count(bytes int) {
	p := t.last()
	p.to++
	p.bytes += bytes
}

// pageOf is the index of the page that has the event of that number, or the
// nearest one.
func (t *transcript) pageOf(at int) int {
	for i := len(t.pages) - 1; i > 1; i-- {
		if at >= t.pages[i].from {
			return i
		}
	}
	return 1
}

// bound says that a page may begin with the next event, of a turn that goes on
// or not.
func (t *transcript) bound(inTurn bool) {
	p := t.last()
	if p.to-p.from < t.full.events && p.bytes < t.full.bytes {
		return
	}
	next := &leaf{from: p.to, to: p.to, turn: p.to, read: true}
	if inTurn {
		next.turn = t.turn
	}
	t.pages = append(t.pages, next)
}

// carry moves a row from the page before the last one to the last. What the
// window shows stays, as far as it is not that row.
func (t *transcript) carry(r *row, from *leaf) {
	t.takeOut(r, from)
	t.last().rows = append(t.last().rows, r)
	t.top = t.near(t.top)
}

// takeOut takes a row away from a page, without moving what the window shows
// below it.
func (t *transcript) takeOut(r *row, p *leaf) {
	n := slices.Index(p.rows, r)
	p.remove(r)
	if n >= 0 && t.pages[t.top.page] == p && t.top.row > n {
		t.top.row--
	}
}

// carried reports whether a row of the last page began before it.
func (t *transcript) carried(r *row) bool { return r.at < t.last().from }

// survey takes what lies before the session's last events, which are all that is
// known so far.
func (t *transcript) survey(s event.Opened) {
	t.settled = true
	before := max(s.Events-t.events(), 0)
	for _, p := range t.pages[1:] {
		p.shift(before)
	}
	t.turn += before
	pages := unreadPages(before, s, t.full.events)
	above := 0 // lines of the window that show what stands above the session
	if t.top.page == 0 && !t.follow {
		above = -t.skip
		for p, ok := t.top, true; ok && p.page == 0; p, ok = t.next(p) {
			above += t.rowHeight(p)
		}
	}
	t.pages = slices.Insert(t.pages, 1, pages...)
	if t.top.page > 0 || above > 0 && len(pages) > 0 {
		t.top.page += len(pages)
	}
	if above > 0 && len(pages) > 0 && t.aim == nil {
		t.top, t.skip = t.near(spot{page: 1 + len(pages)}), -above
		t.scrollUp()
	}
	t.reach()
}

// unreadPages are the pages of a session's first events.
func unreadPages(events int, s event.Opened, size int) []*leaf {
	var pages []*leaf
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

// rewind takes away what was told from event number keep on.
func (t *transcript) rewind(keep int) {
	i := t.pageOf(keep)
	p := t.pages[i]
	t.pages = t.pages[:i+1]
	t.aim, t.owed = nil, 0
	if p.read {
		p.cut(keep)
		return
	}
	own := slices.DeleteFunc(p.own, func(r ownRow) bool { return r.at > keep })
	last := &leaf{from: keep, to: keep, turn: keep, read: true}
	if p.from == keep {
		for _, r := range own {
			last.add(r.row)
		}
		t.pages[i] = last
		return
	}
	t.pages[i] = unreadPage(p.from, keep, p.turn) // not p itself, which may be under way
	t.pages[i].own, t.pages[i].other = own, p.other
	t.pages = append(t.pages, last)
}

// shift moves the page's numbers by n.
func (p *leaf) shift(n int) {
	p.from, p.to, p.turn = p.from+n, p.to+n, p.turn+n
	for _, r := range p.rows {
		r.at, r.end = r.at+n, r.end+n
	}
}
