package transcript

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// SearchMark is the line that a search went to.
type SearchMark struct {
	row  *Row
	line int
}

// tells reports whether the row tells of event number at.
func (r *Row) tells(at int) bool { return !r.own && (r.at == at || r.end == at) }

// has reports whether a row that tells of something found is where it is: a
// long answer has several.
func (r *Row) has(n ink.Query) bool {
	a, ok := r.Item.(*answer)
	return !ok || n.In(a.text.String())
}

// LastEvent is the number of the last event in the window.
func (t *Transcript) LastEvent() int {
	if p := t.Pages[t.Bottom.Page]; t.Bottom.row < len(p.Rows) {
		return max(p.Rows[t.Bottom.row].at, p.Rows[t.Bottom.row].end)
	}
	return t.Events()
}

// reveal marks what is found in event number to.at, of page i, and moves the
// window if it is not in there.
func (t *Transcript) reveal(i int, to Target) {
	rows := t.Pages[i].Rows
	p := Position{i, -1}
	for r, each := range rows {
		if each.tells(to.At) && each.has(to.Find) && (p.row < 0 || to.Last) {
			p.row = r
		}
	}
	if p.row < 0 {
		return
	}
	if tool, ok := rows[p.row].Item.(*Tool); ok && tool.head != nil && tool.head != tool {
		p.row = slices.IndexFunc(rows, func(r *Row) bool { return r.Item == Item(tool.head) })
	}
	line := t.match(p, to.Find, to.Last)
	if o, ok := rows[p.row].Item.(Expander); ok && line < 0 && o.more() && !o.opened() {
		o.setOpen(true)
		rows[p.row].Touch()
		line = t.match(p, to.Find, to.Last)
	}
	t.showMark(p, max(line, 0))
}

// match is the first line of the row at p, or the last one, in which n is found;
// negative if there is none.
func (t *Transcript) match(p Position, n ink.Query, last bool) int {
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

// MarkNext marks the next line with n above the mark, or below it, that tells of
// event number at too. It reports whether there is one.
func (t *Transcript) MarkNext(up bool, n ink.Query, at int) bool {
	p, ok := t.spotOf(t.Mark.row)
	if !ok {
		return false
	}
	lines, _ := t.lines(p)
	line := t.Mark.line
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
		if p, ok = next(p); !ok || t.unread(p) || !t.Pages[p.Page].Rows[p.row].tells(at) {
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
func (t *Transcript) spotOf(r *Row) (Position, bool) {
	for i, p := range t.Pages {
		if at := slices.Index(p.Rows, r); r != nil && at >= 0 {
			return Position{i, at}, true
		}
	}
	return Position{}, false
}

// showMark marks a line of the row at p, and moves the window if it is not in
// there.
func (t *Transcript) showMark(p Position, line int) {
	t.Mark = SearchMark{t.Pages[p.Page].Rows[p.row], line}
	t.Follow = false
	lines := -t.skip
	for at, ok := t.Top, true; ok && lines < t.Height; at, ok = t.next(at) {
		if at == p {
			_, gap := t.lines(p)
			if here := lines + gap + line; here >= 0 && here < t.Height {
				return
			}
			break
		}
		lines += t.rowHeight(at)
	}
	_, gap := t.lines(p)
	t.Top, t.skip = p, gap+line-t.Height/3
	t.scrollUp()
	t.scrollDown()
}

// Streams reports whether what is searched for is in what streams, which is no
// event yet.
func (f *Feed) Streams(n ink.Query) bool {
	return slices.ContainsFunc(f.open, func(p *preview) bool {
		switch it := p.row.Item.(type) {
		case *answer:
			return slices.ContainsFunc(p.rows(), func(r *Row) bool { return n.In(r.Item.(*answer).text.String()) })
		case *thinking:
			return n.In(it.text.String())
		}
		return false
	})
}

// Mentions reports whether the needle is found in what the transcript shows of an
// event.
func Mentions(n ink.Query, ev event.Event) bool {
	switch ev := ev.(type) {
	case *event.UserSaid:
		return n.In(ev.Text)
	case *event.MessageDone:
		return n.In(ev.Message.Text)
	case *event.ToolEnd:
		if n.In(ev.Title, ev.Summary, ev.Result.Text) {
			return true
		}
		for _, d := range ev.Diffs {
			if n.In(d.Path, d.Unified) {
				return true
			}
		}
	case *event.ShellEnd:
		return n.In(ev.Line, ev.Text)
	case *event.Renamed:
		return n.In(ev.Title)
	}
	return false
}
