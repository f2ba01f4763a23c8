package tui

import (
	"slices"

	"agent/internal/tui/ink"
)

// mark is the line that a search went to.
type mark struct {
	row  *row
	line int
}

// tells reports whether the row tells of event number at.
func (r *row) tells(at int) bool { return !r.own && (r.at == at || r.end == at) }

// has reports whether a row that tells of something found is where it is: a
// long answer has several.
func (r *row) has(n ink.Query) bool {
	a, ok := r.item.(*answer)
	return !ok || n.In(a.text.String())
}

// lastShown is the number of the last event in the window.
func (t *transcript) lastShown() int {
	if p := t.pages[t.bottom.page]; t.bottom.row < len(p.rows) {
		return max(p.rows[t.bottom.row].at, p.rows[t.bottom.row].end)
	}
	return t.events()
}

// reveal marks what is found in event number to.at, of page i, and moves the
// window if it is not in there.
func (t *transcript) reveal(i int, to aim) {
	rows := t.pages[i].rows
	p := spot{i, -1}
	for r, each := range rows {
		if each.tells(to.at) && each.has(to.find) && (p.row < 0 || to.last) {
			p.row = r
		}
	}
	if p.row < 0 {
		return
	}
	if tool, ok := rows[p.row].item.(*tool); ok && tool.head != nil && tool.head != tool {
		p.row = slices.IndexFunc(rows, func(r *row) bool { return r.item == item(tool.head) })
	}
	line := t.match(p, to.find, to.last)
	if o, ok := rows[p.row].item.(opener); ok && line < 0 && o.more() && !o.opened() {
		o.setOpen(true)
		rows[p.row].touch()
		line = t.match(p, to.find, to.last)
	}
	t.showMark(p, max(line, 0))
}

// match is the first line of the row at p, or the last one, in which n is found;
// negative if there is none.
func (t *transcript) match(p spot, n ink.Query, last bool) int {
	lines, _ := t.lines(p)
	if last {
		for i, l := range slices.Backward(lines) {
			if n.InLine(l) {
				return i
			}
		}
		return -1
	}
	return slices.IndexFunc(lines, n.InLine)
}

// markNext marks the next line with n above the mark, or below it, that tells of
// event number at too. It reports whether there is one.
func (t *transcript) markNext(up bool, n ink.Query, at int) bool {
	p, ok := t.spotOf(t.mark.row)
	if !ok {
		return false
	}
	lines, _ := t.lines(p)
	line := t.mark.line
	for line = step(line, up); line >= 0 && line < len(lines); line = step(line, up) {
		if n.InLine(lines[line]) {
			t.showMark(p, line)
			return true
		}
	}
	for next := t.next; ; {
		if up {
			next = t.prev
		}
		if p, ok = next(p); !ok || t.unread(p) || !t.pages[p.page].rows[p.row].tells(at) {
			return false
		}
		if line := t.match(p, n, up); line >= 0 {
			t.showMark(p, line)
			return true
		}
	}
}

func step(n int, back bool) int {
	if back {
		return n - 1
	}
	return n + 1
}

// spotOf is where a row is, if it is in memory.
func (t *transcript) spotOf(r *row) (spot, bool) {
	for i, p := range t.pages {
		if at := slices.Index(p.rows, r); r != nil && at >= 0 {
			return spot{i, at}, true
		}
	}
	return spot{}, false
}

// showMark marks a line of the row at p, and moves the window if it is not in
// there.
func (t *transcript) showMark(p spot, line int) {
	t.mark = mark{t.pages[p.page].rows[p.row], line}
	t.follow = false
	lines := -t.skip
	for at, ok := t.top, true; ok && lines < t.height; at, ok = t.next(at) {
		if at == p {
			_, gap := t.lines(p)
			if here := lines + gap + line; here >= 0 && here < t.height {
				return
			}
			break
		}
		lines += t.rowHeight(at)
	}
	_, gap := t.lines(p)
	t.top, t.skip = p, gap+line-t.height/3
	t.scrollUp()
	t.scrollDown()
}
