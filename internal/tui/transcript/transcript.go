package transcript

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Transcript shows a window of the list of a session's items. Its parts build on each
// other: pages hold rows, a drawer draws them, a viewport shows some of them, and a
// selection marks text in the window.
type Transcript struct {
	viewport
	Selection selection
	OnAdd     func(Item) // called with every added item; optional
	openAll   bool       // items are expanded by default
}

// New returns an empty transcript that follows its end.
func New(st *ink.Styles) *Transcript {
	t := &Transcript{}
	t.Pages = pages{All: []*Page{{Read: true}, {Read: true}}, Limit: PageSize{64, 256 << 10}, Settled: true}
	t.styles, t.width = st, 80
	t.Height, t.Follow, t.Top = 24, true, Position{Page: 1}
	t.Selection.view = &t.viewport
	return t
}

// Layout draws the window in that size.
func (t *Transcript) Layout(width, height int) {
	t.fill(width, height)
	t.Selection.highlight()
}

// Head appends an item to those above the session.
func (t *Transcript) Head(it Item) *Row {
	r := &Row{Item: it, at: -1, version: 1, own: true}
	t.Pages.All[0].add(r)
	return r
}

// SetHeader sets the text of the first line.
func (t *Transcript) SetHeader(text string) {
	if len(t.Pages.All[0].Rows) == 0 {
		t.Head(nil)
	}
	head := t.Pages.All[0].Rows[0]
	head.Item = &Header{text}
	head.Touch()
}

// RemoveHead removes a row from those above the session.
func (t *Transcript) RemoveHead(r *Row) { t.removeFrom(t.Pages.All[0], r) }

// Add appends an item that belongs to no event.
func (t *Transcript) Add(it Item) *Row {
	r := t.append(it)
	r.at, r.own = t.Pages.Events(), true
	return r
}

// Notify adds a notice, unless the last item is the same notice.
func (t *Transcript) Notify(text string) {
	rows := t.Pages.last().Rows
	if len(rows) > 0 && t.OnAdd == nil {
		if n, ok := rows[len(rows)-1].Item.(*Notice); ok && n.Text == text {
			return
		}
	}
	t.Add(&Notice{text})
}

// append appends an item for the last event.
func (t *Transcript) append(it Item) *Row {
	if o, ok := it.(Expander); ok && t.openAll {
		*o.open() = true
	}
	r := &Row{Item: it, version: 1}
	r.setEvent(t.Pages.Events() - 1)
	t.Pages.last().add(r)
	if t.OnAdd != nil {
		t.OnAdd(it)
	}
	return r
}

// remove removes a row of the last page.
func (t *Transcript) remove(r *Row) { t.removeFrom(t.Pages.last(), r) }

// removeFrom removes a row of a page. The rows below it keep their place in the
// window.
func (t *Transcript) removeFrom(p *Page, r *Row) {
	i := slices.Index(p.Rows, r)
	if i < 0 {
		return
	}
	p.Rows = slices.Delete(p.Rows, i, i+1)
	if t.Pages.All[t.Top.Page] == p && t.Top.row > i {
		t.Top.row--
	}
}

// moveToLast moves a row from another page to the last one. The other rows keep
// their place in the window.
func (t *Transcript) moveToLast(r *Row, from *Page) {
	t.removeFrom(from, r)
	t.Pages.last().Rows = append(t.Pages.last().Rows, r)
	t.Top = t.Pages.nearest(t.Top)
}

// Rewind removes the events from number keep on.
func (t *Transcript) Rewind(keep int) {
	t.Pages.truncate(keep)
	t.target, t.owed = nil, 0
	t.clamp()
}

// TakeSummary adds the part of the session before the events shown so far. The rows in the
// window keep their place.
func (t *Transcript) TakeSummary(s event.Opened) {
	above := 0 // lines of the window above the session
	if t.Top.Page == 0 && !t.Follow {
		above = -t.skip
		for p, ok := t.Top, true; ok && p.Page == 0; p, ok = t.Pages.next(p) {
			above += t.height(p)
		}
	}
	n := t.Pages.insertUnread(s)
	if t.Top.Page > 0 || above > 0 && n > 0 {
		t.Top.Page += n
	}
	if above > 0 && n > 0 && t.target == nil {
		t.moveTo(t.Pages.nearest(Position{Page: 1 + n}), -above)
	}
	t.ReachTarget()
}

// ToggleLast expands or collapses the last expandable item in or above the window.
func (t *Transcript) ToggleLast() {
	for p, ok := t.Bottom, t.Pages.exists(t.Bottom); ok && !t.Pages.unread(p); p, ok = t.Pages.prev(p) {
		r := t.Pages.row(p)
		if o, is := r.Item.(Expander); is && t.height(p) > 0 && o.more() {
			toggle(r)
			return
		}
	}
}

// ToggleAll expands or collapses all items, including future ones.
func (t *Transcript) ToggleAll() {
	t.openAll = !t.openAll
	for _, p := range t.Pages.All {
		p.toggled = nil
		for _, r := range p.Rows {
			if o, ok := r.Item.(Expander); ok {
				*o.open() = t.openAll
				r.Touch()
			}
		}
	}
}

// ToggleAt expands or collapses the item on a line of the window after a click. Only
// the first line of an item reacts and, while it is collapsed, the last one. The line
// keeps its place. ToggleAt returns the row, nil if nothing changed.
func (t *Transcript) ToggleAt(y int) *Row {
	if y < 0 || y >= len(t.cells) || t.full {
		return nil
	}
	c := t.cells[y]
	r := t.Pages.row(c.at)
	o, is := r.Item.(Expander)
	lines, gap := t.lines(c.at)
	if !is || !o.more() || c.line != 0 && (*o.open() || c.line != len(lines)-1) {
		return nil
	}
	toggle(r)
	t.Follow, t.owed, t.target = false, 0, nil
	t.moveTo(c.at, gap-max(y-c.line, 0))
	return r
}

// Flip expands or collapses an item.
func (t *Transcript) Flip(r *Row) { toggle(r) }

// ShowFull switches between drawing all items completely and drawing them normally.
// The first item in the window keeps its place.
func (t *Transcript) ShowFull(full bool) {
	t.full = full
	t.look++
	if !t.Follow && t.Pages.exists(t.Top) {
		_, gap := t.lines(t.Top)
		t.skip = min(t.skip, gap)
	}
}
