package transcript

import (
	"slices"

	"agent/internal/loop/event"
)

// Position identifies a row by page and index.
type Position struct{ Page, row int }

// pages holds the pages of a session. It maps events to pages and iterates over rows;
// it does not draw.
type pages struct {
	All     []*Page  // the first is above the session, the last grows; both are always in memory
	Limit   PageSize // the size from which on a new page may start
	Settled bool     // event numbers are final; before, the first shown event is number 0
	turn    int      // the event number of the prompt of the last turn
}

// last returns the page that grows.
func (l *pages) last() *Page { return l.All[len(l.All)-1] }

// Events returns the number of events of the session.
func (l *pages) Events() int { return l.last().to }

// row returns the row at p, which must exist.
func (l *pages) row(p Position) *Row { return l.All[p.Page].Rows[p.row] }

// exists reports whether there is a row at p.
func (l *pages) exists(p Position) bool {
	return p.Page < len(l.All) && p.row < len(l.All[p.Page].Rows)
}

// unread reports whether the page of p is not in memory.
func (l *pages) unread(p Position) bool { return !l.All[p.Page].Read }

// end returns the position after the last row.
func (l *pages) end() Position { return Position{len(l.All) - 1, len(l.last().Rows)} }

// next returns the position of the next row. ok is false if there is none.
func (l *pages) next(p Position) (Position, bool) {
	p.row++
	for p.row >= len(l.All[p.Page].Rows) {
		if p.Page == len(l.All)-1 {
			return p, false
		}
		p = Position{Page: p.Page + 1}
	}
	return p, true
}

// prev returns the position of the previous row. ok is false if there is none.
func (l *pages) prev(p Position) (Position, bool) {
	for p.row == 0 {
		if p.Page == 0 {
			return p, false
		}
		p.Page--
		p.row = len(l.All[p.Page].Rows)
	}
	p.row--
	return p, true
}

// nearest returns the first position at or after p that has a row, or else the last one.
func (l *pages) nearest(p Position) Position {
	if l.exists(p) {
		return p
	}
	next, ok := l.next(p)
	if !ok {
		next, _ = l.prev(l.end())
	}
	return next
}

// find returns the position of a row, if it is in memory.
func (l *pages) find(r *Row) (Position, bool) {
	for i, p := range l.All {
		if at := slices.Index(p.Rows, r); r != nil && at >= 0 {
			return Position{i, at}, true
		}
	}
	return Position{}, false
}

// pageOf returns the index of the page of an event, or of the nearest page.
func (l *pages) pageOf(at int) int {
	for i := len(l.All) - 1; i > 1; i-- {
		if at >= l.All[i].from {
			return i
		}
	}
	return 1
}

// count adds an event of that size to the last page.
func (l *pages) count(bytes int) {
	p := l.last()
	p.to++
	p.bytes += bytes
}

// split starts a new page with the next event if the last page is full. inTurn says
// that the event continues a turn.
func (l *pages) split(inTurn bool) {
	p := l.last()
	if p.to-p.from < l.Limit.Events && p.bytes < l.Limit.Bytes {
		return
	}
	turn := p.to
	if inTurn {
		turn = l.turn
	}
	l.All = append(l.All, newPage(p.to, turn))
}

// insertAfter inserts an item of the same event after r, a row of the last page.
func (l *pages) insertAfter(r *Row, it Item) *Row {
	p := l.last()
	next := &Row{Item: it, version: 1, at: r.at, end: r.end}
	p.Rows = slices.Insert(p.Rows, slices.Index(p.Rows, r)+1, next)
	return next
}

// insertUnread inserts the pages before the events shown so far and returns their
// number.
func (l *pages) insertUnread(s event.Opened) int {
	l.Settled = true
	before := max(s.Events-l.Events(), 0)
	for _, p := range l.All[1:] {
		p.shift(before)
	}
	l.turn += before
	pages := unreadPages(before, s, l.Limit.Events)
	l.All = slices.Insert(l.All, 1, pages...)
	return len(pages)
}

// unreadPages returns the pages of a session's first events.
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

// truncate removes the events from number keep on.
func (l *pages) truncate(keep int) {
	i := l.pageOf(keep)
	p := l.All[i]
	l.All = l.All[:i+1]
	if p.Read {
		p.truncate(keep)
		return
	}
	own := slices.DeleteFunc(p.own, func(r ownRow) bool { return r.at > keep })
	last := newPage(keep, keep)
	if p.from == keep {
		for _, r := range own {
			last.add(r.Row)
		}
		l.All[i] = last
		return
	}
	l.All[i] = unreadPage(p.from, keep, p.turn) // a new page, because a command may be reading p
	l.All[i].own, l.All[i].toggled = own, p.toggled
	l.All = append(l.All, last)
}
