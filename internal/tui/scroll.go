package tui

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// aim is an event that the window is to go to.
type aim struct {
	at   int
	home bool      // the beginning of everything, rather
	find ink.Query // what is found there, if anything
	last bool      // the last of it
}

// scroll moves the window by n lines, up if n is negative. Reaching the end
// follows it. Where it meets a page that is not read, it goes on once it is.
func (t *transcript) scroll(n int) {
	t.owed, t.aim = 0, nil
	if t.top.row >= len(t.pages[t.top.page].rows) {
		return
	}
	t.skip += n
	if n < 0 {
		t.follow = false
	}
	t.scrollUp()
	t.scrollDown()
}

// scrollUp moves the anchor up until it is a line of its row.
func (t *transcript) scrollUp() {
	for t.skip < 0 {
		p, ok := t.prev(t.top)
		switch {
		case t.unread(t.top):
			t.owed, t.skip = t.skip, 0
		case !ok:
			t.skip = 0
		default:
			t.top = p
			t.skip += t.rowHeight(p)
		}
	}
}

// scrollDown moves the anchor down until it is a line of its row, or the row is
// the last.
func (t *transcript) scrollDown() {
	for {
		p, ok := t.next(t.top)
		h := t.rowHeight(t.top)
		if !ok || t.skip < h {
			return
		}
		if t.unread(p) && !t.unread(t.top) {
			last := max(h-1, 0)
			t.owed, t.skip = t.skip-last, last
			return
		}
		t.top, t.skip = p, t.skip-h
	}
}

// home shows the beginning.
func (t *transcript) home() { t.seek(aim{home: true}) }

// end shows the end, and follows it.
func (t *transcript) end() { t.owed, t.aim, t.follow = 0, nil, true }

// seek moves the window to an event, once its page is read.
func (t *transcript) seek(to aim) {
	t.owed, t.aim = 0, &to
	t.reach()
}

// reach moves the window to where it is to go, if that can be shown.
func (t *transcript) reach() {
	if t.aim == nil {
		return
	}
	to := *t.aim
	i := t.pageOf(to.at)
	if !t.pages[i].read || to.home && !t.settled {
		return
	}
	t.aim, t.follow = nil, false
	if to.find.Text != "" {
		t.reveal(i, to)
		return
	}
	t.skip = 0
	if to.home {
		t.top = t.near(spot{})
		return
	}
	p := spot{page: i}
	for r, each := range t.pages[i].rows {
		if each.at > to.at || each.own {
			continue
		}
		if p.row = r; each.at == to.at {
			break
		}
	}
	t.top = t.near(p)
	if t.top.row < len(t.pages[t.top.page].rows) {
		_, t.skip = t.lines(t.top)
	}
}

// number is the event that the first line of the window tells of, and whether
// that line is not the first of what it tells.
func (t *transcript) number() (at int, within bool) {
	p := t.pages[t.top.page]
	if !p.read || t.top.row >= len(p.rows) {
		return p.to, false
	}
	_, gap := t.lines(t.top)
	return p.rows[t.top.row].at, t.skip > gap
}

// jump moves the window to the prompt above its first line, or to the next one
// below; after the last one comes the end.
func (m *model) jump(back bool) {
	at, within := m.list.number()
	prompts := m.feed.said
	n, _ := slices.BinarySearchFunc(prompts, at, func(s event.PastPrompt, at int) int { return s.At - at })
	switch {
	case back && within && n < len(prompts) && prompts[n].At == at:
		m.list.seek(aim{at: at})
	case back && n > 0:
		m.list.seek(aim{at: prompts[n-1].At})
	case back:
		m.list.home()
	default:
		if n < len(prompts) && prompts[n].At == at {
			n++
		}
		if n == len(prompts) {
			m.list.end()
			return
		}
		m.list.seek(aim{at: prompts[n].At})
	}
}

// toggle opens or closes the last item in or above the window that can be.
func (t *transcript) toggle() {
	for p, ok := t.bottom, t.bottom.row < len(t.pages[t.bottom.page].rows); ok && !t.unread(p); p, ok = t.prev(p) {
		r := t.pages[p.page].rows[p.row]
		o, is := r.item.(opener)
		if !is || t.rowHeight(p) == 0 || !o.more() {
			continue
		}
		t.flip(r)
		return
	}
}

// toggleAll opens all items, and those to come, or closes them.
func (t *transcript) toggleAll() {
	t.openAll = !t.openAll
	for _, p := range t.pages {
		p.other = nil
		for _, r := range p.rows {
			if o, ok := r.item.(opener); ok {
				o.setOpen(t.openAll)
				r.touch()
			}
		}
	}
}
