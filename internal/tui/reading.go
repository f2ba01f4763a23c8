package tui

import (
	"math"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
)

// pageRead brings the events of a page.
type pageRead struct {
	page    *leaf
	events  []event.Event
	changed tally // by the turn that goes on in it, until it begins
	err     error
}

// readPage returns the command that reads a page.
func readPage(read func(from, to int) ([]event.Event, error), p *leaf, size int) tea.Cmd {
	from, to, turn := p.from, p.to, p.turn
	return func() tea.Msg {
		r := pageRead{page: p, changed: tally{}}
		r.events, r.err = read(from, to)
		if !endsTurn(r.events) {
			return r
		}
		for at := turn; at < from && r.err == nil; at += size {
			var before []event.Event
			before, r.err = read(at, min(at+size, from))
			for _, ev := range before {
				r.changed.take(ev)
			}
		}
		return r
	}
}

// endsTurn reports whether events end a turn that they do not begin.
func endsTurn(events []event.Event) bool {
	for _, ev := range events {
		switch ev := ev.(type) {
		case *event.UserSaid:
			if !ev.Steered {
				return false
			}
		case *event.TurnEnd:
			return true
		}
	}
	return false
}

// turnPages drops the pages that are far from the window, and returns the
// command that reads those that it is near to, and what else is to be read.
func (m *model) turnPages() tea.Cmd {
	if m.o.Page == nil || !m.list.settled {
		return nil
	}
	var cmds []tea.Cmd
	for _, p := range m.list.wanted() {
		p.asked = true
		cmds = append(cmds, readPage(m.o.Page, p, m.list.full.events))
	}
	cmds = append(cmds, m.recalls)
	m.recalls = nil
	m.list.drop()
	return tea.Batch(cmds...)
}

// around are the pages that the window shows, and n more on either side.
func (t *transcript) around(n int) (from, to int) {
	return max(t.top.page-n, 1), min(max(t.top.page, t.bottom.page)+n, len(t.pages)-1)
}

// wanted are the pages to read: a page ahead of the window, and where it is to
// go.
func (t *transcript) wanted() []*leaf {
	var out []*leaf
	want := func(p *leaf) {
		if !p.read && !p.asked && p.fault == nil {
			out = append(out, p)
		}
	}
	if t.aim != nil {
		want(t.pages[t.pageOf(t.aim.at)])
	}
	from, to := t.around(1)
	for _, p := range t.pages[from : to+1] {
		if !slices.Contains(out, p) {
			want(p)
		}
	}
	return out
}

// drop forgets the pages that are far from the window. The last ones stay, to
// have a window full of them at once.
func (t *transcript) drop() {
	from, to := t.around(2)
	for i, p := range t.pages {
		switch {
		case i == 0 || from <= i && i <= to:
		case p.fault != nil: // the next time it may be read
			p.fault = nil
			p.rows[0].touch()
		case p.read && i < len(t.pages)-2:
			p.forget(t.openAll)
		}
	}
}

// turnedPage takes a page that was read.
func (t *transcript) turnedPage(r pageRead, now func() time.Time) {
	i := slices.Index(t.pages, r.page)
	if i < 0 || r.page.read {
		return
	}
	p := r.page
	p.asked = false
	if p.fault = r.err; r.err != nil {
		p.rows[0].touch()
		if t.aim != nil && t.pageOf(t.aim.at) == i {
			t.aim = nil
		}
		return
	}
	fromAbove := t.pages[i-1].read && !t.pages[i+1].read
	next := t.near(spot{page: i + 1})
	_, gap := t.lines(next)
	t.draw(p, r, now)
	_, left := t.lines(next)
	switch {
	case t.top.page == i && fromAbove:
		t.top, t.skip = t.near(spot{page: i}), 0
	case t.top.page == i: // what is below the line that stood for the page stays where it is
		t.top, t.skip = next, left-1-gap
	case t.top == next:
		t.skip -= gap - left
	}
	t.skip, t.owed = t.skip+t.owed, 0
	t.scrollUp()
	t.scrollDown()
	t.reach()
}

// draw makes the rows of a page from its events.
func (t *transcript) draw(p *leaf, r pageRead, now func() time.Time) {
	alone := newTranscript(t.st)
	alone.openAll, alone.full = t.openAll, pageSize{math.MaxInt, math.MaxInt}
	alone.pages[1] = p
	to := p.to
	p.rows, p.read, p.to, p.bytes = nil, true, p.from, 0
	f := newFeed(alone, now)
	f.files = r.changed
	for _, ev := range r.events {
		f.apply(ev)
	}
	if f.typed != nil { // how it ended is told on another page, with all of it
		p.remove(f.typed)
		f.typed = nil
	}
	f.resumed()
	for _, r := range p.own {
		p.rows = append(p.rows, r.row)
	}
	p.own, p.to = nil, to
	for _, i := range p.other {
		if i < len(p.rows) {
			if o, ok := p.rows[i].item.(opener); ok {
				o.setOpen(!t.openAll)
			}
		}
	}
	p.other = nil
}
