package transcript

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// searchMark is the line of the current match.
type searchMark struct {
	row  *Row
	line int
}

// ClearMark removes the search mark.
func (v *viewport) ClearMark() { v.mark = searchMark{} }

// reveal marks the match in event number to.At of page i, and scrolls it into view.
func (v *viewport) reveal(i int, to Target) {
	rows := v.Pages.All[i].Rows
	p := Position{i, -1}
	for i, r := range rows {
		if a, ok := r.Item.(*answer); ok && !to.Find.In(a.text.String()) { // another part of a long answer has it
			continue
		}
		if r.shows(to.At) && (p.row < 0 || to.Last) {
			p.row = i
		}
	}
	if p.row < 0 {
		return
	}
	if tool, ok := rows[p.row].Item.(*Tool); ok && tool.isGrouped() {
		p.row = slices.IndexFunc(rows, func(r *Row) bool { return r.Item == Item(tool.head) })
	}
	line := v.match(p, to.Find, to.Last)
	if o, ok := rows[p.row].Item.(Expander); ok && line < 0 && o.more() && !*o.open() {
		toggle(rows[p.row])
		line = v.match(p, to.Find, to.Last)
	}
	v.showMark(p, max(line, 0))
}

// match returns the first, or the last, line of the row at p that matches q; negative
// if there is none.
func (v *viewport) match(p Position, q ink.Query, last bool) int {
	lines, _ := v.lines(p)
	at := -1
	for i, l := range lines {
		if (at < 0 || last) && q.InLine(l) {
			at = i
		}
	}
	return at
}

// MarkNext marks the next match above or below the mark within event number at. It
// reports whether there is one.
func (v *viewport) MarkNext(up bool, q ink.Query, at int) bool {
	p, ok := v.Pages.find(v.mark.row)
	if !ok {
		return false
	}
	lines, _ := v.lines(p)
	step, follow := 1, v.Pages.next
	if up {
		step, follow = -1, v.Pages.prev
	}
	for line := v.mark.line + step; line >= 0 && line < len(lines); line += step {
		if q.InLine(lines[line]) {
			v.showMark(p, line)
			return true
		}
	}
	for {
		if p, ok = follow(p); !ok || v.Pages.unread(p) || !v.Pages.row(p).shows(at) {
			return false
		}
		if line := v.match(p, q, up); line >= 0 {
			v.showMark(p, line)
			return true
		}
	}
}

// showMark marks a line of the row at p and scrolls it into view.
func (v *viewport) showMark(p Position, line int) {
	v.mark = searchMark{v.Pages.row(p), line}
	v.Follow = false
	_, gap := v.lines(p)
	n := -v.skip
	for at, ok := v.Top, true; ok && n < v.Height; at, ok = v.Pages.next(at) {
		if at == p {
			if y := n + gap + line; y >= 0 && y < v.Height {
				return
			}
			break
		}
		n += v.height(at)
	}
	v.moveTo(p, gap+line-v.Height/3)
}

// Mentions reports whether q matches text that the transcript shows for an event.
func Mentions(q ink.Query, ev event.Event) bool {
	switch ev := ev.(type) {
	case *event.UserSaid:
		return q.In(ev.Text)
	case *event.MessageDone:
		if s := ev.Message.Search; s != nil {
			return q.In(s.Text())
		}
		return q.In(ev.Message.WithSources())
	case *event.ToolEnd:
		return q.In(ev.Title, ev.Summary, ev.Error, ev.Result.Text) ||
			slices.ContainsFunc(slices.Concat(ev.Diffs, ev.Proposed), func(d event.Diff) bool { return q.In(d.Path, d.Unified) })
	case *event.ShellEnd:
		return q.In(ev.Line, ev.Text)
	case *event.DelegateStart:
		return ev.Call == "" && q.In(typedStart(ev))
	case *event.DelegateEnd:
		return ev.Background && q.In(DelegateLabel(ev.Name, ev.ID), ev.Error, ev.Answer)
	case *event.Renamed:
		return ev.Model == "" && q.In(ev.Title)
	}
	return false
}
