package transcript

import (
	"agent/internal/tui/ink"
)

// Target is an event that the window is to go to.
type Target struct {
	At   int
	home bool      // the beginning of everything, rather
	Find ink.Query // what is found there, if anything
	Last bool      // the last of it
}

// Scroll moves the window by n lines, up if n is negative. Reaching the end
// follows it. Where it meets a page that is not read, it goes on once it is.
func (t *Transcript) Scroll(n int) {
	t.Owed, t.aim = 0, nil
	if t.Top.row >= len(t.Pages[t.Top.Page].Rows) {
		return
	}
	t.skip += n
	if n < 0 {
		t.Follow = false
	}
	t.scrollUp()
	t.scrollDown()
}

// scrollUp moves the anchor up until it is a line of its row.
func (t *Transcript) scrollUp() {
	for t.skip < 0 {
		p, ok := t.prev(t.Top)
		switch {
		case t.unread(t.Top):
			t.Owed, t.skip = t.skip, 0
		case !ok:
			t.skip = 0
		default:
			t.Top = p
			t.skip += t.rowHeight(p)
		}
	}
}

// scrollDown moves the anchor down until it is a line of its row, or the row is
// the last.
func (t *Transcript) scrollDown() {
	for {
		p, ok := t.next(t.Top)
		h := t.rowHeight(t.Top)
		if !ok || t.skip < h {
			return
		}
		if t.unread(p) && !t.unread(t.Top) {
			last := max(h-1, 0)
			t.Owed, t.skip = t.skip-last, last
			return
		}
		t.Top, t.skip = p, t.skip-h
	}
}

// ShowStart shows the beginning.
func (t *Transcript) ShowStart() { t.Seek(Target{home: true}) }

// ShowEnd shows the end, and follows it.
func (t *Transcript) ShowEnd() { t.Owed, t.aim, t.Follow = 0, nil, true }

// Seek moves the window to an event, once its page is read.
func (t *Transcript) Seek(to Target) {
	t.Owed, t.aim = 0, &to
	t.ReachTarget()
}

// ReachTarget moves the window to where it is to go, if that can be shown.
func (t *Transcript) ReachTarget() {
	if t.aim == nil {
		return
	}
	to := *t.aim
	i := t.pageOf(to.At)
	if !t.Pages[i].Read || to.home && !t.Settled {
		return
	}
	t.aim, t.Follow = nil, false
	if to.Find.Text != "" {
		t.reveal(i, to)
		return
	}
	t.skip = 0
	if to.home {
		t.Top = t.near(Position{})
		return
	}
	p := Position{Page: i}
	for r, each := range t.Pages[i].Rows {
		if each.at > to.At || each.own {
			continue
		}
		if p.row = r; each.at == to.At {
			break
		}
	}
	t.Top = t.near(p)
	if t.Top.row < len(t.Pages[t.Top.Page].Rows) {
		_, t.skip = t.lines(t.Top)
	}
}

// TopEvent is the event that the first line of the window tells of, and whether
// that line is not the first of what it tells.
func (t *Transcript) TopEvent() (at int, within bool) {
	p := t.Pages[t.Top.Page]
	if !p.Read || t.Top.row >= len(p.Rows) {
		return p.to, false
	}
	_, gap := t.lines(t.Top)
	return p.Rows[t.Top.row].at, t.skip > gap
}

// ToggleLast opens or closes the last item in or above the window that can be.
func (t *Transcript) ToggleLast() {
	for p, ok := t.Bottom, t.Bottom.row < len(t.Pages[t.Bottom.Page].Rows); ok && !t.unread(p); p, ok = t.prev(p) {
		r := t.Pages[p.Page].Rows[p.row]
		o, is := r.Item.(Expander)
		if !is || t.rowHeight(p) == 0 || !o.more() {
			continue
		}
		t.Flip(r)
		return
	}
}

// ToggleAll opens all items, and those to come, or closes them.
func (t *Transcript) ToggleAll() {
	t.openAll = !t.openAll
	for _, p := range t.Pages {
		p.other = nil
		for _, r := range p.Rows {
			if o, ok := r.Item.(Expander); ok {
				o.setOpen(t.openAll)
				r.Touch()
			}
		}
	}
}

// ToggleAt opens or closes the item that has a line of the window, if it is one by
// which that is done: its first, or, while it is closed, its last, which tells
// that there is more. That line stays where it is.
func (t *Transcript) ToggleAt(y int) *Row {
	if y < 0 || y >= len(t.cells) || t.fullView {
		return nil
	}
	c := t.cells[y]
	r := t.Pages[c.at.Page].Rows[c.at.row]
	o, is := r.Item.(Expander)
	lines, gap := t.lines(c.at)
	if !is || !o.more() || c.line != 0 && (o.opened() || c.line != len(lines)-1) {
		return nil
	}
	t.Flip(r)
	t.Follow, t.Owed, t.aim = false, 0, nil
	t.Top, t.skip = c.at, gap-max(y-c.line, 0)
	t.scrollUp()
	return r
}

// Flip opens an item or closes it.
func (t *Transcript) Flip(r *Row) {
	if o, is := r.Item.(Expander); is {
		o.setOpen(!o.opened())
		r.Touch()
	}
}

// ShowFull draws all items with all they have, or as they were. What is at the
// top of the window stays there.
func (t *Transcript) ShowFull(whole bool) {
	t.fullView = whole
	t.look++
	if !t.Follow && t.Top.row < len(t.Pages[t.Top.Page].Rows) {
		_, gap := t.lines(t.Top)
		t.skip = min(t.skip, gap)
	}
}

// Percent says how much of the session is above the end of the window, in
// hundredths, 100 only at its very end; less than 0 if nobody knows. Lines are
// not counted: those of pages that are not read are not known.
func (t *Transcript) Percent() int {
	switch {
	case t.Follow:
		return 100
	case !t.Settled || t.Events() == 0 || len(t.cells) == 0:
		return -1
	}
	at, part := t.LowestEvent()
	return max(0, min(int((float64(at)+part)*100/float64(t.Events())), 99))
}

// LowestEvent is the event that the last line of the window tells of, and how many
// events more are told with it as far as that line.
func (t *Transcript) LowestEvent() (at int, part float64) {
	if len(t.cells) == 0 {
		return -1, 0
	}
	c := t.cells[len(t.cells)-1]
	at = t.Pages[c.at.Page].Rows[c.at.row].at
	end := t.Events()
	if next, ok := t.next(c.at); ok {
		end = t.Pages[next.Page].Rows[next.row].at
	}
	lines, _ := t.lines(c.at)
	return at, float64(max(end-at, 0)) * float64(c.line+1) / float64(max(len(lines), 1))
}
